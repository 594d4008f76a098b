// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::host {

/// Until when visits are held back. Cost: that of the visits, at instants at which one may start.
template <std::size_t V>
class visit_guards {
 public:
  constexpr visit_guards() noexcept {
    for (ticks& at : until_) { at = no_event; }
  }

  constexpr void hold(std::uint32_t v, ticks until) noexcept {
    until_[v] = until;
    next_ = until < next_ ? until : next_;
  }
  /// `next` may name an instant at which nobody starts, until `settle`.
  constexpr void drop(std::uint32_t v) noexcept {
    stale_ = stale_ || until_[v] != no_event;
    until_[v] = no_event;
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks { return next_; }
  [[nodiscard]] constexpr auto until(std::uint32_t v) const noexcept -> ticks { return until_[v]; }
  constexpr void settle(std::size_t visits) noexcept {
    if (!stale_) { return; }
    stale_ = false;
    next_ = no_event;
    for (std::size_t v = 0; v < visits; ++v) { next_ = until_[v] < next_ ? until_[v] : next_; }
  }

 private:
  ticks until_[V];
  ticks next_ = no_event;
  bool stale_ = false;
};

}  // namespace takt::host
