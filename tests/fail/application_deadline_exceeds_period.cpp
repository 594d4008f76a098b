// EXPECT: "map"
// EXPECT: takt: a deadline exceeds its period
// TAKT-TEST: WAMP-23 an application whose deadline exceeds its period does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto due = takt::deadline(1_s);
#else
constexpr auto due = takt::deadline(1001_ms);
#endif
constexpr auto avionics = takt::application_set(
    takt::application("map", takt::period(1_s), due, takt::share_priority(2), takt::scaling_wcet(261_ms)));
