// EXPECT: "logging"
// EXPECT: takt: a non-preemptive task has two CPU segments in a row
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto cores = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
#ifdef TAKT_FIXED
constexpr auto how = takt::task_preemption::cooperative;
#else
constexpr auto how = takt::task_preemption::nonpreemptive;
#endif
constexpr auto tasks = takt::task_set(
    takt::task("logging", takt::period(15_ms), takt::preemptible(how), takt::cpu(2_ms), takt::cpu(1_ms)));
constexpr auto verdict = takt::analyze(cores, tasks);
