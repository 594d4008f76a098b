// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>

#include "command.hpp"
#include "failure.hpp"
#include "observe.hpp"
#include "text_table.hpp"

namespace takt::program {

namespace {

void print_text(const report::run_summary& run, const judgement& found) {
  text_table table{{"task", "jobs", "misses", "deadline ms", "mean ms", "worst ms", "bound ms", "within"}};
  for (const std::uint32_t i : found.rows) {
    const report::task_run& t = run.tasks[i];
    table.add({t.name, fmt::format("{}", t.jobs), fmt::format("{}", t.misses), deadline_text(found.tasks[i]),
               t.jobs > 0 ? in_milliseconds(t.mean_response) : "-",
               t.jobs > 0 ? in_milliseconds(t.worst_response) : "-",
               t.bound.exists ? in_milliseconds(t.bound.value) : "-",
               !t.bound.exists    ? "-"
               : t.within_bound() ? "yes"
                                  : "NO"});
  }
  fmt::print("{}\n", table.text());
}

/// What was proven and is not so in virtual time is a fault of takt.
void require_no_contradiction(const report::run_summary& run, const judgement& found) {
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const report::task_run& t = run.tasks[i];
    if ((t.bound.exists && !t.within_bound()) || (found.tasks[i].meets && t.misses > 0)) {
      throw environment_error{
          fmt::format("{} responds later than is proven: this is a fault of takt, please report it", t.name)};
    }
  }
}

}  // namespace

auto simulate_command(const simulate_options& o) -> exit_code {
  const auto file = open_file(o.file);
  const duration horizon{option_time("--horizon", o.horizon)};
  const bool traced = !o.trace_file.empty() || !o.svg_file.empty();
  require_bearable(*file, horizon, "--horizon", traced);
  const judgement& found = file->judge(o.ask);
  const simulation_options options{
      .horizon = horizon, .releases = o.releases, .execution = o.execution, .seed = o.seed};
  trace recorded;
  auto run = file->simulate(options, traced ? &recorded : nullptr);
  if (!run) {
    throw input_error{"--horizon", fmt::format("{} is too far away for this simulation", o.horizon),
                      "a shorter time, and shorter periods", true};
  }
  write_trace_files(recorded, *file, o.trace_file, o.svg_file);

  const std::string how =
      fmt::format("{} of virtual time, releases {}, execution times {}, seed {}",
                  report::format_duration(horizon.count()), name_of(o.releases), name_of(o.execution), o.seed);
  if (o.json) {
    run->notes.insert(run->notes.begin(), found.notes.begin(), found.notes.end());
    run->notes.push_back(how);
    report::write_run_json(std::cout, *run);
  } else {
    fmt::print("simulated: {}\n{}\n\n", how, setting_text(*file));
    print_text(*run, found);
    fmt::print("simulation: {}; verdict of the analysis: {} ({})\n", run->missed() ? "missed" : "no miss",
               name_of(found.status), found.analysis);
    for (const std::string& note : run->notes) { fmt::print("  {}\n", note); }
    fmt::print("{}", written_files(o.trace_file, o.svg_file));
  }
  require_no_contradiction(*run, found);
  return run->missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
