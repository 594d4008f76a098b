// EXPECT: takt: a choice is none of those that its type names
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/tags.hpp>

#ifdef TAKT_FIXED
constexpr auto order = takt::token_order::ck_omlp;
#else
constexpr auto order = static_cast<takt::token_order>(9);
#endif
constexpr auto rule = takt::locked(takt::token_order_rule<order>{}, 2);
