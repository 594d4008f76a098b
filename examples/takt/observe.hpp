// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/report/run_json.hpp>
#include <takt/simulation/trace.hpp>

#include "assess.hpp"

namespace takt::program {

/// The plan to simulate or run. Throws `input_error` when tasks with kernels outnumber the SMs, as then none exists.
void require_plan(const task_file& file, const assessment& a);

/// The bound of a task that is proven to meet its deadline. Any other bound presumes that no job is late.
[[nodiscard]] auto proven_bound(const assessment& a, std::size_t task) -> response_bound<ticks>;

/// Throws `input_error` when so many releases lie before `horizon` that nobody would wait for them, or when a trace of
/// them would not fit.
void require_bearable(const task_file& file, duration horizon, const std::string& option, bool traced);

/// Writes the files that were asked for; an empty name asks for none. `names` are those of the tasks, in the given
/// order, and `longest` is the longest period.
void write_trace_files(const trace& recorded, std::span<const std::string_view> names, ticks longest,
                       const std::string& trace_file, const std::string& svg_file, const std::string& title);
void write_trace_files(const trace& recorded, const task_file& file, const std::string& trace_file,
                       const std::string& svg_file, const std::string& title);

/// What goes under a table: names of the written files.
[[nodiscard]] auto written_files(const std::string& trace_file, const std::string& svg_file) -> std::string;

}  // namespace takt::program
