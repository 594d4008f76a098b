// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Analyses response times of tasks that never suspend, pinned to preemptive fixed-priority cores. Exact: a bound is
/// the response to a synchronous release. Source: Joseph and Pandya 1986.
///
/// The response of task k is at least C_k plus that of the task before it on its core. So windows only grow from task
/// to task. Each release of a higher task is counted once in the whole analysis, without a division.
template <class Table>
class fixed_priority_rta {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool priority_ordered = true;
  static constexpr bool uses_shares = false;

  /// Pre: `table` is in priority order and outlives the analysis.
  constexpr fixed_priority_rta(const Table& table, const platform_record& platform)
      : table_{&table}, platform_{platform} {
    group_by_core();
  }

  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    if (const auto error = chain_fault(table, platform)) { return error; }
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (table.has_kernel(k)) { return {.fault = model_fault::kernel_without_gpu, .task = table.tasks[k].id}; }
    }
    return {};
  }

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return "fixed-priority-rta"; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }
  [[nodiscard]] constexpr auto monotone() const noexcept -> bool { return true; }

  constexpr void assign(std::size_t /*k*/, const sm_share& /*share*/) noexcept {}

  /// Pre: every higher task meets its deadline. Cost, for the whole set: one step per release of a higher task within
  /// the responses, and k comparisons per iteration.
  constexpr auto evaluate(std::size_t k) -> bool {
    if (k < evaluated_) { evaluated_ = 0; }
    while (evaluated_ <= k) { respond(evaluated_++); }
    return bounds_[k].exists;
  }

  /// Pre, here and below: k < max_tasks.
  [[nodiscard]] constexpr auto bound(std::size_t k) const -> const response_bound<number>& {
    TAKT_EXPECTS(k < max_tasks);
    return bounds_[k];
  }
  [[nodiscard]] constexpr auto meets(std::size_t k) const -> bool {
    TAKT_EXPECTS(k < max_tasks);
    return bounds_[k].exists;
  }

  /// Calls `f(term)` for each part of the bound of task k, own time first; the times add up to the bound. Pre: task k
  /// was evaluated last with its present shares and its bound exists. Cost: as one evaluation.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const {
    TAKT_EXPECTS(bound(k).exists);
    detail::term_sums<Table> sums;
    detail::add_processor_parts(*this, k, bounds_[k].value, sums);
    sums.emit(*table_, k, f);
  }
  /// Calls `f(term)` for what may claim time between release and deadline of a task that has no bound within its
  /// deadline. Pre: as above, and task k does not meet its deadline.
  template <class F>
  constexpr void for_each_demand(std::size_t k, F f) const {
    TAKT_EXPECTS(!meets(k));
    detail::term_sums<Table> sums;
    detail::add_processor_parts(*this, k, table_->tasks[k].deadline, sums);
    sums.emit(*table_, k, f);
  }

 private:
  /// Describes a task as those below it on its core see it, while a window grows.
  struct rival {
    number next_release;
    number wcet;
    number period;
  };

  /// Places the tasks core by core, each core in priority order. Cost: n^2 steps at most, n for one core.
  constexpr void group_by_core() {
    std::size_t order[max_tasks]{};
    const std::size_t size = table_->size();
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t at = k;
      for (; at > 0 && table_->tasks[k].core < table_->tasks[order[at - 1]].core; --at) { order[at] = order[at - 1]; }
      order[at] = k;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const bool continues = i > 0 && table_->tasks[order[i]].core == table_->tasks[order[i - 1]].core;
      place_[order[i]] = i;
      first_[order[i]] = continues ? first_[order[i - 1]] : i;
    }
  }

  constexpr void respond(std::size_t k) {
    const auto& t = table_->tasks[k];
    const number own = table_->segments[t.first_segment].time.upper;
    rival* const first = rivals_ + first_[k];
    rival* const self = rivals_ + place_[k];
    number window = self == first ? own : windows_[place_[k] - 1] + own;
    number sum = window;
    while (!(t.deadline < window)) {
      for (rival* r = first; r != self; ++r) {
        for (; r->next_release < window; r->next_release = r->next_release + r->period) { sum = sum + r->wcet; }
      }
      if (sum == window) { break; }
      window = sum;
    }
    *self = {t.period, own, t.period};
    windows_[place_[k]] = window;
    bounds_[k] = {own == number(0) ? number(0) : window, !(t.deadline < window)};
  }

  const Table* table_;
  platform_record platform_;
  std::size_t evaluated_ = 0;
  std::size_t place_[max_tasks]{};
  std::size_t first_[max_tasks]{};
  rival rivals_[max_tasks]{};
  number windows_[max_tasks]{};  ///< by place: up to which the core has been followed
  std::array<response_bound<number>, max_tasks> bounds_{};
};

/// Exact for deadlines within the period, so that no other method can add to it there.
struct fixed_priority_method {
  static constexpr std::string_view name = "fixed-priority-rta";
  static constexpr bool finds_misses = true;
  static constexpr bool follows_pools = true;
  static constexpr bool is_exact = true;
  template <class Table>
  using analysis = fixed_priority_rta<Table>;
};
namespace detail {

/// Knows chains on processors alone.
struct processor_chains : method_family {
  template <takt::detail::ProcessorsOnly P>
  using on = fixed_priority_method;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
