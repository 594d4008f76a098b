// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/compliant_vector.hpp>

/// Bounds as Elliott 2015 prints them. See docs/errata.md.
namespace takt::inline TAKT_ABI::analysis::as_published {

/// Equations 2.20-2.25 with whatever points the policy gives. A negative one makes the bounds unsound.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto compliant_vector(const task_rows<gel_task<Number>, MaxTasks>& table,
                                              std::int32_t processors, gel_policy policy)
    -> gel_bounds<Number, MaxTasks> {
  return analysis::detail::on_points<false>(table, processors, policy, point_shift::if_negative, [&](const auto& t) {
    return analysis::detail::solve_compliant_vector(t, processors, delay_sign::any);
  });
}

}  // namespace takt::inline TAKT_ABI::analysis::as_published
