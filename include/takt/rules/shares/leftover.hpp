// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/rules/shares/share_rules.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns whether no priority is above the one before.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto in_priority_order(const application_set<MaxTasks>& table,
                                               const inline_vector<std::uint32_t, MaxTasks>& tasks) -> bool {
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    if (table.tasks[tasks[i]].priority > table.tasks[tasks[i - 1]].priority) { return false; }
  }
  return true;
}

/// Hands out what is left of a GPU among some applications, by priority: floor(R P_i / sum P) each. Under `spread` it
/// adds what the rounding leaves, one each (Yao et al. 2022, Algorithm 1, lines 28 to 36). Nobody's share falls. Pre:
/// `admitted` is in priority order.
template <std::size_t MaxTasks>
constexpr void hand_out(const application_set<MaxTasks>& table, const inline_vector<std::uint32_t, MaxTasks>& admitted,
                        leftover_rule rule, share_allocation<MaxTasks>& shares) {
  TAKT_EXPECTS(detail::in_priority_order(table, admitted));
  const std::int64_t left = shares.left();
  std::int64_t priorities = 0;
  for (std::size_t i = 0; i < admitted.size(); ++i) { priorities += table.tasks[admitted[i]].priority; }
  const auto raise = [&](std::size_t task, std::int64_t by) {
    static_cast<void>(shares.set(task, share::bounded(shares[task].percent() + static_cast<std::int32_t>(by))));
  };
  for (std::size_t i = 0; priorities > 0 && i < admitted.size(); ++i) {
    raise(admitted[i], left * table.tasks[admitted[i]].priority / priorities);
  }
  switch (rule) {
    case leftover_rule::floor: break;
    case leftover_rule::spread:
      while (!admitted.empty() && shares.left() > 0) {
        for (std::size_t i = 0; i < admitted.size() && shares.left() > 0; ++i) { raise(admitted[i], 1); }
      }
      break;
  }
}

}  // namespace takt::inline TAKT_ABI::detail
