// EXPECT: "detect"
// EXPECT: takt: a kernel takes no time
// TAKT-TEST: AP-01 a kernel without time does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto kernels = takt::task_set(takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(1_ns))));
#else
constexpr auto kernels = takt::task_set(takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(0_ms))));
#endif
