// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/branch_and_bound.hpp>
#include <takt/allocation/plan_walk.hpp>
#include <takt/allocation/share_pool.hpp>
#include <takt/allocation/spread.hpp>
#include <takt/analysis/concepts.hpp>
#include <takt/analysis/judge.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// One search of an analysis.
template <analysis::PriorityAnalysis A>
class plan_search {
 public:
  constexpr plan_search(A& a, std::uint64_t limit) : analysis_{&a}, limit_{limit}, needs_{tasks_with_shares(a)} {}

  constexpr auto run(search_method method) -> allocation<A::max_tasks> {
    found_ = find(method);
    if (!found_) { split_evenly(analysis_->platform(), size(), needs_, shares_); }
    allocation<A::max_tasks> out;
    out.feasible = found_;
    out.effort = effort_;
    const auto& tasks = analysis_->table().tasks;
    out.shares.resize(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) { out.shares[tasks[k].id] = shares_[k]; }
    return out;
  }

 private:
  [[nodiscard]] constexpr auto size() const -> std::size_t { return analysis_->table().size(); }

  constexpr auto find(search_method method) -> bool {
    switch (method) {
      case search_method::exhaustive:
      case search_method::exact: return walk(method);
      case search_method::greedy: return walk(method) || give_up();
      case search_method::branch_and_bound: return branch();
      case search_method::spread: return spread();
    }
    effort_.complete = false;
    return false;
  }

  /// Called when greedy has found nothing, which proves something only where it is exact.
  constexpr auto give_up() -> bool {
    effort_.complete = effort_.complete && greedy_is_exact();
    return false;
  }

  constexpr auto walk(search_method method) -> bool {
    plan_walk<A> search{*analysis_, method, limit_, effort_};
    const bool found = search.run();
    shares_ = search.shares();
    return found;
  }

  /// Least passing shares decide where the analysis is monotone and nothing has to be packed, or nothing is shared.
  [[nodiscard]] constexpr auto greedy_is_exact() const -> bool {
    bool any = false;
    for (const bool needs : needs_) { any = any || needs; }
    return !any || (analysis_->monotone() && analysis_->platform().gpus.size() == 1);
  }

  constexpr auto branch() -> bool {
    if constexpr (A::uses_shares) {
      if (find(search_method::greedy)) { return true; }
      if (effort_.evaluations >= limit_ || effort_.complete) { return false; }
      effort_.complete = true;
      if (even_split_passes()) { return true; }
      if (!effort_.complete) { return false; }
      branch_and_bound<A> search{*analysis_, limit_, effort_};
      const bool found = search.run();
      shares_ = search.shares();
      return found;
    } else {
      return find(search_method::greedy);
    }
  }

  constexpr auto spread() -> bool {
    if (!branch()) { return false; }
    if constexpr (A::uses_shares) { shares_ = share_spreader<A>{*analysis_, effort_}.run(shares_); }
    return true;
  }

  constexpr auto even_split_passes() -> bool {
    split_evenly(analysis_->platform(), size(), needs_, shares_);
    ++effort_.plans;
    for (std::size_t k = 0; k < size(); ++k) { analysis_->assign(k, shares_[k]); }
    return first_failing(limit_, effort_, *analysis_) == size();
  }

  A* analysis_;
  std::uint64_t limit_;
  search_effort effort_;
  std::array<bool, A::max_tasks> needs_;
  std::array<sm_share, A::max_tasks> shares_{};
  bool found_ = false;
};

}  // namespace detail

/// Looks for a plan under which every task passes the analysis. Every task with kernels gets at least one SM, all of
/// them on one GPU, and the shares on a GPU add up to at most its budget.
///
/// Source: Zou et al. 2021, Algorithm 2 (repaired) and section 5.5. `greedy` finds a plan whenever `exact` does if the
/// analysis is monotone and there is one GPU; for other analyses it may miss one. `exact` on a monotone analysis takes
/// no more than n x budget task analyses per assignment of tasks to GPUs. `spread` asks about plans once there is one:
/// for each SM that it hands out or moves no more than budget + n, whatever the limit. Error: `effort.complete` is
/// false when `limit` evaluations ended the search before it was decided, where `greedy` found nothing but may have
/// missed it, and where the method is unknown.
template <analysis::PriorityAnalysis A>
[[nodiscard]] constexpr auto search_plan(A& a, search_method method, std::uint64_t limit = unlimited_evaluations)
    -> allocation<A::max_tasks> {
  return detail::plan_search<A>(a, limit).run(method);
}

}  // namespace takt::inline TAKT_ABI
