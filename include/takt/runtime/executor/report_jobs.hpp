// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/rights.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/runtime/trace_buffer.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Passes from the last request of a run to its start, so that all threads are there.
inline constexpr ticks start_lead = 5'000'000;

/// Asks the system for what a run needs, as its options want it. A dispatcher at priority `own` gives threads what
/// `gives` says; `others`: see `rights::be_real_time`.
inline void ask_system(rights& asked, const run_options& options, bool is_pinned, int own, const std::string& gives,
                       std::function<bool(bool above)> others, run_result& result) {
  const auto ask = [&result](bool wanted, const char* what, const auto& request) {
    if (!wanted) { result.notes.push_back(std::string{what} + ": left as it is, as asked"); }
    return wanted && request();
  };
  result.granted.pinned = ask(options.pin_to_cores, "affinity", [&] {
    if (is_pinned) { return asked.pin(); }
    result.notes.emplace_back("affinity: not pinned, because no task has a thread of its own");
    return false;
  });
  result.granted.memory_locked = ask(options.lock_memory, "memory", [&] { return asked.lock_memory(); });
  result.granted.real_time = ask(options.real_time, "scheduling", [&] {
    return asked.be_real_time(own, "a dispatcher above all threads gives " + gives,
                              ": a dispatcher gives " + gives + ", but other work may delay threads",
                              std::move(others));
  });
  result.granted.clock_resolution = clock_resolution();
  result.notes.push_back("clock: CLOCK_MONOTONIC, resolution " + std::to_string(result.granted.clock_resolution) +
                         "ns");
}

/// Passes a trace on to a recorder.
template <TraceRecorder Recorder>
void replay_kept(const trace_buffer& trace, Recorder& recorder, run_result& result) {
  trace.replay(recorder);
  if (const std::uint64_t lost = trace.lost(); lost > 0) {
    result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing");
  }
}

/// Reports what an executor saw of the jobs of tasks, under such choices. Pre: its run is over.
template <class Host, class Choices>
void report_jobs(const Host& host, const Choices& choices, const run_options& options, run_result& result) {
  const auto& seen = host.seen();
  const ticks length = options.length.count();
  result.end = std::min(host.end(), later(length, options.drain.count()));
  result.stopped = host.end() < length;
  result.void_bounds = choices.void_bounds(result.end);
  const violation_log& violations = choices.violations();
  result.first_violation = violations.first();
  for (std::size_t v = 0; v < seen.visit_responses.size(); ++v) {
    result.visit_responses.push_back(choices.response(v));
  }
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& from = seen.tasks[i];
    observed_task<ticks, std::string> row = choices.seen(i);
    row.name = from.name;
    row.unfinished = host.released(i) - from.completed;
    row.released = row.completed + row.skipped + row.unfinished;
    row.first_visit = from.first_visit;
    row.visit_count = from.visit_count;
    row.within_bound = !violations.any_of(i);
    row.has_bound = violations.bound_of(i).exists;
    if (row.has_bound) { row.bound = violations.bound_of(i).value; }
    result.tasks.push_back(std::move(row));
  }
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
