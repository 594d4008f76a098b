// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/job_count.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/share_choice.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/systems/rtgpu/analysis/accelerator_segments.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Is the GPU with its bus as one suspension-based lock on one core: each accelerator segment between two CPU segments
/// is a critical section, its kernel on all SMs. Waiting is bounded per request and per job, whichever is less. Source:
/// the MPCP baseline of Zou et al. 2021, section 6.1, after Patel et al. 2018 (hybrid blocking); prose only.
template <class Table>
class enhanced_mpcp {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool priority_ordered = true;
  /// Lets every kernel have all SMs.
  static constexpr bool uses_shares = false;

  constexpr enhanced_mpcp(const Table& table, const platform_record& platform) : table_{&table}, platform_{platform} {}

  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    if (platform.cores > 1 || platform.gpus.size() > 1) { return {.fault = model_fault::one_core_and_gpu_only}; }
    return chain_fault(table, platform);
  }

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return "enhanced-mpcp"; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }
  [[nodiscard]] constexpr auto monotone() const noexcept -> bool { return true; }

  constexpr void assign(std::size_t /*k*/, const sm_share& /*share*/) noexcept {}

  constexpr auto evaluate(std::size_t k) -> bool {
    if (!merged_) { merge_chains(); }
    const number& limit = table_->tasks[k].deadline;
    const number own = chains_.cpu(k) + chains_.accelerator(k);
    const number longest = chains_.longest_below(k, table_->size());
    const number requests(chains_.requests(k));
    request_driven_[k] = per_request(k, longest, limit);
    const auto result = least_fixed_point(own, limit, [&](const number& x) {
      number sum = own + blocked_within(k, x, longest, requests);
      for (std::size_t i = 0; i < k; ++i) {
        sum = sum +
              detail::jobs_released(table_->tasks[i].period, x + bounds_[i].value - chains_.cpu(i)) * chains_.cpu(i);
      }
      return takt::detail::ascent<number>{sum, x};
    });
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
  [[nodiscard]] constexpr auto chains() const noexcept -> const accelerator_segments<Table>& { return chains_; }
  /// Returns the waiting of all requests of a job when each is bounded by itself.
  [[nodiscard]] constexpr auto request_driven_blocking(std::size_t k) const -> const fixed_point<number>& {
    return request_driven_[k];
  }

  /// Calls `f(term)` for each part of the bound of task k, own time first; the times add up to the bound. Pre: task k
  /// was evaluated last with its present shares and its bound exists. Cost: as one evaluation.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const {
    TAKT_EXPECTS(bound(k).exists);
    detail::term_sums<Table> sums;
    detail::add_locking_parts(*this, k, bounds_[k].value, sums);
    sums.emit(*table_, k, f);
  }
  /// Calls `f(term)` for what may claim time between release and deadline of a task that has no bound within its
  /// deadline. Pre: as above, and task k does not meet its deadline.
  template <class F>
  constexpr void for_each_demand(std::size_t k, F f) const {
    TAKT_EXPECTS(!meets(k));
    detail::term_sums<Table> sums;
    detail::add_locking_parts(*this, k, table_->tasks[k].deadline, sums);
    sums.emit(*table_, k, f);
  }

 private:
  /// Not before the first evaluation: a model that does not fit may have kernels that cannot even be divided.
  constexpr void merge_chains() {
    const auto on_all_sms = [this](const segment_record<number>& s) {
      return kernel_time(*table_, s, platform_, sm_share{0, platform_.gpus[0].budget()});
    };
    for (std::size_t k = 0; k < table_->size(); ++k) { chains_.merge(*table_, k, on_all_sms); }
    merged_ = true;
  }

  [[nodiscard]] constexpr auto per_request(std::size_t k, const number& longest, const number& limit) const
      -> fixed_point<number> {
    if (chains_.requests(k) == 0) { return {number(0), stop_reason::converged}; }
    number start = longest;
    for (std::size_t i = 0; i < k; ++i) { start = start + chains_.accelerator(i); }
    auto one = least_fixed_point(start, limit, [&](const number& x) {
      return takt::detail::ascent<number>{longest + higher_segments(k, x), x};
    });
    one.value = number(chains_.requests(k)) * one.value;
    return one;
  }
  [[nodiscard]] constexpr auto blocked_within(std::size_t k, const number& x, const number& longest,
                                              const number& requests) const -> number {
    if (chains_.requests(k) == 0) { return number(0); }
    const number job_driven = requests * longest + higher_segments(k, x);
    const auto& per_request_sum = request_driven_[k];
    return per_request_sum.exists() && per_request_sum.value < job_driven ? per_request_sum.value : job_driven;
  }
  [[nodiscard]] constexpr auto higher_segments(std::size_t k, const number& x) const -> number {
    number sum(0);
    for (std::size_t i = 0; i < k; ++i) {
      sum = sum + (detail::jobs_released(table_->tasks[i].period, x) + number(1)) * chains_.accelerator(i);
    }
    return sum;
  }

  const Table* table_;
  platform_record platform_;
  accelerator_segments<Table> chains_;
  bool merged_ = false;
  std::array<response_bound<number>, max_tasks> bounds_{};
  std::array<fixed_point<number>, max_tasks> request_driven_{};
};

namespace detail {

struct enhanced_mpcp_method {
  static constexpr std::string_view name = "enhanced-mpcp";
  template <class Table>
  using analysis = enhanced_mpcp<Table>;
};
/// Knows chains behind one lock, with all SMs.
struct locked_chains : method_family {
  template <LockedGpuPlatform P>
  using on = enhanced_mpcp_method;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
