// EXPECT: "map"
// EXPECT: takt: a kernel takes no time
// TAKT-TEST: WAMP-23 an application that takes no time does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto row = takt::scaling_wcet(261_ms);
#else
constexpr auto row = takt::scaling_wcet(0_ms);
#endif
constexpr auto avionics =
    takt::application_set(takt::application("map", takt::period(1_s), takt::share_priority(2), row));
