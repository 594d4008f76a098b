// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/study/interruption.hpp>

#include "../command.hpp"
#include "../observe.hpp"
#include "live.hpp"

namespace takt::program {

namespace {

constexpr ticks longest_run = 3'600'000'000'000;
constexpr std::int64_t periods_beside = 20;
constexpr double most_events_beside = 400e3;

/// How long to run, on a device that this program has.
[[nodiscard]] auto run_length(const run_command_options& o) -> duration {
  if (o.device == "cuda") {
    throw environment_error{"--device cuda: this program was built without CUDA: use --device emulated"};
  }
  const ticks length = option_time("--for", o.length);
  if (length > longest_run) {
    throw input_error{"--for", fmt::format("{} is too long", report::format_duration(length)), "at most 3600s"};
  }
  return duration{length};
}

/// Throws where the system did not give what a run needs, or the device failed.
void require_surroundings(const report::observation_summary& s) {
  if (s.seen.ended == observation_status::no_threads) {
    throw environment_error{"the system gives too few threads for this run: fewer tasks, or a higher limit"};
  }
  if (s.seen.ended == observation_status::device_failed) {
    throw environment_error{
        fmt::format("the device failed after {}: {}", report::format_duration(s.seen.end), s.device_fault)};
  }
}

/// Whether there is nothing that a thread of a run has to do.
[[nodiscard]] auto uses_no_cpu(const workload_file& file) -> bool {
  return std::ranges::none_of(file.tasks.visits, [](const runtime_visit& v) {
    return v.where == resource_kind::processor && (v.time.upper > 0 || v.wcet > 0);
  });
}

/// The same tasks under the same plan in virtual time, with the longest execution times.
[[nodiscard]] auto beside(const task_set_file& file) -> report::observation_summary {
  const duration wanted = duration{file.longest_period()} * periods_beside;
  const double share = most_events_beside / file.run_size_until(wanted).events;
  const auto horizon = static_cast<ticks>(static_cast<double>(wanted.count()) * std::min(share, 1.0));
  return simulated(file, {.horizon = duration{horizon}}, "--for", nullptr);
}

/// The run, with what it sees on standard error while nobody waits for JSON. SIGINT and SIGTERM end it.
[[nodiscard]] auto watched(const task_set_file& file, const run_command_options& o, duration length,
                           const report::verdict_summary& proven, trace* kept) -> report::observation_summary {
  const studies::interruption signals;
  runtime::run_watch watch{proven.tasks.size()};
  runtime::run_options options{.length = length, .seed = o.seed, .at_violation = o.at_violation};
  options.stop = &signals.asked();
  options.watch = &watch;
  std::optional<live_report> shown;
  if (!o.json) { shown.emplace(watch, proven); }
  return file.observe(std::move(options), kept);
}

}  // namespace

auto run_command(const run_command_options& o) -> exit_code {
  const duration length = run_length(o);
  task_set_file file{o.file, o.wishes};
  try_files({o.file}, o.keep.files());
  require_bearable(file, length, "--for", o.keep.wanted());
  const auto& proven = file.judge(o.ask);
  // What about this machine can disturb a run on the emulated device, which uses its CPUs only.
  std::vector<std::string> notes = runtime::notes_on(runtime::check_machine(runtime::parts_used::cpus));
  trace recorded;
  const report::observation_summary seen = watched(file, o, length, proven, o.keep.wanted() ? &recorded : nullptr);
  if (seen.seen.error) { throw file.refuse(seen.seen.error); }
  require_surroundings(seen);
  report::run_summary run = report::summarize(seen.seen, proven);
  report::compare_with(run, beside(file).seen);
  run.void_bounds = seen.void_bounds;
  if (!run.void_bounds.empty()) { notes.push_back(report::void_bounds_words(run.void_bounds)); }
  run.on_clock_alone = uses_no_cpu(file.workload());
  const written_files written = write_pictures(recorded, file, proven, seen, o.keep);

  if (!seen.first_violation.empty()) { notes.push_back("first violation: " + seen.first_violation); }
  if (run.on_clock_alone) {
    notes.emplace_back(
        "no CPU segments: the run is on the clock alone, and does not show when this machine stands still");
  }
  if (seen.stopped) {
    notes.emplace_back(ends_run(o.at_violation) && !seen.first_violation.empty() ? "stopped: at the first violation"
                                                                                 : "stopped: by a signal");
  }
  notes.insert(notes.end(), seen.notes.begin(), seen.notes.end());
  const auto said = words_of_file(file.workload());
  notes.insert(notes.end(), said.begin(), said.end());
  run.notes = std::move(notes);
  if (o.json) {
    for (const std::string& fault : written.faults()) { run.notes.push_back(fault); }
    report::write_run_json(std::cout, run);
  } else {
    const std::string took = report::format_duration(seen.seen.end);
    const std::string whole = report::format_duration(length.count());
    print_run(fmt::format("ran for {} on the {} device, execution times drawn from their bounds, seed {}",
                          seen.stopped ? fmt::format("{} of {}", took, whole) : whole, o.device, o.seed),
              "run", run, proven, o.keep, written);
  }
  written.require_all();
  return run.missed() ? exit_code::missed : exit_code::ok;
}

}  // namespace takt::program
