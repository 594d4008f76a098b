// EXPECT: takt: a visit says the same thing twice
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
struct npu {};
constexpr auto detect = takt::visit<npu>(takt::takes(3_ms));
#else
struct npu {};
constexpr auto detect = takt::visit<npu>(takt::takes(2_ms), takt::takes(3_ms));
#endif
