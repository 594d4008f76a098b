// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/slot_window.hpp>

namespace takt::runtime {

/// No instant at all.
inline constexpr ticks never = std::numeric_limits<ticks>::max();

/// When kernels may run in a slot that recurs from an origin on, as instants.
class slot_clock {
 public:
  slot_clock() = default;
  /// Pre: the slot is without fault, guard >= 0.
  constexpr slot_clock(const slot_reservation<ticks>& slot, ticks guard) noexcept : window_{slot, guard} {}

  /// Pre, here and below: since >= 0.
  [[nodiscard]] constexpr auto is_open(ticks since) const noexcept -> bool { return window_.is_open(since); }
  /// The first instant after `since` at which it opens or closes, or `never`.
  [[nodiscard]] constexpr auto next_edge(ticks since) const noexcept -> ticks {
    const ticks wait = window_.until_edge(since);
    return wait == 0 || since > never - wait ? never : since + wait;
  }

 private:
  slot_window<ticks> window_;
};

}  // namespace takt::runtime
