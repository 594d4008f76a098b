// EXPECT: takt: this question looks for a plan by a method of chains; include <takt/allocation/allocate_chains.hpp>
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/allocation/allocate_chains.hpp>
#endif
#include <takt/analysis/judge_known.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>

#include "board.hpp"

constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(4_ms)));
constexpr auto verdict =
    takt::analyze(takt::platform(cores), tasks, takt::methods<takt::analysis::fixed_priority_method>{});
