// EXPECT: deadline_not_proven<.*"detect".*no_bound.*36000000
// EXPECT: takt: a task is not proven to meet its deadline
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto strategy = takt::levels(takt::edf, takt::preemption_cost_model::ideal);
#else
constexpr auto strategy = takt::levels(takt::edf, takt::preemption_cost_model::overhead);
#endif
constexpr auto sms = takt::platform(takt::pool(takt::accelerator(2, 2), strategy));
constexpr auto kernels = takt::task_set(
    takt::task("detect", takt::period(40_ms), takt::deadline(36_ms),
               takt::kernel(takt::wcet(20_ms), takt::preemption_cost(1_ms))),
    takt::task("map", takt::period(80_ms), takt::kernel(takt::wcet(15_ms), takt::preemption_cost(15_ms))));
constexpr auto verdict = takt::analyze(sms, kernels);
static_assert(takt::require_schedulable<verdict>);
