// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "twenty_tasks.hpp"

namespace twenty_tasks {

inline constexpr auto plan = takt::dedicate(0, 0, 0, 2, 3, 2, 2, 2, 2, 2, 0, 2, 2, 1, 2, 0, 3, 2, 2, 0);
using answer = decltype(takt::analysis::analyze_by<takt::chain_methods>(board, tasks.table(), plan));

/// The analysis as a device runs it, on tables that the compiler cannot fold.
auto analyze_at_run_time() -> answer;

}  // namespace twenty_tasks
