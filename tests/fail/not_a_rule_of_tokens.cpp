// EXPECT: takt: this is no rule of tokens
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/tags.hpp>

#ifdef TAKT_FIXED
constexpr auto order = takt::k_fmlp_order;
#else
constexpr auto order = takt::fifo;
#endif
constexpr auto rule = takt::locked(order, 2);
