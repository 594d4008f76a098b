// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/policies/judge_board.hpp>
#include <takt/core/number.hpp>
#include <takt/model/linear_cost.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/plan.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/policies/granted_shares.hpp>

namespace takt::inline TAKT_ABI::report {

/// Says what GPUs with engines of their own, each with a lock, have beyond the numbers of their tokens.
struct locked_engine_facts {
  sharing_rule rule{};  ///< its words for orders and moves, and the clusters of GPUs
  std::int32_t gpus = 1;
  std::optional<std::int32_t> copy_engines;    ///< of a GPU
  std::int64_t chunk = 0;                      ///< bytes that a copy engine moves at once; 0: was not given
  std::array<linear_cost<ticks>, 3> copies{};  ///< into a GPU, out of it, and from one GPU to another
  gpusync_overheads<ticks> overheads{};
};

/// A way of sharing GPUs and a rule of processors, in words, and what is asked of them. `Tasks` is a
/// `runtime_task_set`.
template <class Tasks>
struct policy_query {
  std::string policy;             ///< "tokens-k-fmlp:2"
  std::string cpus;               ///< "g-edf"
  std::int32_t cluster_size = 1;  ///< processors of a cluster, where the rule is of clusters

  std::optional<sharing_rule> own;                                 ///< what is said of the policy beyond its word
  std::optional<granted_shares_policy<Tasks::max_tasks>> granted;  ///< where shares follow jobs, in place of the word
  bool overlapping_graphs = false;             ///< jobs of graphs overlap as in their published method
  std::optional<locked_engine_facts> engines;  ///< where tokens are for GPUs with locked engines
  /// Holds what is decided already; null: a search decides. Parts that are empty are chosen.
  std::shared_ptr<const plan<Tasks::max_tasks, Tasks::max_visits>> given;
  bool may_guard = true;  ///< offsets and local deadlines may be chosen
  sharing_rule chosen{};  ///< tokens, levels, slices and slots that are decided, too

  std::string analysis;  ///< published, of tasks with SMs of their own; empty: the best of all
  std::optional<search_method> search;
  /// Begins a search that may be ended; what it gives is asked before each task analysis. Empty: as `search_by`.
  std::function<std::function<bool(std::uint64_t evaluations)>()> begin_search;
  std::uint64_t most_evaluations = default_evaluations;  ///< of a search

  /// Returns whether one analysis alone is asked, and none of takt's own beside it.
  [[nodiscard]] auto asks_one() const noexcept -> bool { return !analysis.empty() || search.has_value(); }
  [[nodiscard]] auto decided() const noexcept -> decided_plan<Tasks::max_tasks, Tasks::max_visits> {
    return {given.get(), may_guard};
  }
};

}  // namespace takt::inline TAKT_ABI::report
