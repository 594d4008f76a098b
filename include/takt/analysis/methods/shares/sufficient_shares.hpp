// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>
#include <takt/rules/shares/least_share.hpp>
#include <takt/rules/shares/share_rules.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// The least share of each task with which it meets its deadline whatever the others do, and whether they fit together.
template <std::size_t MaxTasks>
struct share_test {
  std::array<lasting_need, MaxTasks> tasks{};  ///< in the given order
  std::int32_t sum = 0;                        ///< 101 for a task that no share helps
  bool sufficient = false;
};

/// Returns whether the test says anything about a reading of Algorithm 1: slack must be the time that is really left,
/// and the load the worst one.
[[nodiscard]] constexpr auto provable(const share_rules& rules) noexcept -> bool {
  return choices_known(rules) && takt::detail::counts_time_left(rules.slack) &&
         takt::detail::counts_worst_load(rules.load);
}

/// A test for sporadic releases and deadlines up to the periods. It accepts only sets that never miss a deadline under
/// provable rules and any triggers, if the predictor never predicts too little.
///
/// Each job keeps up with its deadline: 1 - theta <= slack / C, with C its time under full load with its share of the
/// test. True at its release since C <= D. At an operation it implies that the need is at most the share of the test,
/// so all are admitted. Until the next one the job is at least as fast as its need promised. That keeps the relation:
/// directly when the need is the greater, and else because a whole job then takes slack / (1 - theta) at most. Time
/// passed over by a trigger changes nothing, since then only load has gone. Where shares take time to grow, each
/// decision that is in force on the way promised enough, and a job has so much less time.
///
/// It does not hold for `wamp2s_text`, not even without contention. There a job with less than a tick left counts as a
/// whole tick, so its need can rise above its share.
/// Pre: the table is valid. Cost: 8 worst-case predictions per task if they fall with the share, 101 otherwise.
template <std::size_t MaxTasks, WorstLoadPredictor Predictor>
[[nodiscard]] constexpr auto sufficient_shares(const application_set<MaxTasks>& table, const Predictor& predictor,
                                               const share_rules& rules = wamp2s_robust) -> share_test<MaxTasks> {
  TAKT_EXPECTS_IN_TESTS(!validate(table));
  share_test<MaxTasks> out;
  bool each = true;
  for (std::size_t i = 0; i < table.size(); ++i) {
    out.tasks[i] = takt::detail::need_under_full_load(table, predictor, i, rules.actuation);
    out.sum += out.tasks[i].need;
    each = each && out.tasks[i].need <= full_share.percent();
  }
  out.sufficient = each && provable(rules) && out.sum <= greatest_sum(rules);
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
