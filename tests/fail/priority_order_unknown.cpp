// EXPECT: takt: a choice is none of those that its type names
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/tags.hpp>

#ifdef TAKT_FIXED
constexpr auto order = takt::priority_order::rate_monotonic;
#else
constexpr auto order = static_cast<takt::priority_order>(9);
#endif
constexpr auto rule = takt::nonpreemptive(takt::fixed_priority_rule<order>{});
