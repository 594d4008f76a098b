// EXPECT: "detect"
// EXPECT: takt: preempting a kernel costs more than its own time
// TAKT-TEST: AP-01 a preemption cost above the kernel does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto kernels = takt::task_set(
    takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms), takt::preemption_cost(6_ms))));
#else
constexpr auto kernels = takt::task_set(
    takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms), takt::preemption_cost(7_ms))));
#endif
