// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/methods/demand/concepts.hpp>
#include <takt/model/accelerator.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// A processor that serves these tasks only.
template <ExactNumber Number>
struct dedicated_processor {
  using number = Number;

  [[nodiscard]] constexpr auto supply(const Number& t) const -> Number { return t; }
  [[nodiscard]] constexpr auto time_for(const Number& work, Number& out) const -> bool {
    out = work;
    return true;
  }
  /// Returns how much of that time is without supply.
  [[nodiscard]] constexpr auto gaps_in(const Number& /*work*/) const -> Number { return Number(0); }
  [[nodiscard]] constexpr auto rate_of_supply() const -> rate<Number> { return {Number(1), Number(1)}; }
  [[nodiscard]] constexpr auto share() const -> fraction_of<Number> { return fraction_of<Number>(1); }
  [[nodiscard]] constexpr auto lag() const -> Number { return Number(0); }
  [[nodiscard]] constexpr auto repeats(Number& /*length*/) const -> bool { return true; }
};

}  // namespace detail

/// A slot at a fixed place in every period, seen from any phase: no window longer than period - budget is without it.
/// Source: Zahaf and Lipari 2020, Eq. 9. (A server whose budget floats is blacked out for up to twice as long.)
/// Pre: 0 < budget <= period.
template <ExactNumber Number>
class static_slot {
 public:
  using number = Number;

  constexpr explicit static_slot(const slot_reservation<Number>& slot) : budget_{slot.budget}, period_{slot.period} {
    TAKT_EXPECTS(Number(0) < budget_ && !(period_ < budget_));
  }
  constexpr static_slot(const Number& budget, const Number& period) : budget_{budget}, period_{period} {
    TAKT_EXPECTS(Number(0) < budget_ && !(period_ < budget_));
  }

  [[nodiscard]] constexpr auto blackout() const -> Number { return period_ - budget_; }
  [[nodiscard]] constexpr auto supply(const Number& t) const -> Number {
    const Number whole = number_traits<Number>::floor_quotient(t, period_);
    const Number rest = t - whole * period_;
    const Number full = whole * budget_;
    return blackout() < rest ? Number(full + (rest - blackout())) : full;
  }
  [[nodiscard]] constexpr auto time_for(const Number& work, Number& out) const -> bool {
    const Number full = takt::detail::ceil_quotient(work, budget_) - Number(1);
    Number start{};
    return takt::detail::multiply_exactly(full, period_, start) &&
           add_exactly(start, Number(blackout() + (work - full * budget_)), out);
  }
  /// Returns how much of that time is outside of slots.
  [[nodiscard]] constexpr auto gaps_in(const Number& work) const -> Number {
    return takt::detail::ceil_quotient(work, budget_) * blackout();
  }
  [[nodiscard]] constexpr auto rate_of_supply() const -> rate<Number> { return {budget_, period_}; }
  [[nodiscard]] constexpr auto share() const -> fraction_of<Number> { return quotient(budget_, period_); }
  [[nodiscard]] constexpr auto lag() const -> Number { return budget_ < blackout() ? budget_ : blackout(); }
  [[nodiscard]] constexpr auto repeats(Number& length) const -> bool {
    return common_multiple(Number(length), period_, length);
  }

 private:
  Number budget_;
  Number period_;
};

/// The straight line below the supply of a static slot, 0 during its blackout. Source: Zahaf and Lipari 2020, Eq. 10.
/// Pre: 0 < budget <= period.
template <ExactFraction Number>
class linear_slot {
 public:
  using number = Number;

  constexpr explicit linear_slot(const slot_reservation<Number>& slot)
      : share_{slot.budget / slot.period}, blackout_{slot.period - slot.budget}, period_{slot.period} {
    TAKT_EXPECTS(Number(0) < slot.budget && !(slot.period < slot.budget));
  }

  [[nodiscard]] constexpr auto supply(const Number& t) const -> Number {
    return blackout_ < t ? Number(share_ * (t - blackout_)) : Number(0);
  }
  [[nodiscard]] constexpr auto time_for(const Number& work, Number& out) const -> bool {
    out = blackout_ + work / share_;
    return is_number(out);
  }
  [[nodiscard]] constexpr auto rate_of_supply() const -> rate<Number> { return {share_, Number(1)}; }
  [[nodiscard]] constexpr auto share() const -> Number { return share_; }
  [[nodiscard]] constexpr auto lag() const -> Number { return share_ * blackout_; }
  [[nodiscard]] constexpr auto repeats(Number& length) const -> bool {
    return common_multiple(Number(length), period_, length);
  }

 private:
  Number share_;
  Number blackout_;
  Number period_;
};

}  // namespace takt::inline TAKT_ABI::analysis
