// EXPECT: visit_time_is_known<.*federated.*wcet_work_grid_or_wcet_by_share
// EXPECT: takt: the rule of a pool cannot tell how long this visit takes
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto known = takt::work(8_ms);
#else
constexpr auto known = takt::takes(2_ms);
#endif
constexpr auto other =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::virtual_sms(4, 2), takt::federated));
constexpr auto tasks = takt::task_set(
    takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(known, takt::preemption_cost(1_ms))));
constexpr auto verdict = takt::analyze(other, tasks);
