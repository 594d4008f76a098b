// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>

#include "accelerator_commands.hpp"
#include "command.hpp"
#include "counterexample.hpp"
#include "failure.hpp"
#include "observe.hpp"
#include "text_file.hpp"
#include "text_table.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto summary_of(const file_simulation& seen, const assessment& a) -> report::run_summary {
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const simulated_task& t = seen.tasks[i];
    out.tasks.push_back(
        {std::string{t.name}, t.completed, t.misses, t.worst_response, t.mean_response(), proven_bound(a, i)});
  }
  return out;
}

void print_text(const report::run_summary& run, const assessment& a) {
  text_table table{{"task", "jobs", "misses", "deadline ms", "mean ms", "worst ms", "bound ms", "within"}};
  for (const std::uint32_t i : a.summary.priorities) {
    const report::task_run& t = run.tasks[i];
    table.add({t.name, fmt::format("{}", t.jobs), fmt::format("{}", t.misses),
               in_milliseconds(a.summary.tasks[i].deadline), t.jobs > 0 ? in_milliseconds(t.mean_response) : "-",
               t.jobs > 0 ? in_milliseconds(t.worst_response) : "-",
               t.bound.exists ? in_milliseconds(t.bound.value) : "-",
               !t.bound.exists    ? "-"
               : t.within_bound() ? "yes"
                                  : "NO"});
  }
  fmt::print("{}\n", table.text());
}

}  // namespace

auto simulate_command(const simulate_options& o) -> exit_code {
  const std::string text = read_text_file(o.file);
  if (const auto accelerator = read_accelerator_text(text)) { return simulate_accelerator(*accelerator, o); }
  const auto file = read_task_text(o.file, text);
  const duration horizon{option_time("--horizon", o.horizon)};
  const bool traced = !o.trace_file.empty() || !o.svg_file.empty();
  require_bearable(*file, horizon, "--horizon", traced);
  const auto a = assess(*file, o.ask);
  require_plan(*file, *a);
  const simulation_options options{
      .horizon = horizon, .releases = o.releases, .execution = o.execution, .seed = o.seed};
  trace recorded;
  const file_simulation seen = traced ? simulate_table(*file, a->table, a->plan, options, recorded)
                                      : simulate_table(*file, a->table, a->plan, options);
  if (seen.error.fault == model_fault::time_overflow) {
    throw input_error{"--horizon", fmt::format("{} is too far away for this simulation", o.horizon),
                      "a shorter time, and shorter periods", true};
  }
  if (seen.error) { throw explain_fault(*file, seen.error); }
  write_trace_files(recorded, *file, o.trace_file, o.svg_file, file->name);

  report::run_summary run = summary_of(seen, *a);
  const std::string how =
      fmt::format("{} of virtual time, releases {}, execution times {}, seed {}",
                  report::format_duration(horizon.count()), name_of(o.releases), name_of(o.execution), o.seed);
  if (o.json) {
    run.notes = a->summary.notes;
    run.notes.push_back(how);
    report::write_run_json(std::cout, run);
  } else {
    fmt::print("simulated: {}\n", how);
    if (file->table.gpu_tasks() > 0) { fmt::print("plan: {}\n", plan_text(*file, a->plan)); }
    fmt::print("\n");
    print_text(run, *a);
    fmt::print("simulation: {}; verdict of the analysis: {} ({})\n{}", run.missed() ? "missed" : "no miss",
               name_of(a->summary.status), a->summary.analysis, written_files(o.trace_file, o.svg_file));
  }
  for (const report::task_run& t : run.tasks) {
    if (t.bound.exists && !t.within_bound()) {
      throw environment_error{
          fmt::format("{} responds later than its bound: this is a fault of takt, please report it", t.name)};
    }
  }
  return run.missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
