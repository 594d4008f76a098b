// EXPECT: takt: the size of a pool is out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#ifdef TAKT_FIXED
constexpr std::int32_t tokens = 2;
#else
constexpr std::int32_t tokens = 3;
#endif
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::virtual_sms(2, 2), takt::locked(takt::ck_omlp_order, tokens)));
