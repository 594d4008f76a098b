// EXPECT: "detect"
// EXPECT: takt: a time is negative
// TAKT-TEST: AP-01 a negative preemption cost does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto kernels = takt::task_set(
    takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms), takt::preemption_cost(0_ms))));
#else
constexpr auto kernels = takt::task_set(takt::task(
    "detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms), takt::preemption_cost(takt::duration{-1}))));
#endif
