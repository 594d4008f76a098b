// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>

#include "command.hpp"
#include "observe.hpp"
#include "text_table.hpp"
#include "timed_run.hpp"

namespace takt::program {

namespace {

void print_text(const observation& seen, const judgement& found) {
  text_table table{
      {"task", "jobs", "misses", "observed ms", "simulated ms", "proven ms", "deadline ms", "observed within"}};
  for (const std::uint32_t i : found.rows) {
    const report::task_run& t = seen.run.tasks[i];
    table.add({t.name, fmt::format("{}", t.jobs), fmt::format("{}", t.misses),
               t.jobs > 0 ? in_milliseconds(t.worst_response) : "-",
               seen.simulated[i] ? in_milliseconds(*seen.simulated[i]) : "-",
               t.bound.exists ? in_milliseconds(t.bound.value) : "-", deadline_text(found.tasks[i]),
               !t.bound.exists  ? "-"
               : seen.within[i] ? "yes"
                                : "no"});
  }
  fmt::print("{}\n", table.text());
}

}  // namespace

auto run_command(const run_command_options& o) -> exit_code {
  const duration length = run_length(o);
  const auto file = open_file(o.file);
  require_ability(*file, ability::run);
  const bool traced = !o.trace_file.empty() || !o.svg_file.empty();
  require_bearable(*file, length, "--for", traced);
  const judgement& found = file->judge(o.ask);
  const std::vector<std::string> machine = machine_notes();
  trace recorded;
  observation seen = file->observe(length, o.seed, traced ? &recorded : nullptr);
  write_trace_files(recorded, *file, o.trace_file, o.svg_file);

  report::run_summary& run = seen.run;
  run.notes.insert(run.notes.begin(), machine.begin(), machine.end());
  if (o.json) {
    for (std::size_t i = 0; i < run.tasks.size(); ++i) {
      run.notes.push_back(fmt::format("simulated worst response of {}: {}", run.tasks[i].name,
                                      report::format_duration(seen.simulated[i].value_or(0))));
    }
    report::write_run_json(std::cout, run);
  } else {
    fmt::print("ran for {} on the {} device, execution times drawn from their bounds, seed {}\n{}\n\n",
               report::format_duration(length.count()), o.device, o.seed, setting_text(*file));
    print_text(seen, found);
    fmt::print("run: {}; verdict of the analysis: {} ({})\n", run.missed() ? "missed" : "no miss",
               name_of(found.status), found.analysis);
    for (const std::string& note : run.notes) { fmt::print("  {}\n", note); }
    fmt::print("{}", written_files(o.trace_file, o.svg_file));
  }
  return run.missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
