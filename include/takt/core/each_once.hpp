// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Says how often a type stands in a list.
template <class T, class... List>
inline constexpr std::size_t times_among = (std::size_t{std::same_as<T, List>} + ... + 0);

/// Says whether a type stands in a list.
template <class T, class... List>
inline constexpr bool is_among = times_among<T, List...> > 0;

/// Says whether no type stands twice in a list.
template <class... List>
inline constexpr bool each_once = ((times_among<List, List...> == 1) && ...);

}  // namespace takt::inline TAKT_ABI::detail
