// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <takt/analysis/methods/demand/rate.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Work that must be done within a window, and the next length at which there is more of it.
template <ExactNumber Number>
struct demand_at {
  Number work{};
  Number next{};
};

/// Work with release and deadline inside a window, at most, as a step function of the window's length.
///
/// - `at(t)`, `work(t)`: for t >= 0, right-continuous; `next` is above t.
/// - `step_before(t)`: the greatest step below t, or a negative number; `first_step()`: the least one.
/// - `load()`, `utilization()`: the long-run rate, for comparing and exact; `offset()`: work(t) <= load t + offset.
/// - `repeats(h)`: turns h into a common multiple of h and the length after which work repeats; 0 stands for no length
///   yet. False when it does not fit.
/// - `fits(t)`: nothing up to window t overflows.
template <class D>
concept DemandBound =
    ExactNumber<typename D::number> && requires(const D& d, typename D::number t, typename D::number& out) {
      { d.empty() } -> std::convertible_to<bool>;
      { d.at(t) } -> std::convertible_to<demand_at<typename D::number>>;
      { d.work(t) } -> std::convertible_to<typename D::number>;
      { d.step_before(t) } -> std::convertible_to<typename D::number>;
      { d.first_step() } -> std::convertible_to<typename D::number>;
      { d.load() } -> std::convertible_to<rate<typename D::number>>;
      { d.utilization() } -> std::convertible_to<fraction_of<typename D::number>>;
      { d.offset() } -> std::convertible_to<typename D::number>;
      { d.repeats(out) } -> std::convertible_to<bool>;
      { d.fits(t) } -> std::convertible_to<bool>;
    };

/// Time that is surely available within a window of some length.
///
/// - `supply(t)`: non-decreasing, at most t, and never less in a window than in two that make it up.
/// - `time_for(w)`: the least t with supply(t) >= w. Pre: w > 0. False when it does not fit.
/// - `rate_of_supply()`, `share()`: the long-run rate; `lag()`: supply(t) >= rate t - lag.
/// - `repeats(h)`: as for a demand.
template <class S>
concept SupplyBound =
    ExactNumber<typename S::number> && requires(const S& s, typename S::number t, typename S::number& out) {
      { s.supply(t) } -> std::convertible_to<typename S::number>;
      { s.time_for(t, out) } -> std::convertible_to<bool>;
      { s.rate_of_supply() } -> std::convertible_to<rate<typename S::number>>;
      { s.share() } -> std::convertible_to<fraction_of<typename S::number>>;
      { s.lag() } -> std::convertible_to<typename S::number>;
      { s.repeats(out) } -> std::convertible_to<bool>;
    };

/// Work without a deadline inside the window that can stand before it. A step function that never rises.
///
/// - `blocking(t)`; `constant_since(t)`: from where on it has the value of t, at most t; `ends()`: 0 from there on;
///   `most()`: its greatest value.
template <class B>
concept BlockingTerm = ExactNumber<typename B::number> && requires(const B& b, typename B::number t) {
  { b.blocking(t) } -> std::convertible_to<typename B::number>;
  { b.constant_since(t) } -> std::convertible_to<typename B::number>;
  { b.ends() } -> std::convertible_to<typename B::number>;
  { b.most() } -> std::convertible_to<typename B::number>;
};

}  // namespace takt::inline TAKT_ABI::analysis
