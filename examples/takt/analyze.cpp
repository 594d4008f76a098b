// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <takt/report/verdict_json.hpp>

#include "accelerator_commands.hpp"
#include "command.hpp"
#include "text_file.hpp"
#include "text_table.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto platform_text(const task_file& file) -> std::string {
  const auto& p = file.platform;
  std::string out = fmt::format("{} core{} ({})", p.cores, p.cores == 1 ? "" : "s", file.rules.cpus);
  if (!file.cores.empty()) {
    std::vector<std::string> names;
    for (const core_name& c : file.cores) {
      names.push_back(c.type.empty() ? c.name : c.name.empty() ? c.type : c.name + " " + c.type);
    }
    out += fmt::format(" [{}]", fmt::join(names, ", "));
  }
  out += p.copy_engines == 0 ? std::string{", no copy engine"}
                             : fmt::format(", {} copy engine{} ({})", p.copy_engines, p.copy_engines == 1 ? "" : "s",
                                           file.rules.copies());
  for (const gpu_record& gpu : p.gpus) {
    out += fmt::format(", GPU with {} SMs x {} virtual ({})", gpu.sms, gpu.virtual_per_sm, file.rules.gpus);
    if (gpu.granularity > 1) { out += fmt::format(" in units of {}", gpu.granularity); }
    if (!gpu.speed.is_one()) { out += fmt::format(" at speed {}/{}", gpu.speed.numerator, gpu.speed.denominator); }
  }
  return out + (p.gpus.empty() ? ", no GPU" : "");
}

[[nodiscard]] auto bound_text(const response_bound<ticks>& b) -> std::string {
  return b.exists ? in_milliseconds(b.value) : "-";
}

[[nodiscard]] auto share_text(const task_file& file, const report::task_summary& t) -> std::string {
  if (t.share.sms == 0) { return "-"; }
  if (file.rules.tokens()) { return "token"; }
  return file.platform.gpus.size() > 1 ? fmt::format("{} on {}", t.share.sms, t.share.gpu)
                                       : fmt::format("{}", t.share.sms);
}

[[nodiscard]] auto table_text(const task_file& file, const assessment& a) -> std::string {
  const bool several_cores = file.platform.cores > 1;
  std::vector<std::string> heads{"task"};
  if (several_cores) { heads.emplace_back("core"); }
  for (const char* head : {"SMs", "deadline ms", "bound ms", "slack", "meets"}) { heads.emplace_back(head); }
  if (a.dedicated) {
    heads.emplace_back("published ms");
    heads.emplace_back("sharper ms");
  }
  text_table table{heads};
  for (const std::uint32_t i : a.summary.priorities) {
    const auto& t = a.summary.tasks[i];
    std::vector<std::string> row{t.name};
    if (several_cores) { row.push_back(fmt::format("{}", file.table.tasks[i].core)); }
    row.push_back(share_text(file, t));
    row.push_back(in_milliseconds(t.deadline));
    row.push_back(bound_text(t.bound));
    row.push_back(t.bound.exists ? percent(t.deadline - t.bound.value, t.deadline) : "-");
    row.emplace_back(t.meets ? "yes" : t.evaluated ? "not proven" : "not reached");
    if (a.dedicated) {
      row.push_back(bound_text(t.other_bounds[0].second));
      row.push_back(bound_text(t.other_bounds[1].second));
    }
    table.add(std::move(row));
  }
  return table.text();
}

void print_text(const task_file& file, const assessment& a) {
  if (!file.name.empty()) { fmt::print("{}\n", one_line(file.name, 200)); }
  fmt::print("platform: {}\n", platform_text(file));
  if (file.table.gpu_tasks() > 0) { fmt::print("plan: {}\n", plan_text(file, a.plan)); }
  fmt::print("\n{}\n", table_text(file, a));
  fmt::print("verdict: {} ({})\n", name_of(a.summary.status), a.summary.analysis);
  for (const std::string& reason : a.reasons) { fmt::print("  {}\n", reason); }
  for (const std::string& note : a.summary.notes) { fmt::print("  note: {}\n", note); }
}

}  // namespace

auto exit_code_of(verdict_status status) noexcept -> exit_code {
  switch (status) {
    case verdict_status::schedulable: return exit_code::ok;
    case verdict_status::unschedulable: return exit_code::missed;
    case verdict_status::not_proven: return exit_code::not_proven;
    case verdict_status::invalid_model:
    case verdict_status::overflow: return exit_code::invalid_input;
  }
  return exit_code::environment;
}

auto analyze_command(const analyze_options& o) -> exit_code {
  const std::string text = read_text_file(o.file);
  if (const auto accelerator = read_accelerator_text(text)) { return analyze_accelerator(*accelerator, o); }
  const auto file = read_task_text(o.file, text);
  const auto a = assess(*file, o.ask);
  if (o.json) {
    auto summary = a->summary;
    summary.notes.insert(summary.notes.begin(), a->reasons.begin(), a->reasons.end());
    report::write_verdict_json(std::cout, summary);
  } else {
    print_text(*file, *a);
  }
  return exit_code_of(a->summary.status);
}

}  // namespace takt::program
