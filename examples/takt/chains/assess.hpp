// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <takt/allocation/search.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/report/verdict_summary.hpp>

#include "../question.hpp"
#include "task_file.hpp"

namespace takt::program {

using file_plan = allocation<max_tasks>;

/// Everything that is known of a file.
struct assessment {
  analysis_method method = analysis_method::rtgpu_best;
  report::verdict_summary summary;  ///< tasks in the order of the file
  file_plan plan;
  file_table table;          ///< in priority order
  bool dedicated = true;     ///< whether each task has SMs of its own, as the file says
  bool plan_matters = true;  ///< false where every kernel has all SMs
};

/// Answers for a file. Throws `input_error` when the model does not fit the analysis.
[[nodiscard]] auto assess(const task_file& file, const question& q) -> std::unique_ptr<assessment>;

enum class plan_search_outcome : std::uint8_t { none, found, undecided };

/// Whether some plan passes the analysis, for a table in the order of the file that stands in for the file's own.
/// Undecided after a limited effort.
[[nodiscard]] auto look_for_plan(const task_file& file, const file_table& table, const question& q)
    -> plan_search_outcome;

}  // namespace takt::program
