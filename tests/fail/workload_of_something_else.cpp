// EXPECT: takt: a workload takes tasks, graphs, sets and tables of them
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto plan = takt::task("plan", takt::period(15_ms), takt::cpu(2_ms));
#ifdef TAKT_FIXED
constexpr auto all = takt::workload(plan);
#else
constexpr auto all = takt::workload(plan, takt::cpu(1_ms));
#endif
