// EXPECT: "detect"
// EXPECT: takt: a task is on a core that the platform lacks
// TAKT-TEST: AP-01 a kernel on a core that the accelerator lacks does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto sms = takt::platform(takt::pool(takt::accelerator(2, 2), takt::gang(takt::edf)));
#ifdef TAKT_FIXED
constexpr auto where = takt::on_sm(1);
#else
constexpr auto where = takt::on_sm(2);
#endif
constexpr auto kernels =
    takt::task_set(takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms), where)));
constexpr auto verdict = takt::analyze(sms, kernels);
