// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/needed_shares.hpp>
#include <takt/rules/shares/contention_predictor.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Proves by `sufficient_shares` of all applications. What it keeps for one with a deadline of its own also lasts for a
/// local deadline that is not below the longest time with this share. At most one visit for each application.
template <std::size_t MaxTasks, class Resource>
[[nodiscard]] constexpr auto needed_shares_decide(std::span<const visit_demand> visits,
                                                  const needed_shares_rule<MaxTasks, Resource>& rule) -> bool {
  if (rule.fault()) { return false; }
  const application_set<MaxTasks>& all = *rule.applications;
  const auto test = sufficient_shares(all, contention_predictor<MaxTasks>(all), rule.needs);
  if (!test.sufficient) { return false; }
  bool taken[MaxTasks]{};
  for (const visit_demand& v : visits) {
    if (v.wcet == 0) { continue; }
    const auto i = static_cast<std::size_t>(v.view.at[0]);
    if (v.view.at[0] < 0 || i >= all.size() || taken[i]) { return false; }
    taken[i] = true;
    if (v.wcet != all.tasks[i].alone.at(full_share) || v.deadline < test.tasks[i].time) { return false; }
  }
  return true;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
