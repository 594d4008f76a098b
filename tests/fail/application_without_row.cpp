// EXPECT: takt: an application takes one wcet_row
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto map = takt::application("map", takt::period(1_s), takt::share_priority(2), takt::scaling_wcet(261_ms));
#else
constexpr auto map = takt::application("map", takt::period(1_s), takt::share_priority(2), takt::cpu(261_ms));
#endif
