// EXPECT: takt: a node says the same thing twice
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto in = takt::node("in", takt::parallelism(1), takt::cpu(2_ms));
#else
constexpr auto in = takt::node("in", takt::parallelism(1), takt::parallelism(2), takt::cpu(2_ms));
#endif
