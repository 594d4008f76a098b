// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>
#include <takt/model/runtime_task_set.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Returns the deadline by which orders go: that of a task without one is its period.
[[nodiscard]] constexpr auto ordering_deadline(const runtime_task& t) noexcept -> ticks {
  return t.limited ? t.deadline : t.period;
}
/// Returns whether the deadline comes after the period. Published methods prove none of these: they are asked to prove
/// the period, and orders go by the deadline, where their tables hold both; else they are not asked. The combiners are.
[[nodiscard]] constexpr auto is_after_period(const runtime_task& t) noexcept -> bool {
  return t.limited && t.deadline > t.period;
}

namespace detail {

/// Returns the deadline that published methods are asked about: jobs that end within their period do not meet the next
/// ones, and history edges hold by themselves.
[[nodiscard]] constexpr auto deadline_to_prove(const runtime_task& t) noexcept -> ticks {
  return t.limited && t.deadline < t.period ? t.deadline : t.period;
}
[[nodiscard]] constexpr auto asks_for_its_deadline(const runtime_task& t) noexcept -> bool {
  return t.limited && t.deadline <= t.period;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
