// EXPECT: segment\[1\].*"planner"
// EXPECT: takt: self_interleave\(\) does not hold on shared SMs
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto ratio = takt::interleave(2, 1);
#else
constexpr auto ratio = takt::self_interleave(9, 5);
#endif
constexpr auto shared = takt::platform(cores, engine, takt::pool(takt::virtual_sms(2, 2), takt::federated_virtual));
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms),
                              takt::kernel(takt::work(2_ms), takt::overhead(0_ns), ratio), takt::cpu(1_ms)));
constexpr auto verdict = takt::analyze(shared, tasks, takt::dedicate(1));
