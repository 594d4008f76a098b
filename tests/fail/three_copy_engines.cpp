// EXPECT: takt: the size of a pool is out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto engines = takt::pool(takt::copy_engines(2), takt::nonpreemptive(takt::fixed_priority));
#else
constexpr auto engines = takt::pool(takt::copy_engines(3), takt::nonpreemptive(takt::fixed_priority));
#endif
constexpr auto platform = takt::platform(cores, engines, gpu);
