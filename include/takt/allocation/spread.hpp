// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/plan_walk.hpp>
#include <takt/allocation/share_pool.hpp>
#include <takt/analysis/concepts.hpp>
#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/worst_fit.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Hands out what a proven plan leaves of the GPUs, and moves shares, where that raises the least slack, then the next.
/// The analysis and the effort must outlive it.
template <analysis::PriorityAnalysis A>
class share_spreader {
 public:
  using share_list = std::array<sm_share, A::max_tasks>;

  constexpr share_spreader(A& a, search_effort& effort)
      : analysis_{&a}, effort_{&effort}, needs_{tasks_with_shares(a)}, pool_{a.platform()} {}

  /// Returns `given` where some task does not pass under it. Else every task passes under what is returned, too.
  constexpr auto run(const share_list& given) -> share_list {
    chosen_ = given;
    for (std::size_t k = 0; k < size(); ++k) {
      if (needs_[k]) { pool_.take(static_cast<std::size_t>(chosen_[k].gpu), chosen_[k].sms); }
      analysis_->assign(k, chosen_[k]);
    }
    if (!passes()) { return given; }
    loads_ = loads();
    while (widen_some()) {}
    return chosen_;
  }

 private:
  using number = typename std::remove_cvref_t<decltype(std::declval<A&>().table())>::number;
  /// Bounds by deadlines, by priority.
  using load_list = std::array<std::conditional_t<std::same_as<number, ticks>, std::int64_t, number>, A::max_tasks>;

  [[nodiscard]] constexpr auto size() const -> std::size_t { return analysis_->table().size(); }

  constexpr auto passes() -> bool {
    ++effort_->plans;
    return first_failing(unlimited_evaluations, *effort_, *analysis_) == size();
  }
  [[nodiscard]] constexpr auto loads() const -> load_list {
    load_list out{};
    for (std::size_t k = 0; k < size(); ++k) {
      const auto& deadline = analysis_->table().tasks[k].deadline;
      if constexpr (std::same_as<number, ticks>) {
        out[k] = demand_of_place(analysis_->bound(k).value, deadline);
      } else {
        out[k] = analysis_->bound(k).value / deadline;
      }
    }
    return out;
  }
  /// Returns whether the largest load is less, or as large and the next one is less.
  [[nodiscard]] constexpr auto is_wider(load_list found, load_list before) const -> bool {
    const auto by_load = [this](load_list& x) {
      for (std::size_t k = 1; k < size(); ++k) {
        for (std::size_t at = k; at > 0 && x[at - 1] < x[at]; --at) {
          const auto larger = x[at];
          x[at] = x[at - 1];
          x[at - 1] = larger;
        }
      }
    };
    by_load(found);
    by_load(before);
    for (std::size_t k = 0; k < size(); ++k) {
      if (found[k] < before[k]) { return true; }
      if (before[k] < found[k]) { return false; }
    }
    return false;
  }

  /// Gives more to the tightest task that gains from it. False where none does.
  constexpr auto widen_some() -> bool {
    std::array<bool, A::max_tasks> tried{};
    for (;;) {
      std::size_t tightest = size();
      for (std::size_t k = 0; k < size(); ++k) {
        if (needs_[k] && !tried[k] && (tightest == size() || loads_[tightest] < loads_[k])) { tightest = k; }
      }
      if (tightest == size()) { return false; }
      tried[tightest] = true;
      if (grow(tightest) || grow_at_the_cost_of_others(tightest)) { return true; }
    }
  }
  /// Adds as few units of what is left as make a difference: one more may change nothing where two do.
  constexpr auto grow(std::size_t k) -> bool {
    const auto g = static_cast<std::size_t>(chosen_[k].gpu);
    const std::int32_t unit = pool_.gpu(g).granularity;
    for (std::int32_t more = unit; more <= pool_.free(g); more += unit) {
      if (!improves(k, more, k)) { continue; }
      pool_.take(g, more);
      return true;
    }
    return false;
  }
  constexpr auto grow_at_the_cost_of_others(std::size_t k) -> bool {
    const std::int32_t unit = pool_.gpu(static_cast<std::size_t>(chosen_[k].gpu)).granularity;
    for (std::size_t other = 0; other < size(); ++other) {
      const bool gives =
          other != k && needs_[other] && chosen_[other].gpu == chosen_[k].gpu && chosen_[other].sms > unit;
      if (gives && improves(k, unit, other)) { return true; }
    }
    return false;
  }
  /// Tries `more` SMs for task k, of task `from` unless that is k; keeps them where that is wider.
  constexpr auto improves(std::size_t k, std::int32_t more, std::size_t from) -> bool {
    const share_list before = chosen_;
    chosen_[k].sms += more;
    if (from != k) { chosen_[from].sms -= more; }
    ++effort_->nodes;
    if (judge()) {
      const load_list found = loads();
      if (is_wider(found, loads_)) {
        loads_ = found;
        return true;
      }
    }
    chosen_ = before;
    return false;
  }
  constexpr auto judge() -> bool {
    for (std::size_t k = 0; k < size(); ++k) { analysis_->assign(k, chosen_[k]); }
    return passes();
  }

  A* analysis_;
  search_effort* effort_;
  std::array<bool, A::max_tasks> needs_;
  share_pool pool_;
  share_list chosen_{};
  load_list loads_{};
};

}  // namespace takt::inline TAKT_ABI::detail
