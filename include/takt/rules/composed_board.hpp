// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/model/accelerator.hpp>
#include <takt/model/graph/graph_visits.hpp>
#include <takt/model/kernel_facts.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/graph/board.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Holds for a rule whose declarations are those of a `PoolRule`. Whether its server is one is asked where stations are
/// made, so that no other code needs the bodies of servers.
template <class R>
concept NamesServer = RuleTag<R> && requires(const R rule, std::int32_t units) {
  { R::name } -> std::convertible_to<std::string_view>;
  requires JobPriority<std::remove_cvref_t<decltype(rule.job_order(units))>>;
  typename std::type_identity<decltype(rule.template make_server<8>(units))>;
};

/// Every question about a board asks this first, so none is answered without the checks of its resources.
template <class Platform>
inline constexpr bool has_pool_rules = false;
template <class... Pools>
inline constexpr bool has_pool_rules<platform<Pools...>> =
    (board_checks<typename Pools::resource_type>::passed && ...) && (NamesServer<typename Pools::rule_type> && ...);

/// Boards that are an accelerator and nothing else have methods of their own, and run kernels only.
template <class P>
inline constexpr bool is_accelerator_alone = P::pool_count == 1 && P::template count_of<accelerator_resource> == 1;

}  // namespace detail

/// Tasks of any spelling and a platform, proven and simulated from the rules of the pools one by one: no method is
/// known for the whole. Every pool has a rule of its own kind, or a task says what only rules of pools read.
template <class P, class T>
concept ComposedBoard =
    Platform<P> && detail::has_pool_rules<P> && VisitSource<T> &&
    (!detail::is_accelerator_alone<P> || AcceleratorTaskSet<T>) &&
    (visit_source<T>::needs_pools || P::template count_of<accelerator_resource> > 0 || !detail::taken_as_a_whole<P, T>);

namespace detail {

template <class P>
inline constexpr bool composition_is_of_pools = false;
template <KnownComposition P>
inline constexpr bool composition_is_of_pools<P> = composition_of<P>.of_pools;

/// Tasks that hosts know as a whole, of which rules of the pools say the same: chains, and kernels on an accelerator.
template <class P, class T>
concept IsOfPools =
    has_pool_rules<P> && VisitSource<T> &&
    ((composition_is_of_pools<P> && !AcceleratorTaskSet<T>) || (is_accelerator_alone<P> && AcceleratorTaskSet<T>));

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
