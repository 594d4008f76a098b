// EXPECT: takt: no bound is known for this rule on the accelerator pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto kernels = takt::task_set(takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms))));
#ifdef TAKT_FIXED
constexpr auto sms = takt::platform(takt::pool(takt::accelerator(2, 2), takt::nonpreemptive(takt::edf)));
#else
constexpr auto sms = takt::platform(takt::pool(takt::accelerator(2, 2), takt::whole_gpu));
#endif
constexpr auto verdict = takt::analyze(sms, kernels);
