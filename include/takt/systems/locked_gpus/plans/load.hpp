// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Returns the load 1, of a processor that is always busy.
template <ExactNumber Number>
[[nodiscard]] constexpr auto whole_load() -> Number {
  return Number(number_traits<Number>::integral ? std::int64_t{1} << 30 : std::int64_t{1});
}

/// Stands for itself and for every load above it.
template <ExactNumber Number>
[[nodiscard]] constexpr auto most_load() -> Number {
  return whole_load<Number>() * Number(1 << 20);
}
template <ExactNumber Number>
[[nodiscard]] constexpr auto add_load(const Number& a, const Number& b) -> Number {
  const Number sum = a + b;
  return sum < most_load<Number>() ? sum : most_load<Number>();
}

/// Returns the part of a processor that `time` in every `period` takes, in parts of `whole_load`: on integers rounded
/// up, so that loads of any periods have one denominator. Pre: time >= 0, 0 < period <= 2^60.
template <ExactNumber Number>
[[nodiscard]] constexpr auto load_of(const Number& time, const Number& period) -> Number {
  TAKT_EXPECTS(!(time < Number(0)) && Number(0) < period && !(Number(std::int64_t{1} << 60) < period));
  if constexpr (number_traits<Number>::integral) {
    if (time / period >= (Number(1) << 20)) { return most_load<Number>(); }
    Number load = time / period;
    Number rest = time % period;
    for (int bit = 0; bit < 30; ++bit) {
      const bool one = rest * 2 >= period;
      load = load * 2 + (one ? 1 : 0);
      rest = rest * 2 - (one ? period : 0);
    }
    return load + (rest > 0 ? 1 : 0);
  } else {
    const auto load = quotient(time, period);
    return load < most_load<Number>() ? Number(load) : most_load<Number>();
  }
}

/// Returns what a set would load CPUs with if these ran its kernels, `speed_up` times as long, and nothing were copied,
/// in parts of `whole_load`. Pre: the tasks are without fault, speed_up >= 0. Source: Elliott 2015, section 4.3.6.2.
template <class Table>
[[nodiscard]] constexpr auto effective_utilization(const Table& table, std::int64_t speed_up) ->
    typename Table::number {
  TAKT_EXPECTS(speed_up >= 0);
  using number = typename Table::number;
  number sum(0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    sum = add_load(sum, load_of<number>(t.wcet, t.period));
    for (std::size_t k = 0; k < t.kernels.size(); ++k) {
      number longer{};
      const bool fits = number_traits<number>::multiply(t.kernels[k], speed_up, longer) && is_number(longer);
      sum = fits ? add_load(sum, load_of<number>(longer, t.period)) : most_load<number>();
    }
  }
  return sum;
}

}  // namespace takt::inline TAKT_ABI
