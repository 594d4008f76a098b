// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>

namespace takt::inline TAKT_ABI::detail {

/// The time of a slot in which kernels may start a wave: the slot without a guard band at its end.
template <ExactNumber Number>
class slot_window {
 public:
  constexpr slot_window() = default;
  /// Pre: the slot is without fault; guard >= 0.
  constexpr slot_window(const slot_reservation<Number>& slot, const Number& guard)
      : offset_{slot.offset}, length_{slot.budget - guard}, period_{slot.period} {
    TAKT_EXPECTS(Number(0) <= slot.offset && slot.offset < slot.period && Number(0) <= slot.budget &&
                 slot.budget <= slot.period && Number(0) <= guard);
  }

  [[nodiscard]] constexpr auto is_open(const Number& now) const -> bool { return phase(now) < length_; }
  /// Returns the time until it opens or closes; 0 when it never does either.
  [[nodiscard]] constexpr auto until_edge(const Number& now) const -> Number {
    if (!(Number(0) < length_) || length_ == period_) { return Number(0); }
    const Number since = phase(now);
    return since < length_ ? Number(length_ - since) : Number(period_ - since);
  }

 private:
  /// Returns the time since it opened last.
  [[nodiscard]] constexpr auto phase(const Number& now) const -> Number {
    const Number shifted = now < offset_ ? Number(now + (period_ - offset_)) : Number(now - offset_);
    return shifted - number_traits<Number>::floor_quotient(shifted, period_) * period_;
  }

  Number offset_{};
  Number length_{};
  Number period_ = Number(1);
};

}  // namespace takt::inline TAKT_ABI::detail
