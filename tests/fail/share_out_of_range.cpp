// EXPECT: takt: a share is not from 0 to 100 per cent
// TAKT-TEST: WAMP-01 a constant share above 100 does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#ifdef TAKT_FIXED
constexpr takt::share all{100};
#else
constexpr takt::share all{101};
#endif
