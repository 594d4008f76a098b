// EXPECT: takt: an application says the same thing twice
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto map = takt::application("map", takt::period(1_s), takt::deadline(500_ms), takt::scaling_wcet(261_ms));
#else
constexpr auto map = takt::application("map", takt::period(1_s), takt::period(500_ms), takt::scaling_wcet(261_ms));
#endif
