// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/pool_rule.hpp>

namespace takt {

namespace detail {

template <class Platform>
inline constexpr bool has_pool_rules = false;
template <class... Pools>
inline constexpr bool has_pool_rules<platform<Pools...>> = (PoolRule<typename Pools::rule_type> && ...);

template <class T>
inline constexpr bool is_typed_set = false;
template <class... Tasks>
inline constexpr bool is_typed_set<task_set<Tasks...>> = !task_set<Tasks...>::on_accelerator;

/// Stops compilation where the bounds of single pools are needed and not there.
template <bool Included>
struct bounds_of_pools {
  static constexpr bool included = Included;
  static_assert(Included,
                "takt: no published method knows these rules together, or a chain visits an own resource; include "
                "<takt/compose.hpp>, which proves it from the pools. See docs/errors.md#E85");
};

}  // namespace detail

/// Tasks and a platform that are proven and simulated from the rules of the pools one by one, since no method is known
/// for the whole: every pool has a rule of its own kind, or a chain visits a resource of its own.
template <class P, class T>
concept ComposedBoard =
    Platform<P> && detail::has_pool_rules<P> && detail::is_typed_set<T> && (T::has_own_visits || !KnownComposition<P>);

}  // namespace takt
