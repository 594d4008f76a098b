// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include <range/v3/range/concepts.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>

/// Products of parameters for studies and tests, as views of range-v3: nothing is stored, and they compose.
///
///     for (auto [sms, utilization, seed] : takt::views::parameters(sms_of_boards, utilizations,
///     takt::views::seeds(100)))
namespace takt::views {

/// Every combination of values, as tuples; the last one varies fastest. Ranges that are not views are looked at, and
/// have to outlive this. Pre: all but the first can be gone through again.
template <ranges::viewable_range... Values>
[[nodiscard]] auto parameters(Values&&... values) {
  return ranges::views::cartesian_product(std::forward<Values>(values)...) |
         ranges::views::transform([](auto&& of_each) {
           return std::apply([](const auto&... v) { return std::make_tuple(v...); }, of_each);
         });
}

/// 1, 2, ... and so many in all.
[[nodiscard]] inline auto seeds(std::uint64_t count) { return ranges::views::iota(std::uint64_t{1}, count + 1); }

/// `count` values at equal distances, the first and last included; one: the first. Exact where values are fractions.
template <class Number>
[[nodiscard]] auto steps(Number first, Number last, std::int64_t count) {
  return ranges::views::iota(std::int64_t{0}, count < 0 ? std::int64_t{0} : count) |
         ranges::views::transform([first, last, count](std::int64_t i) -> Number {
           if (count < 2) { return first; }
           return first + (last - first) * static_cast<Number>(i) / static_cast<Number>(count - 1);
         });
}

}  // namespace takt::views
