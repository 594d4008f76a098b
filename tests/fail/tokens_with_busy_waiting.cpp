// EXPECT: takt: no bound is known for this rule on the virtual_sms pool beside busy_waiting
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>
#include <takt/tokens.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto rule = takt::fixed_priority;
#else
constexpr auto rule = takt::busy_waiting(takt::fixed_priority);
#endif
constexpr auto other =
    takt::platform(takt::pool(takt::processors(1), rule), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(2, 2), takt::locked(takt::r2dglp_order, 2)));
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1), takt::published_methods);
