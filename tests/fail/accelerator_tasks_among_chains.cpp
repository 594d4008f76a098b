// EXPECT: takt: kernels with wcet\(\) and other tasks are in one set
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto plan = takt::task("plan", takt::period(40_ms), takt::cpu(6_ms));
constexpr auto detect = takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms)));
#ifdef TAKT_FIXED
constexpr auto chains = takt::task_set(plan);
constexpr auto kernels = takt::task_set(detect);
#else
constexpr auto mixed = takt::task_set(plan, detect);
#endif
