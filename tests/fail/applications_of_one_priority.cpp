// EXPECT: "track"
// EXPECT: takt: two tasks have the same priority
// TAKT-TEST: WAMP-23 applications of one priority do not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto lower = takt::share_priority(1);
#else
constexpr auto lower = takt::share_priority(2);
#endif
constexpr auto avionics = takt::application_set(
    takt::application("map", takt::period(1_s), takt::share_priority(2), takt::scaling_wcet(261_ms)),
    takt::application("track", takt::period(2_s), lower, takt::scaling_wcet(356_ms)));
