// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/bounded_response.hpp>
#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/analysis/verdict.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

/// A number in units of 2^-60 from below and above, for products up to 8.
class near_one {
 public:
  constexpr near_one() noexcept = default;
  constexpr void set(std::uint64_t below, std::uint64_t above) noexcept {
    below_ = below;
    above_ = above;
  }
  /// False once the product is above 2 for sure.
  constexpr auto multiply(const near_one& factor) noexcept -> bool {
    const auto low = divide_product(below_, factor.below_, one);
    const auto high = divide_product(above_, factor.above_, one);
    below_ = low.value;
    above_ = high.value + (high.rest ? 1U : 0U);
    return below_ <= 2 * one;
  }
  [[nodiscard]] constexpr auto surely_at_most_two() const noexcept -> bool { return above_ <= 2 * one; }

  static constexpr std::uint64_t one = std::uint64_t{1} << 60;

 private:
  std::uint64_t below_ = one;
  std::uint64_t above_ = one;
};

struct narrow_quotient {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
};
/// Returns the bounds of part / whole in units of 2^-60. Pre: 0 <= part <= whole, whole > 0.
[[nodiscard]] constexpr auto narrow(std::int64_t part, std::int64_t whole) noexcept -> narrow_quotient {
  TAKT_EXPECTS(part >= 0 && part <= whole && whole > 0);
  const auto q = divide_product(static_cast<std::uint64_t>(part), near_one::one, static_cast<std::uint64_t>(whole));
  return {q.value, q.value + (q.rest ? 1U : 0U)};
}

/// Returns why a test of one processor cannot judge the tasks, such as a deadline before the period's end.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto one_processor_fault(const task_rows<gel_task<Number>, MaxTasks>& table) -> model_error {
  if (const auto error = validate(table, 1)) { return error; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].deadline < table.tasks[i].period) {
      return fault_at(model_fault::deadline_is_not_the_period, i);
    }
  }
  return {};
}

/// Utilisations as whole parts and wholes; false when one does not fit.
template <class Number>
[[nodiscard]] constexpr auto whole_load(const gel_task<Number>& t, std::int64_t& part, std::int64_t& whole) -> bool {
  if constexpr (number_traits<Number>::integral) {
    part = t.wcet;
    whole = t.period;
    return true;
  } else {
    const rational u = t.wcet / t.period;
    part = u.numerator();
    whole = u.denominator();
    return !u.overflowed();
  }
}

template <class Number>
concept NarrowNumber = std::same_as<Number, ticks> || std::same_as<Number, rational>;

/// Says whether a product of factors 1 + u is at most 2, on numbers of 64 bits.
enum class product_side : std::uint8_t { at_most_two, above_two, unknown };

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto narrow_hyperbolic(const task_rows<gel_task<Number>, MaxTasks>& table) -> product_side {
  near_one product;
  for (const auto& t : table.tasks) {
    std::int64_t part = 0;
    std::int64_t whole = 1;
    if (!whole_load(t, part, whole)) { return product_side::unknown; }
    if (whole < part) { return product_side::above_two; }
    const auto u = narrow(part, whole);
    near_one factor;
    factor.set(near_one::one + u.below, near_one::one + u.above);
    if (!product.multiply(factor)) { return product_side::above_two; }
  }
  return product.surely_at_most_two() ? product_side::at_most_two : product_side::unknown;
}

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto narrow_liu_layland(const task_rows<gel_task<Number>, MaxTasks>& table) -> product_side {
  const auto count = static_cast<std::uint64_t>(table.size());
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  for (const auto& t : table.tasks) {
    std::int64_t part = 0;
    std::int64_t whole = 1;
    if (!whole_load(t, part, whole)) { return product_side::unknown; }
    if (whole < part) { return product_side::above_two; }
    const auto u = narrow(part, whole);
    below += u.below;
    above += u.above;
    if (near_one::one < below) { return product_side::above_two; }
  }
  near_one factor;
  factor.set(near_one::one + below / count, near_one::one + (above + count - 1) / count);
  near_one power;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!power.multiply(factor)) { return product_side::above_two; }
  }
  return power.surely_at_most_two() ? product_side::at_most_two : product_side::unknown;
}

