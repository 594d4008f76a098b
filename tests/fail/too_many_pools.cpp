// EXPECT: takt: too many pools
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto many = takt::platform(cores, engine, gpu, gpu, gpu, gpu, gpu, gpu, gpu, gpu);
#else
constexpr auto many = takt::platform(cores, engine, gpu, gpu, gpu, gpu, gpu, gpu, gpu, gpu, gpu);
#endif
