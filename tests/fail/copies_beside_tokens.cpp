// EXPECT: takt: no published method knows these rules together
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/takt.hpp>
#else
#include <takt/takt.hpp>
#endif

#include "board.hpp"

constexpr auto tokens = takt::pool(takt::virtual_sms(2, 2), takt::locked(takt::k_fmlp_order, 2));
constexpr auto other = takt::platform(cores, engine, tokens);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera));
