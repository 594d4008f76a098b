// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/plan_walk.hpp>
#include <takt/allocation/set_plans.hpp>
#include <takt/allocation/share_choices.hpp>
#include <takt/analysis/concepts.hpp>
#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Searches sets of plans. A relaxation that fails a task refutes a set, or one of the task's shares in it; what is
/// left is searched for a plan greedily, and then halved. No plan is lost, so a search that ends within its limit is
/// exact. The analysis and the effort must outlive it. Cost: per set two relaxed analyses of each task, twice or more
/// where they exclude shares, and an analysis of each task for each doubling of its share.
template <analysis::PriorityAnalysis A>
class branch_and_bound {
 public:
  using share_list = typename set_plans<A>::share_list;
  using choices = share_choices<A::max_tasks>;

  constexpr branch_and_bound(A& a, std::uint64_t limit, search_effort& effort)
      : analysis_{&a},
        relaxation_{a.relaxation()},
        limit_{limit},
        effort_{&effort},
        needs_{tasks_with_shares(a)},
        plans_{a, limit, effort} {}

  /// Searches, and returns whether a plan was found.
  constexpr auto run() -> bool { return search({analysis_->platform(), size(), needs_}); }

  /// Returns the shares by priority.
  [[nodiscard]] constexpr auto shares() const noexcept -> const share_list& { return plans_.shares(); }

 private:
  using number = typename std::remove_cvref_t<decltype(std::declval<const A&>().table())>::number;
  using attempt = typename set_plans<A>::attempt;
  using relaxation = decltype(std::declval<const A&>().relaxation());

  [[nodiscard]] constexpr auto size() const -> std::size_t { return analysis_->table().size(); }

  constexpr auto search(choices set) -> bool {
    ++effort_->nodes;
    if (!refine(set)) { return false; }
    const attempt least = plans_.try_least(set);
    if (least.passed == size()) { return true; }
    if (!effort_->complete) { return false; }
    return least.short_of_sms ? branch_on_gpus(set, least) : branch_on_shares(set, least);
  }

  /// Excludes what cannot pass, until nothing changes. False when no plan of the set is left, or at the limit.
  constexpr auto refine(choices& set) -> bool {
    for (bool excluded = true; excluded;) {
      excluded = false;
      if (!set.fit()) { return false; }
      if (!A::priority_ordered) {
        for (std::size_t k = 0; k < size(); ++k) { relaxation_.assign(k, set[k]); }
      }
      for (std::size_t k = A::priority_ordered ? first_stale(set) : 0; k < size(); ++k) {
        const std::int32_t least = set[k].least;
        current_ = k;
        if (!refine(set, k)) { return false; }
        seen_[k] = set[k];
        excluded = excluded || set[k].least != least;
      }
      current_ = size();
    }
    return true;
  }

  /// Returns the first task whose relaxed bound no longer belongs to the set.
  [[nodiscard]] constexpr auto first_stale(const choices& set) const -> std::size_t {
    std::size_t k = 0;
    while (k < current_ && seen_[k] == set[k]) { ++k; }
    return k;
  }

  constexpr auto refine(choices& set, std::size_t k) -> bool {
    gain_[k] = number(0);
    if (!needs_[k]) { return relaxed(k, {}); }
    auto& choice = set[k];
    while (!relaxed(k, {choice.gpus, choice.least, choice.least})) {
      choice.least = set.next_share(k, choice.least + 1);
      if (!effort_->complete || choice.most < choice.least) { return false; }
    }
    if (set.settled(k)) { return true; }
    const number slowest = relaxation_.bound(k).value;
    if (!relaxed(k, choice)) { return false; }
    gain_[k] = slowest - relaxation_.bound(k).value;
    return true;
  }

  constexpr auto relaxed(std::size_t k, const share_choice& choice) -> bool {
    relaxation_.assign(k, choice);
    return evaluate_within(limit_, *effort_, relaxation_, k);
  }

  constexpr auto branch_on_gpus(choices& set, const attempt& failed) -> bool {
    std::size_t widest = size();
    for (std::size_t k = 0; k < size(); ++k) {
      const bool wider = widest == size() || set.least_units(widest) < set.least_units(k);
      if (set.several_gpus(k) && wider) { widest = k; }
    }
    if (widest == size()) { return branch_on_shares(set, failed); }
    return split_gpus(set, widest);
  }

  /// Splits by whether task k is on its first GPU, or on none like that.
  constexpr auto split_gpus(choices& set, std::size_t k) -> bool {
    const std::size_t g = set.first_gpu(k);
    choices there = set;
    there[k].gpus = share_choice::bit(g);
    if (search(there)) { return true; }
    set[k].gpus &= ~set.twins(g);
    return effort_->complete && set[k].gpus != 0 && search(set);
  }

  constexpr auto branch_on_shares(choices& set, const attempt& failed) -> bool {
    const std::size_t k = most_promising(set, failed.passed);
    if (k == size()) { return false; }
    if (set[k].least == set[k].most) { return split_gpus(set, k); }
    const std::int32_t low = middle(set[k]);
    choices more = set;
    more[k].least = low + 1;
    if (search(more)) { return true; }
    set[k].most = low;
    return effort_->complete && search(set);
  }

  /// Returns the task whose response time its share changes most, in proportion to its period, of those that the
  /// failing one depends on. Where there is none, it returns any whose shares are open, or `size()`.
  [[nodiscard]] constexpr auto most_promising(const choices& set, std::size_t failing) const -> std::size_t {
    std::size_t best = size();
    number least(0);
    for (std::size_t k = 0; k < (A::priority_ordered ? failing : size()); ++k) {
      if (set.settled(k) || !(number(0) < gain_[k])) { continue; }
      const number periods = number_traits<number>::floor_quotient(analysis_->table().tasks[k].period, gain_[k]);
      if (best == size() || periods < least) {
        best = k;
        least = periods;
      }
    }
    for (std::size_t k = 0; best == size() && k < size(); ++k) { best = set.settled(k) ? best : k; }
    return best;
  }

  /// Returns the middle between the ends, in proportion. Pre: least < most.
  [[nodiscard]] static constexpr auto middle(const share_choice& c) -> std::int32_t {
    TAKT_EXPECTS(c.least < c.most);
    std::int32_t low = c.least;
    for (std::int32_t high = c.most - 1; low < high;) {
      const std::int32_t tried = low + (high - low + 1) / 2;
      const bool below = std::int64_t{tried} * tried <= std::int64_t{c.least} * c.most;
      (below ? low : high) = below ? tried : tried - 1;
    }
    return low;
  }

  A* analysis_;
  relaxation relaxation_;
  std::uint64_t limit_;
  search_effort* effort_;
  std::array<bool, A::max_tasks> needs_;
  std::array<number, A::max_tasks> gain_{};        ///< of the largest share over the least, relaxed
  std::array<share_choice, A::max_tasks> seen_{};  ///< to which the relaxed bounds belong
  std::size_t current_ = 0;                        ///< tasks that have been seen
  set_plans<A> plans_;
};

}  // namespace takt::inline TAKT_ABI::detail
