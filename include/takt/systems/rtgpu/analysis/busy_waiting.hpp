// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/job_count.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/share_choice.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// A job spins on its one core while it copies and while its kernels run, so it needs the core for all of its time.
/// Every lower task may have been preempted with a copy under way, hence blocking is a sum over them, not a maximum:
/// docs/errata.md has three tasks that exceed the maximum. Source: the STGM baseline of Zou et al. 2021, section 6.1.
///
/// With `share_choice` for `Share` it is a relaxation, as `rtgpu` describes it: every job claims least.
template <class Table, class Share = sm_share>
class busy_waiting_rta {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool priority_ordered = true;
  static constexpr bool uses_shares = true;
  static constexpr bool relaxed = std::same_as<Share, share_choice>;

  constexpr busy_waiting_rta(const Table& table, const platform_record& platform)
      : table_{&table}, platform_{platform} {}

  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    if (platform.cores > 1) { return {.fault = model_fault::one_core_and_gpu_only}; }
    return chain_fault(table, platform);
  }

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return "busy-waiting"; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }
  /// With more SMs a higher task holds the core for less time, which helps all: the least share is not the best.
  [[nodiscard]] constexpr auto monotone() const noexcept -> bool { return false; }

  [[nodiscard]] constexpr auto relaxation() const { return busy_waiting_rta<Table, share_choice>(*table_, platform_); }

  constexpr void assign(std::size_t k, const Share& share) {
    served_[k] = detail::any_sms(share) || !table_->has_kernel(k);
    claim_[k] = number(0);
    kernels_[k] = number(0);
    if (!served_[k]) { return; }
    for (std::size_t j = 0; j < table_->tasks[k].segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      const number time = s.where == stage::kernel ? kernel_time(*table_, s, platform_, share).upper : s.time.upper;
      claim_[k] = claim_[k] + time;
      if (s.where == stage::kernel) { kernels_[k] = kernels_[k] + time; }
    }
  }

  constexpr auto evaluate(std::size_t k) -> bool {
    bounds_[k] = {};
    if (!served_[k]) { return false; }
    const number own = claim_[k] + blocking(k);
    number start = own;
    for (std::size_t i = 0; i < k; ++i) { start = start + claim_[i]; }
    const auto found = least_fixed_point(start, table_->tasks[k].deadline, [this, k, &own](const number& x) {
      number sum = own;
      for (std::size_t i = 0; i < k; ++i) { sum = sum + detail::jobs_released(table_->tasks[i].period, x) * claim_[i]; }
      return takt::detail::ascent<number>{sum, x};
    });
    const auto result = relaxed ? at_least(found) : found;
    bounds_[k] = {result.value, result.exists()};
    return result.exists();
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
  /// Returns the time for which a job of task k holds its core.
  [[nodiscard]] constexpr auto claim(std::size_t k) const -> const number& {
    TAKT_EXPECTS(k < max_tasks);
    return claim_[k];
  }
  /// Returns the part of that time in which own kernels run.
  [[nodiscard]] constexpr auto kernels(std::size_t k) const -> const number& {
    TAKT_EXPECTS(k < max_tasks);
    return kernels_[k];
  }
  /// Returns one outstanding copy of each lower task; 0 when neither k nor a higher task copies.
  [[nodiscard]] constexpr auto blocking(std::size_t k) const -> number {
    bool copies = false;
    for (std::size_t i = 0; i <= k; ++i) { copies = copies || number(0) < longest_copy(i); }
    number sum(0);
    for (std::size_t i = k + 1; copies && i < table_->size(); ++i) { sum = sum + longest_copy(i); }
    return sum;
  }

  [[nodiscard]] constexpr auto longest_copy(std::size_t i) const -> number {
    number longest(0);
    for (std::size_t j = 0; j < table_->tasks[i].segment_count; ++j) {
      const auto& s = table_->segment(i, j);
      if (s.where == stage::copy && longest < s.time.upper) { longest = s.time.upper; }
    }
    return longest;
  }
  /// Returns whether task k has what its kernels need.
  [[nodiscard]] constexpr auto served(std::size_t k) const -> bool { return served_[k]; }

  /// Calls `f(term)` for each part of the bound of task k, own time first; the times add up to the bound. Pre: task k
  /// was evaluated last with its present shares and its bound exists. Cost: as one evaluation.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const {
    TAKT_EXPECTS(bound(k).exists);
    detail::term_sums<Table> sums;
    detail::add_busy_waiting_parts(*this, k, bounds_[k].value, sums);
    sums.emit(*table_, k, f);
  }
  /// Calls `f(term)` for what may claim time between release and deadline of a task that has no bound within its
  /// deadline. Pre: as above, and task k does not meet its deadline.
  template <class F>
  constexpr void for_each_demand(std::size_t k, F f) const {
    TAKT_EXPECTS(!meets(k));
    detail::term_sums<Table> sums;
    detail::add_busy_waiting_parts(*this, k, table_->tasks[k].deadline, sums);
    sums.emit(*table_, k, f);
  }

 private:
  const Table* table_;
  platform_record platform_;
  std::array<number, max_tasks> claim_{};
  std::array<number, max_tasks> kernels_{};
  std::array<response_bound<number>, max_tasks> bounds_{};
  std::array<bool, max_tasks> served_{};
};

namespace detail {

struct busy_waiting_method {
  static constexpr std::string_view name = "busy-waiting";
  static constexpr bool finds_misses = true;
  template <class Table>
  using analysis = busy_waiting_rta<Table>;
};
/// Knows chains that keep their processors.
struct busy_waiting_chains : method_family {
  template <takt::detail::BusyWaitingPlatform P>
  using on = busy_waiting_method;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
