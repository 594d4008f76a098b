// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/run_watch.hpp>

namespace takt::runtime::detail {

/// What an executor saw of the jobs of tasks, under such choices. Pre: its run is over.
template <class Host, class Choices>
void report_jobs(const Host& host, const Choices& choices, const run_options& options, run_result& result) {
  const auto& seen = host.seen();
  const ticks length = options.length.count();
  result.end = std::min(host.end(), later(length, options.drain.count()));
  result.stopped = host.end() < length;
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

}  // namespace takt::runtime::detail
