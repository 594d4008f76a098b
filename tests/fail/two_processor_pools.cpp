// EXPECT: takt: too many pools
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto platform = takt::platform(cores, engine, gpu);
#else
constexpr auto platform = takt::platform(cores, engine, gpu, cores);
#endif
