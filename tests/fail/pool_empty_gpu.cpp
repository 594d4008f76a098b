// EXPECT: takt: the size of a pool is out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto platform = takt::platform(cores, takt::pool(takt::virtual_sms(1, 2), takt::federated));
#else
constexpr auto platform = takt::platform(cores, takt::pool(takt::virtual_sms(0, 2), takt::federated));
#endif
