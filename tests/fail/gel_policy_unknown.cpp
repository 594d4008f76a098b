// EXPECT: takt: a choice is none of those that its type names
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/graph/tags.hpp>

#ifdef TAKT_FIXED
constexpr auto policy = takt::gel_policy::fair_lateness;
#else
constexpr auto policy = static_cast<takt::gel_policy>(9);
#endif
constexpr auto rule = takt::clustered(takt::global_rule<policy>{}, 2);
