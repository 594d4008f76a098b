// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/search.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_table.hpp>

namespace takt::program::sweep {

/// Large enough for the published experiments: 7 tasks of 5 or 5 tasks of 7 subtasks, 12 tasks of 5.
inline constexpr std::size_t most_tasks = 16;
using study_table = task_table<ticks, most_tasks, most_tasks * 17>;
using study_plan = allocation<most_tasks>;

/// The tests of Zou et al. 2021, section 6, and takt's own. The baselines are the same platform with one rule
/// exchanged.
enum class method : std::uint8_t { rtgpu, takt, self_suspension, busy_waiting, enhanced_mpcp };

/// Looks for a plan with the method as its test: depth first, so that a plan is found whenever there is one. Gives up
/// after `effort` task analyses, which the plan says. Pre: `table` is in deadline-monotonic order.
[[nodiscard]] auto find_plan(method m, const study_table& table, const platform_record& platform, std::uint64_t effort)
    -> study_plan;

/// Whether no deadline is missed under the plan when every task is released at once and then periodically, each
/// segment takes its longest time, and releases end after `periods` of the longest period.
[[nodiscard]] auto runs_without_miss(const study_table& table, const platform_record& platform, const study_plan& p,
                                     std::int64_t periods) -> bool;

}  // namespace takt::program::sweep
