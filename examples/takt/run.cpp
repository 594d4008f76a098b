// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>
#include <takt/runtime.hpp>

#include "accelerator_commands.hpp"
#include "command.hpp"
#include "counterexample.hpp"
#include "failure.hpp"
#include "observe.hpp"
#include "text_file.hpp"
#include "text_table.hpp"
#include "timed_run.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto expectations(const assessment& a) -> std::vector<runtime::expectation> {
  std::vector<runtime::expectation> out;
  for (std::size_t i = 0; i < a.summary.tasks.size(); ++i) {
    out.push_back({.response = proven_bound(a, i), .segments = {}});
  }
  return out;
}

[[nodiscard]] auto summary_of(const runtime::run_result& seen, const assessment& a) -> report::run_summary {
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.tasks.push_back({t.name, t.jobs, t.misses, t.worst_response, t.mean_response, proven_bound(a, i)});
  }
  out.notes = seen.notes;
  return out;
}

void print_text(const runtime::run_result& seen, const report::run_summary& run, const file_simulation& simulated,
                const assessment& a) {
  text_table table{
      {"task", "jobs", "misses", "observed ms", "simulated ms", "proven ms", "deadline ms", "observed within"}};
  for (const std::uint32_t i : a.summary.priorities) {
    const report::task_run& t = run.tasks[i];
    table.add({t.name, fmt::format("{}", t.jobs), fmt::format("{}", t.misses),
               t.jobs > 0 ? in_milliseconds(t.worst_response) : "-",
               simulated.tasks[i].completed > 0 ? in_milliseconds(simulated.tasks[i].worst_response) : "-",
               t.bound.exists ? in_milliseconds(t.bound.value) : "-", in_milliseconds(a.summary.tasks[i].deadline),
               !t.bound.exists              ? "-"
               : seen.tasks[i].within_bound ? "yes"
                                            : "no"});
  }
  fmt::print("{}\n", table.text());
}

/// The same tasks under the same plan in virtual time, with the longest execution times.
[[nodiscard]] auto simulate_beside(const task_file& file, const assessment& a) -> file_simulation {
  return simulate_table(file, a.table, a.plan, {.horizon = horizon_for(a.table, 20)});
}

}  // namespace

auto run_command(const run_command_options& o) -> exit_code {
  const duration length = run_length(o);
  const std::string text = read_text_file(o.file);
  if (const auto accelerator = read_accelerator_text(text)) { return run_accelerator(*accelerator, o); }
  const auto file = read_task_text(o.file, text);
  if (file->rules.tokens()) {
    throw input_error{"/platform/gpus/0/sharing", "\"tokens\" is not run on a device by this program yet",
                      "the commands analyze, explain, simulate and sensitivity"};
  }
  const bool traced = !o.trace_file.empty() || !o.svg_file.empty();
  require_bearable(*file, length, "--for", traced);
  const auto a = assess(*file, o.ask);
  require_plan(*file, *a);

  runtime::run_options options;
  options.length = length;
  options.seed = o.seed;
  options.expected = expectations(*a);
  const std::vector<std::string> machine = machine_notes();
  runtime::emulated_device device{file->platform};
  trace recorded;
  const auto seen = traced ? runtime::run(a->table, file->platform, a->plan, device, options, recorded)
                           : runtime::run(a->table, file->platform, a->plan, device, options);
  if (seen.status == runtime::run_status::invalid_model) { throw explain_fault(*file, seen.error); }
  require_threads(seen.status);
  write_trace_files(recorded, *file, o.trace_file, o.svg_file, file->name);

  report::run_summary run = summary_of(seen, *a);
  run.notes.insert(run.notes.begin(), machine.begin(), machine.end());
  const file_simulation simulated = simulate_beside(*file, *a);
  if (o.json) {
    for (std::size_t i = 0; i < simulated.tasks.size(); ++i) {
      run.notes.push_back(fmt::format("simulated worst response of {}: {}", run.tasks[i].name,
                                      report::format_duration(simulated.tasks[i].worst_response)));
    }
    report::write_run_json(std::cout, run);
  } else {
    fmt::print("ran for {} on the {} device, execution times drawn from their bounds, seed {}\n",
               report::format_duration(length.count()), o.device, o.seed);
    if (file->table.gpu_tasks() > 0) { fmt::print("plan: {}\n", plan_text(*file, a->plan)); }
    fmt::print("\n");
    print_text(seen, run, simulated, *a);
    fmt::print("run: {}; verdict of the analysis: {} ({})\n", run.missed() ? "missed" : "no miss",
               name_of(a->summary.status), a->summary.analysis);
    for (const std::string& note : run.notes) { fmt::print("  {}\n", note); }
    fmt::print("{}", written_files(o.trace_file, o.svg_file));
  }
  return run.missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
