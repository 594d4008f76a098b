// EXPECT: takt: no bound is known for this rule on the copy_engines pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto order = takt::rate_monotonic;
#else
constexpr auto order = takt::deadline_monotonic;
#endif
constexpr auto mixed = takt::platform(takt::pool(takt::processors(1), takt::rate_monotonic),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(order)), gpu);
constexpr auto verdict = takt::analyze(mixed, takt::task_set(camera), takt::dedicate(1));
