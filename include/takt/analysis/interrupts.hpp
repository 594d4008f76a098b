// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/exact.hpp>
#include <takt/model/overheads.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Says which CPUs take a cluster's timer interrupts.
enum class interrupt_handling : std::uint8_t {
  shared,    ///< the cluster's own: each preemption of a job may be interrupted anew
  shielded,  ///< another one
};
[[nodiscard]] constexpr auto last_of(interrupt_handling) noexcept -> interrupt_handling {
  return interrupt_handling::shielded;
}

/// Timer ticks and releases on the CPUs of a cluster, and how much longer they make a job. A tick may come once per
/// quantum, a release interrupt once per period of each task. Ticks are rounded upwards, in parts of 2^-30.
/// Source: Brandenburg 2011, preemption-centric accounting; Elliott 2015, equations 2.41 to 2.44.
template <ExactNumber Number>
class interrupt_load {
 public:
  constexpr explicit interrupt_load(const gpusync_overheads<Number>& o) : o_{o} {
    if (!(Number(0) < o.tick_quantum)) { return; }
    Number each{};
    fits_ = add_exactly(o.tick, o.interrupt_cache_loss, each) && interrupt(each, o.tick_quantum, o.event_latency);
  }

  /// Adds that a task is released on these CPUs. Pre: period > 0. Cost: constant.
  constexpr void add_release(const Number& period) {
    TAKT_EXPECTS(Number(0) < period);
    Number each{};
    fits_ =
        fits_ && add_exactly(o_.release, o_.interrupt_cache_loss, each) && interrupt(each, period, o_.event_latency);
  }
  /// Interrupts of so much work come at least so far apart, each up to `latest` late. Pre: every > 0. Cost: constant.
  constexpr void add(const Number& work, const Number& every, const Number& latest) {
    TAKT_EXPECTS(Number(0) < every);
    fits_ = fits_ && interrupt(work, every, latest);
  }

  /// Returns whether interrupts leave any time for jobs.
  [[nodiscard]] constexpr auto leaves_time() const -> bool { return load_ < unit(); }
  [[nodiscard]] constexpr auto fits() const -> bool { return fits_ && is_number(load_) && is_number(once_); }

  /// Computes the longest delay by interrupts pending at a dispatch. Pre, here and below: `leaves_time()`.
  [[nodiscard]] constexpr auto delay(Number& out) const -> bool {
    TAKT_EXPECTS(leaves_time());
    return slow_down(once_, out);
  }
  /// Computes the time that a job of so much work takes, without `delay`. False when it does not fit.
  [[nodiscard]] constexpr auto slow_down(const Number& work, Number& out) const -> bool {
    TAKT_EXPECTS(leaves_time());
    if constexpr (number_traits<Number>::integral) {
      const Number rest = unit() - load_;
      Number whole{};
      return takt::detail::multiply_exactly(Number(work / rest), unit(), whole) &&
             add_exactly(whole, ceil_divide(work % rest * unit(), rest), out);
    } else {
      out = work / (unit() - load_);
      return is_number(out);
    }
  }

 private:
  [[nodiscard]] static constexpr auto unit() -> Number {
    return number_traits<Number>::integral ? Number(std::int64_t{1} << 30) : Number(1);
  }
  /// Returns work / every in units of `unit()`.
  [[nodiscard]] static constexpr auto share(const Number& work, const Number& every, Number& out) -> bool {
    if constexpr (number_traits<Number>::integral) {
      Number scaled{};
      if (!takt::detail::multiply_exactly(work, unit(), scaled)) { return false; }
      out = ceil_divide(scaled, every);
      return true;
    } else {
      out = work / every;
      return is_number(out);
    }
  }
  /// An interrupt of so much work comes every so often; its latency may keep others pending.
  constexpr auto interrupt(const Number& work, const Number& every, const Number& latest) -> bool {
    Number part{};
    Number late{};
    if (!share(work, every, part) || !add_exactly(load_, part, load_) ||
        !takt::detail::multiply_exactly(latest, part, late)) {
      return false;
    }
    if constexpr (number_traits<Number>::integral) { late = ceil_divide(late, unit()); }
    return add_exactly(once_, late, once_) && add_exactly(once_, work, once_);
  }

  gpusync_overheads<Number> o_;
  Number load_{};
  Number once_{};
  bool fits_ = true;
};

namespace detail {

/// Returns the time of a job with all that the operating system adds: dispatch, cache loss and interrupts. These
/// include the interrupts that are pending when it goes on after its release, its dispatch and each of its
/// `suspensions`. False when it does not fit, or `where` is unknown. Source: Elliott 2015, equation 2.50.
template <ExactNumber Number>
[[nodiscard]] constexpr auto dispatched_time(const interrupt_load<Number>& interrupts,
                                             const gpusync_overheads<Number>& o, const Number& work,
                                             std::int64_t suspensions, interrupt_handling where, Number& out) -> bool {
  Number dispatch{};
  Number pending{};
  if (!add_exactly(o.schedule, o.context_switch, dispatch) || !add_exactly(dispatch, dispatch, dispatch) ||
      !add_exactly(dispatch, work, dispatch) || !add_exactly(dispatch, o.cache_loss, dispatch)) {
    return false;
  }
  std::int64_t delays = 2;
  switch (where) {
    case interrupt_handling::shared: delays += suspensions; break;
    case interrupt_handling::shielded: break;
  }
  return is_known(where) && interrupts.slow_down(dispatch, out) && interrupts.delay(pending) &&
         number_traits<Number>::multiply(pending, delays, pending) && add_exactly(out, pending, out) &&
         add_exactly(out, o.ipi, out);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
