// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>

#include "command.hpp"
#include "observe.hpp"

namespace takt::program {

namespace {

/// What was proven and is not so in virtual time is a fault of takt.
void require_no_contradiction(const report::run_summary& run, const report::verdict_summary& proven) {
  for (std::size_t i = 0; i < run.tasks.size(); ++i) {
    const report::task_run& t = run.tasks[i];
    if ((t.bound.exists && !t.within) || (proven.tasks[i].meets && t.misses > 0)) {
      throw environment_error{
          fmt::format("{} responds later than is proven: this is a fault of takt, please report it", t.name)};
    }
  }
}

/// In their order.
[[nodiscard]] auto stalls_of(const std::vector<std::string>& ranges) -> std::vector<stall> {
  std::vector<stall> out;
  for (const std::string& text : ranges) {
    const auto [from, to] = option_range("--stopped", text);
    if (from == to) { throw input_error{"--stopped", fmt::format("{} has no length", text), "two different times"}; }
    out.push_back({from, to - from});
  }
  std::ranges::sort(out, {}, &stall::begin);
  if (!are_apart(out)) { throw input_error{"--stopped", "ranges touch", "ranges that lie apart"}; }
  return out;
}

}  // namespace

auto simulate_command(const simulate_options& o) -> exit_code {
  const std::vector<stall> stalls = stalls_of(o.stopped);
  task_set_file file{o.file, o.wishes};
  const simulation_options options{.horizon = duration{option_time("--horizon", o.horizon)},
                                   .releases = o.releases,
                                   .execution = o.execution,
                                   .seed = o.seed,
                                   .stalls = stalls};
  try_files({o.file}, o.keep.files());
  require_bearable(file, options.horizon, "--horizon", o.keep.wanted());
  const auto& proven = file.judge(o.ask);
  trace recorded;
  const report::observation_summary seen = simulated(file, options, "--horizon", o.keep.wanted() ? &recorded : nullptr);
  report::run_summary run = report::summarize(seen.seen, proven);
  const written_files written = write_pictures(recorded, file, proven, seen, o.keep);

  const std::string how =
      fmt::format("{} of virtual time, releases {}, execution times {}, seed {}",
                  report::format_duration(options.horizon.count()), name_of(o.releases), name_of(o.execution), o.seed);
  run.notes = seen.notes;
  run.void_bounds = seen.void_bounds;
  if (!run.void_bounds.empty()) { run.notes.push_back(report::void_bounds_words(run.void_bounds)); }
  if (o.json) {
    run.notes.insert(run.notes.begin(), proven.notes.begin(), proven.notes.end());
    run.notes.push_back(how);
    for (const std::string& fault : written.faults()) { run.notes.push_back(fault); }
    report::write_run_json(std::cout, run);
  } else {
    const auto said = words_of_file(file.workload());
    run.notes.insert(run.notes.end(), said.begin(), said.end());
    print_run("simulated: " + how, "simulation", run, proven, o.keep, written);
  }
  if (stalls.empty()) { require_no_contradiction(run, proven); }
  written.require_all();
  return run.missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
