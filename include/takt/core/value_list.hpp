// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Values of any types side by side, in the given order.
template <class... Values>
struct value_list {
  static constexpr std::size_t size = 0;
  template <class F>
  constexpr void each(const F& /*f*/) const {}
};
template <class First, class... Rest>
struct value_list<First, Rest...> {
  static constexpr std::size_t size = 1 + sizeof...(Rest);
  First first;
  value_list<Rest...> rest;

  /// Calls f with each value.
  template <class F>
  constexpr void each(const F& f) const {
    f(first);
    rest.each(f);
  }
};

[[nodiscard]] constexpr auto list_of() noexcept -> value_list<> { return {}; }
template <class First, class... Rest>
[[nodiscard]] constexpr auto list_of(const First& first, const Rest&... rest) -> value_list<First, Rest...> {
  return {first, list_of(rest...)};
}

}  // namespace takt::inline TAKT_ABI
