// SPDX-License-Identifier: Apache-2.0
// Analyses read of takt's servers what is declared of them; their bodies agree.

#include <takt/rules/pool_rule.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/servers/forward.hpp>

namespace {

template <class S>
inline constexpr bool says_least_points = requires { requires S::starts_least_points; };
template <class S>
inline constexpr bool says_apart = requires { requires S::serves_tasks_apart; };

template <class S>
inline constexpr bool agrees = takt::detail::is_declared_server<S> && takt::PoolServer<S> &&
                               takt::detail::starts_least_points<S> == says_least_points<S> &&
                               takt::detail::serves_tasks_apart<S> == says_apart<S> &&
                               takt::detail::is_unit_server<S> == takt::detail::Reprioritizes<S>;

static_assert(agrees<takt::unit_server<true, 4>> && agrees<takt::unit_server<false, 4>>);
static_assert(agrees<takt::dedicated_server<4>>);
static_assert(agrees<takt::time_slice_server<4>>);
static_assert(agrees<takt::kernel_server<takt::level_stack<4>, 1, 4>>);
static_assert(agrees<takt::kernel_server<takt::slotted_cores<4, 4>, 5, 1>>);
static_assert(agrees<takt::kernel_server<takt::event_driven_gang<4, 4>, 5, 1>>);
static_assert(agrees<takt::block_queue_server<4, 8, 64>>);
static_assert(agrees<takt::share_server<4, 4>>);

}  // namespace
