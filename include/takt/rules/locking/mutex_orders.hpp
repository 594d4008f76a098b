// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI {

/// One token, which the most important waiting job gets, and whose holder inherits its priority: the mutex of operating
/// systems.
struct priority_mutex_rule {
  static constexpr std::string_view name = "priority mutex";
  static constexpr bool inherits = true;
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& /*at*/) noexcept -> priority_mutex<Clients> {
    return {};
  }
};

/// A mutex of one processor: its holder inherits the priority of those who wait, the most important of whom comes next.
/// Source: Sha, Rajkumar and Lehoczky 1990.
struct priority_inheritance_rule {
  static constexpr std::string_view name = "priority inheritance";
  static constexpr bool local = true;
  static constexpr bool inherits = true;
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& /*at*/) noexcept -> priority_mutex<Clients> {
    return {};
  }
};

/// A mutex of one processor whose holder runs at the best priority of its users from the start, so that no job ever
/// finds it taken. Where priorities change from job to job, as under EDF, no job preempts the holder.
/// Source: Sha, Rajkumar and Lehoczky 1990, as the immediate protocol; Baker 1991.
struct priority_ceiling_rule {
  static constexpr std::string_view name = "priority ceiling";
  static constexpr bool local = true;
  static constexpr bool raises_to_ceiling = true;
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const token_setting& /*at*/) noexcept -> priority_mutex<Clients> {
    return {};
  }
};

inline constexpr priority_mutex_rule priority_mutex_order{};
inline constexpr priority_inheritance_rule priority_inheritance_order{};
inline constexpr priority_ceiling_rule priority_ceiling_order{};

}  // namespace takt::inline TAKT_ABI
