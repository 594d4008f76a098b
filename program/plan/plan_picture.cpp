// SPDX-License-Identifier: Apache-2.0
#include "plan_picture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>

namespace takt::program {

namespace {

using part = report::plan_view::task_part;

[[nodiscard]] auto name_of_core(const workload_file& file, std::size_t core) -> std::string {
  if (core >= file.cores.size()) { return fmt::format("core {}", core); }
  const core_facts& c = file.cores[core];
  return c.type.empty() || c.type == c.name ? c.name : c.name + " (" + c.type + ")";
}

[[nodiscard]] auto part_of(const workload_file& file, std::size_t i) -> part {
  const runtime_task& t = file.tasks.tasks[i];
  part out{.task = static_cast<std::uint32_t>(i), .words = std::string{t.name}};
  ticks time = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const runtime_visit& v = file.tasks.visit(i, p);
    if (v.where == resource_kind::processor) { time += v.time.upper; }
  }
  out.use = static_cast<double>(time) / static_cast<double>(t.period);
  if (!file.more[i].variant.empty()) { out.words += " " + file.more[i].variant; }
  if (t.priority != no_priority) { out.words += fmt::format(", priority {}", t.priority); }
  out.words += fmt::format(", {:.1f} %", 100 * out.use);
  const ticks offset = file.tasks.tasks[i].offset;
  if (offset != 0) { out.words += ", from " + report::format_duration(offset); }
  return out;
}

[[nodiscard]] auto visits_gpu(const workload_file& file, std::size_t i) -> bool {
  const runtime_task& t = file.tasks.tasks[i];
  const auto first = file.tasks.visits.begin() + t.first_visit;
  return std::any_of(first, first + t.visit_count,
                     [](const runtime_visit& v) { return v.where == resource_kind::gpu; });
}

}  // namespace

auto picture_of(const workload_file& file, const report::verdict_summary& proven,
                const std::vector<report::chain_summary>& chains) -> report::plan_view {
  report::plan_view out;
  for (std::int32_t core = 0; core < file.board.processors; ++core) {
    report::plan_view::core& row = out.cores.emplace_back();
    row.name = name_of_core(file, static_cast<std::size_t>(core));
    for (std::size_t i = 0; i < file.tasks.size(); ++i) {
      if (file.tasks.tasks[i].core == core) { row.tasks.push_back(part_of(file, i)); }
    }
    std::ranges::stable_sort(row.tasks, {}, [&](const part& p) { return file.tasks.tasks[p.task].priority; });
  }
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    if (visits_gpu(file, i)) {
      out.on_gpu.push_back({.task = static_cast<std::uint32_t>(i), .words = std::string{file.tasks.tasks[i].name}});
    }
    const runtime_task& t = file.tasks.tasks[i];
    report::plan_view::limit& limit = out.limits.emplace_back();
    limit.name = t.name;
    limit.task = static_cast<std::uint32_t>(i);
    if (const response_bound<ticks> bound = proven.promised(i); bound.exists) { limit.bound = bound.value; }
    if (t.limited) { limit.most = t.deadline; }
  }
  for (const report::chain_summary& c : chains) {
    const bool age = c.counts_age();
    out.limits.push_back({.name = c.name + (age ? ", age" : ", reaction"),
                          .bound = age ? c.bound.age : c.bound.reaction,
                          .most = age ? c.age_limit : c.reaction_limit});
  }
  return out;
}

}  // namespace takt::program
