// SPDX-License-Identifier: Apache-2.0
#include "task_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/headroom.hpp>
#include <takt/analysis/known/chains/chain_pattern.hpp>
#include <takt/model/validate.hpp>

#include "../worst_fit.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto rules_of(const workload_file& from) -> rule_names {
  rule_names out;
  out.cpus = from.rules.cpus;
  if (!from.board.gpus.empty()) {
    out.gpus = from.rules.gpus.sharing;
    out.protocol = from.rules.gpus.protocol;
  }
  if (!from.rules.copies.empty() && from.rules.copies != out.copies()) {
    throw input_error{"/platform/copy_engines/policy",
                      fmt::format("\"{}\" is not how engines serve under \"{}\" sharing", from.rules.copies, out.gpus),
                      fmt::format("\"{}\"", out.copies())};
  }
  return out;
}

[[nodiscard]] auto platform_of(const workload_file& from, const rule_names& rules) -> platform_record {
  platform_record out;
  out.cores = from.board.processors;
  out.copy_engines = from.board.copy_engines;
  for (const gpu_hardware& gpu : from.board.gpus) {
    gpu_record one{.sms = gpu.sms,
                   .virtual_per_sm = gpu.virtual_per_sm,
                   .granularity = gpu.granularity,
                   .shared = rules.gpus == "shared",
                   .speed = gpu.speed};
    if (rules.tokens()) { one.tokens = from.rules.gpus.tokens_per_gpu.value_or(1); }
    out.gpus.push_back(one);
  }
  return out;
}

[[nodiscard]] auto segment_of(const described_visit& v) -> segment_record<ticks> {
  segment_record<ticks> out;
  out.where = v.where == visit_place::processor     ? stage::cpu
              : v.where == visit_place::copy_engine ? stage::copy
                                                    : stage::kernel;
  out.direction = v.direction;
  out.time = out.where == stage::kernel ? v.work : v.time;
  if (v.known.has(visit_fact::overhead)) { out.overhead = v.overhead; }
  if (v.known.has(visit_fact::interleave)) {
    out.interleave_numerator = v.interleave_numerator;
    out.interleave_denominator = v.interleave_denominator;
  }
  return out;
}

/// Share of a core that a task needs, for placing only.
[[nodiscard]] auto cpu_demand(const file_table& table, std::size_t i) -> double {
  double sum = 0;
  for (std::size_t j = 0; j < table.tasks[i].segment_count; ++j) {
    if (table.segment(i, j).where == stage::cpu) { sum += static_cast<double>(table.segment(i, j).time.upper); }
  }
  return sum / static_cast<double>(table.tasks[i].period);
}

/// Gives tasks without a core, largest CPU demand first, the core with the least demand so far.
void place_on_cores(task_file& file, const std::vector<bool>& pinned) {
  auto& tasks = file.table.tasks;
  if (file.platform.cores == 1 || std::ranges::find(pinned, false) == pinned.end()) { return; }
  file.placed_by_program = true;
  std::vector<double> load(static_cast<std::size_t>(file.platform.cores));
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (pinned[i]) {
      load[static_cast<std::size_t>(tasks[i].core)] += cpu_demand(file.table, i);
    } else {
      free.push_back(i);
    }
  }
  file.notes.push_back(
      place_worst_fit(tasks, free, std::move(load), "cores", [&](std::size_t i) { return cpu_demand(file.table, i); }));
}

void note_priorities(task_file& file) {
  if (file.rules.cpus != "fixed-priority") {
    file.notes.emplace_back(file.rules.cpus == "rate-monotonic" ? "priorities: rate monotonic"
                                                                : "priorities: deadline monotonic");
    return;
  }
  const auto& tasks = file.table.tasks;
  const auto given = std::ranges::count_if(tasks, [](const auto& t) { return t.priority != no_priority; });
  if (given == static_cast<std::ptrdiff_t>(tasks.size())) {
    file.notes.emplace_back("priorities: as given");
  } else {
    file.notes.emplace_back(given == 0 ? "priorities: deadline monotonic"
                                       : "priorities: deadline monotonic, because not every task has one");
  }
}

}  // namespace

auto chains_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<task_file> {
  auto out = std::make_unique<task_file>();
  out->name = from->name;
  out->rules = rules_of(*from);
  out->platform = platform_of(*from, out->rules);
  std::vector<bool> pinned;
  for (const described_task& t : from->tasks.tasks) {
    pinned.push_back(t.core != any_core);
    out->table.add_task(t.name, t.period, t.deadline, t.priority, pinned.back() ? t.core : 0);
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      out->table.add_segment(segment_of(from->tasks.visits[t.first_visit + p]));
    }
  }
  out->notes = from->notes;
  out->from = std::move(from);
  if (const auto error = validate(out->table)) { throw explain_fault(*out, error); }
  if (const auto error = analysis::fits_platform(out->table, out->platform)) { throw explain_fault(*out, error); }
  if (!analysis::has_headroom(out->table, out->platform)) {
    throw explain_fault(*out, {.fault = model_fault::time_overflow});
  }
  place_on_cores(*out, pinned);
  note_priorities(*out);
  return out;
}

}  // namespace takt::program
