// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/rules/clusters.hpp>
#include <takt/systems/judge_by_keyword.hpp>

#include "judged.hpp"

namespace takt::program {

/// The entry of a rule that keeps tasks on their cores.
template <const auto& Rule>
auto judge_on_cores(const policy_query& q, const file_tasks& tasks, const hardware& board)
    -> std::unique_ptr<judged_policy> {
  return report::judge_by_keyword(Rule, q, tasks, board);
}
/// The entry of a rule of clusters.
template <const auto& Rule>
auto judge_on_clusters(const policy_query& q, const file_tasks& tasks, const hardware& board)
    -> std::unique_ptr<judged_policy> {
  return report::judge_by_keyword(clustered(Rule, q.cluster_size), q, tasks, board);
}

}  // namespace takt::program
