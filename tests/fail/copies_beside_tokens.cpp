// EXPECT: takt: no bound is known for this rule on the copy_engines pool beside locked\(\.\.\.\), .* fifo has one
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto tokens = takt::pool(takt::virtual_sms(2, 2), takt::locked(takt::k_fmlp_order, 2));
#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, takt::pool(takt::copy_engines(1), takt::fifo), tokens);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#else
constexpr auto other = takt::platform(cores, engine, tokens);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#endif
