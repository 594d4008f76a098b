// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/share_pool.hpp>
#include <takt/analysis/concepts.hpp>
#include <takt/analysis/share_choice.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns which tasks need a share.
template <analysis::PriorityAnalysis A>
[[nodiscard]] constexpr auto tasks_with_shares(const A& a) -> std::array<bool, A::max_tasks> {
  std::array<bool, A::max_tasks> needs{};
  for (std::size_t k = 0; k < a.table().size(); ++k) { needs[k] = A::uses_shares && a.table().has_kernel(k); }
  return needs;
}

/// Counts an evaluation; false without one when the limit is reached, and then the search is not complete.
template <class Analysis>
constexpr auto evaluate_within(std::uint64_t limit, search_effort& effort, Analysis& a, std::size_t k) -> bool {
  if (effort.evaluations >= limit) {
    effort.complete = false;
    return false;
  }
  ++effort.evaluations;
  return a.evaluate(k);
}

/// Returns the first failing task by priority; the number of tasks when all pass.
template <class Analysis>
constexpr auto first_failing(std::uint64_t limit, search_effort& effort, Analysis& a) -> std::size_t {
  std::size_t k = 0;
  while (k < a.table().size() && evaluate_within(limit, effort, a, k)) { ++k; }
  return k;
}

/// Walks over plans share by share. The analysis and the effort must outlive it.
template <analysis::PriorityAnalysis A>
class plan_walk {
 public:
  using share_list = std::array<sm_share, A::max_tasks>;

  constexpr plan_walk(A& a, search_method method, std::uint64_t limit, search_effort& effort)
      : analysis_{&a},
        method_{method},
        limit_{limit},
        effort_{&effort},
        needs_{tasks_with_shares(a)},
        pool_{a.platform()} {
    for (std::size_t k = size(); k-- > 0;) {
      needed_below_[k] = k + 1 < size() ? needed_below_[k + 1] + (needs_[k + 1] ? 1 : 0) : 0;
    }
  }

  /// Searches, and returns whether a plan was found.
  constexpr auto run() -> bool {
    const bool room = size() == 0 || pool_.units() >= needed_below_[0] + (needs_[0] ? 1 : 0);
    if (!room) { return false; }
    return takes_shares_back() || A::priority_ordered ? visit(0) : grow();
  }

  /// Returns the shares by priority.
  [[nodiscard]] constexpr auto shares() const noexcept -> const share_list& { return chosen_; }

 private:
  [[nodiscard]] constexpr auto size() const -> std::size_t { return analysis_->table().size(); }
  [[nodiscard]] constexpr auto prunes() const -> bool {
    switch (method_) {
      case search_method::exhaustive: return false;
      case search_method::exact:
      case search_method::greedy:
      case search_method::branch_and_bound:
      case search_method::spread: return A::priority_ordered;
    }
    return false;
  }
  [[nodiscard]] constexpr auto takes_shares_back() const -> bool {
    switch (method_) {
      case search_method::exhaustive:
      case search_method::exact:
      case search_method::branch_and_bound:
      case search_method::spread: return true;
      case search_method::greedy: return false;
    }
    return true;
  }

  constexpr auto visit(std::size_t k) -> bool {
    if (k == size()) {
      ++effort_->plans;
      return prunes() || first_failing() == size();
    }
    return needs_[k] ? try_shares(k) : accept(k, {}) && visit(k + 1);
  }

  /// Assigns, and judges at once where the analysis allows it.
  constexpr auto accept(std::size_t k, const sm_share& share) -> bool {
    ++effort_->nodes;
    chosen_[k] = share;
    analysis_->assign(k, share);
    return !prunes() || evaluate(k);
  }

  constexpr auto evaluate(std::size_t k) -> bool { return evaluate_within(limit_, *effort_, *analysis_, k); }

  constexpr auto first_failing() -> std::size_t { return detail::first_failing(limit_, *effort_, *analysis_); }