/// Returns the product on fractions; `unknown` when they do not fit.
template <class Fraction, std::size_t MaxTasks, class Factor>
[[nodiscard]] constexpr auto exact_product(const task_rows<gel_task<Fraction>, MaxTasks>& table, const Factor& factor)
    -> product_side {
  Fraction product(1);
  for (std::size_t i = 0; i < table.size(); ++i) { product = product * factor(i); }
  if (!is_number(product)) { return product_side::unknown; }
  return Fraction(2) < product ? product_side::above_two : product_side::at_most_two;
}

[[nodiscard]] constexpr auto sufficient(product_side side) noexcept -> verdict_status {
  switch (side) {
    case product_side::at_most_two: return verdict_status::schedulable;
    case product_side::above_two: return verdict_status::not_proven;
    case product_side::unknown: return verdict_status::overflow;
  }
  return verdict_status::overflow;
}

}  // namespace detail

/// Tests whether U <= n (2^(1/n) - 1), decided exactly as (1 + U / n)^n <= 2. Rate-monotonic priorities on one
/// processor then meet every deadline that is not before the period's end. `schedulable`, `not_proven`, or `overflow`
/// where U is within 2^-50 of the limit. Source: Liu and Layland 1973.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto liu_layland(const task_rows<gel_task<Number>, MaxTasks>& table) -> verdict_status {
  if (detail::one_processor_fault(table)) { return verdict_status::invalid_model; }
  if (table.size() == 0) { return verdict_status::schedulable; }
  if constexpr (detail::NarrowNumber<Number>) {
    if (table.size() == 1) {
      const auto& t = table.tasks[0];
      return t.period < t.wcet ? verdict_status::not_proven : verdict_status::schedulable;
    }
    return detail::sufficient(detail::narrow_liu_layland(table));
  } else {
    detail::load_sum<Number> load;
    for (const auto& t : table.tasks) { load.add(t.wcet, t.period); }
    const Number count(static_cast<std::int64_t>(table.size()));
    const Number factor = Number(1) + load.sum() / count;
    return detail::sufficient(detail::exact_product(table, [&](std::size_t) { return factor; }));
  }
}

/// Tests whether the product of all 1 + u_i is at most 2, which accepts more.
/// Source: Bini, Buttazzo and Buttazzo 2003.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto hyperbolic(const task_rows<gel_task<Number>, MaxTasks>& table) -> verdict_status {
  if (detail::one_processor_fault(table)) { return verdict_status::invalid_model; }
  const auto exact = detail::exact_points(table, 1, gel_policy::first_in_first_out);
  using fraction = fraction_of<Number>;
  auto side = detail::exact_product(
      exact, [&](std::size_t i) { return fraction(fraction(1) + exact.tasks[i].wcet / exact.tasks[i].period); });
  if constexpr (detail::NarrowNumber<Number>) {
    if (side == detail::product_side::unknown) { side = detail::narrow_hyperbolic(table); }
  }
  return detail::sufficient(side);
}

/// Tests EDF on one processor with deadlines that are not before the period's end: schedulable exactly if U <= 1.
/// Source: Liu and Layland 1973.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto edf_utilization(const task_rows<gel_task<Number>, MaxTasks>& table) -> verdict_status {
  if (detail::one_processor_fault(table)) { return verdict_status::invalid_model; }
  switch (detail::bounded_response(table, 1)) {
    case gel_status::bounded: return verdict_status::schedulable;
    case gel_status::task_overload:
    case gel_status::cluster_overload: return verdict_status::unschedulable;
    case gel_status::overflow:
    case gel_status::invalid_model: return verdict_status::overflow;
  }
  return verdict_status::overflow;
}

}  // namespace takt::inline TAKT_ABI::analysis
