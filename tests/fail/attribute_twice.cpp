// EXPECT: takt: a task says the same thing twice
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto camera = takt::task("camera", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(2_ms));
#else
constexpr auto camera = takt::task("camera", takt::period(33_ms), takt::period(30_ms), takt::cpu(2_ms));
#endif