  /// Tries smaller shares first; of equal shares the GPU of lower number. With a monotone analysis no share above the
  /// least passing one on a GPU can help any task, so only other GPUs remain to be tried after it.
  constexpr auto try_shares(std::size_t k) -> bool {
    std::array<bool, max_gpus> settled{};
    std::int32_t largest = 0;
    for (std::size_t g = 0; g < pool_.size(); ++g) { largest = largest < pool_.free(g) ? pool_.free(g) : largest; }
    for (std::int32_t sms = 1; sms <= largest && effort_->complete; ++sms) {
      for (std::size_t g = 0; g < pool_.size() && effort_->complete; ++g) {
        if (settled[g] || sms > pool_.free(g) || sms % pool_.gpu(g).granularity != 0 || repeats_an_empty_gpu(g)) {
          continue;
        }
        pool_.take(g, sms);
        const bool room = pool_.units() >= needed_below_[k];
        const bool passes = room && accept(k, {static_cast<std::int32_t>(g), sms});
        if (passes && visit(k + 1)) { return true; }
        pool_.give_back(g, sms);
        if (passes && !takes_shares_back()) { return false; }
        if (!room || (passes && prunes() && analysis_->monotone())) { settled[g] = true; }
      }
    }
    return false;
  }

  /// An untouched GPU like an earlier untouched one leads to the same plans.
  [[nodiscard]] constexpr auto repeats_an_empty_gpu(std::size_t g) const -> bool {
    if (!pool_.untouched(g)) { return false; }
    for (std::size_t other = 0; other < g; ++other) {
      if (pool_.untouched(other) && pool_.gpu(other) == pool_.gpu(g)) { return true; }
    }
    return false;
  }

  /// A greedy search where a task is judged by the shares of all. From the least shares on, the first task that fails
  /// gets one unit more. If even all that is left would not do, the lower task with the longest kernel gets it.
  constexpr auto grow() -> bool {
    for (std::size_t k = 0; k < size(); ++k) {
      if (needs_[k] && !pool_.grow(chosen_[k])) { return false; }
      analysis_->assign(k, chosen_[k]);
    }
    while (effort_->complete) {
      ++effort_->nodes;
      ++effort_->plans;
      const std::size_t k = first_failing();
      if (k == size()) { return true; }
      const std::size_t grown = needs_[k] && passes_with_rest(k) ? k : longest_kernel_below(k);
      if (grown == size() || !pool_.grow(chosen_[grown])) { return false; }
      analysis_->assign(grown, chosen_[grown]);
    }
    return false;
  }
  /// Pre: the higher tasks pass.
  constexpr auto passes_with_rest(std::size_t k) -> bool {
    sm_share all = chosen_[k];
    const auto g = static_cast<std::size_t>(all.gpu);
    all.sms += pool_.free(g) / pool_.gpu(g).granularity * pool_.gpu(g).granularity;
    analysis_->assign(k, all);
    const bool passes = evaluate(k);
    analysis_->assign(k, chosen_[k]);
    return passes;
  }
  /// Returns the task with the longest kernel of those below k whose share can grow; `size()` if there is none.
  [[nodiscard]] constexpr auto longest_kernel_below(std::size_t k) const -> std::size_t {
    const auto& table = analysis_->table();
    std::size_t found = size();
    auto longest = typename std::remove_cvref_t<decltype(table)>::number(0);
    for (std::size_t i = k + 1; i < size(); ++i) {
      if (!needs_[i] || !pool_.has_unit(static_cast<std::size_t>(chosen_[i].gpu))) { continue; }
      for (std::size_t j = 0; j < table.tasks[i].segment_count; ++j) {
        const auto& s = table.segment(i, j);
        if (s.where != stage::kernel) { continue; }
        const auto time = analysis::kernel_time(table, s, analysis_->platform(), chosen_[i]).upper;
        if (longest < time) {
          longest = time;
          found = i;
        }
      }
    }
    return found;
  }

  A* analysis_;
  search_method method_;
  std::uint64_t limit_;
  search_effort* effort_;
  std::array<bool, A::max_tasks> needs_;
  share_pool pool_;
  std::array<std::int32_t, A::max_tasks> needed_below_{};
  share_list chosen_{};
};

}  // namespace takt::inline TAKT_ABI::detail
