// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <utility>

#include <range/v3/range/concepts.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/transform.hpp>

#include <takt/core/expects.hpp>

/// Products of parameters for studies and tests, as views of range-v3: nothing is stored, and they compose.
///
///     for (const auto& [sms, utilization] : takt::views::parameters(sms_of_boards, utilizations)) { ... }
namespace takt::inline TAKT_ABI::views {

/// Returns every combination of values, as tuples; the last one varies fastest. Ranges that are not views are looked
/// at, and have to outlive this. All but the first can be gone through again.
template <ranges::viewable_range... Values>
  requires requires(Values&&... values) { ranges::views::cartesian_product(std::forward<Values>(values)...); }
[[nodiscard]] auto parameters(Values&&... values) {
  return ranges::views::cartesian_product(std::forward<Values>(values)...) |
         ranges::views::transform([](auto&& of_each) {
           return std::apply([](const auto&... v) { return std::make_tuple(v...); }, of_each);
         });
}

}  // namespace takt::inline TAKT_ABI::views
