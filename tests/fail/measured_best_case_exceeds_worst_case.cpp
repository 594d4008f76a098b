// EXPECT: segment\[1\].*"planner"
// EXPECT: takt: a best case exceeds its worst case
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto law =
    takt::measured(takt::interval<takt::duration>{2_ms, 4_ms}, takt::interval<takt::duration>{1_ms, 2_ms});
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms), takt::kernel(law), takt::cpu(1_ms)));
#else
constexpr auto law =
    takt::measured(takt::interval<takt::duration>{2_ms, 4_ms}, takt::interval<takt::duration>{3_ms, 2_ms});
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms), takt::kernel(law), takt::cpu(1_ms)));
#endif
