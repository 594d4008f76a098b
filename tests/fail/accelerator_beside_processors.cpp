// EXPECT: takt: an accelerator stands beside other pools
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto sms = takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf));
#ifdef TAKT_FIXED
constexpr auto platform = takt::platform(sms);
#else
constexpr auto platform = takt::platform(cores, sms);
#endif
