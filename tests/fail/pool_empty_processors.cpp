// EXPECT: takt: the size of a pool is out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto platform = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
#else
constexpr auto platform = takt::platform(takt::pool(takt::processors(0), takt::fixed_priority));
#endif
