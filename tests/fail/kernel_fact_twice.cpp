// EXPECT: takt: a kernel says the same thing twice
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto render = takt::kernel(takt::work(4_ms), takt::wcet(2_ms));
#else
constexpr auto render = takt::kernel(takt::work(4_ms), takt::wcet(2_ms), takt::wcet(3_ms));
#endif
