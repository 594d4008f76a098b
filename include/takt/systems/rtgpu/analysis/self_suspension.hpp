// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/analysis/ascending.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/share_choice.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/systems/rtgpu/analysis/accelerator_segments.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>
#include <takt/systems/rtgpu/analysis/interference.hpp>
#include <takt/systems/rtgpu/analysis/least_workload.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>
#include <takt/systems/rtgpu/analysis/workload.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Analyses segmented self-suspension over one serialised accelerator. A single non-preemptive fixed-priority server
/// that all tasks share serves each accelerator segment between two CPU segments, its kernel on the task's own SMs.
/// Source: the baseline of Zou et al. 2021, section 6.1, read as their Lemmas 2.1 to 2.3; the paper gives prose only.
///
/// With `share_choice` for `Share` it is a relaxation, as `rtgpu` describes it: here kernels are also work on the
/// shared server, with their least longest times. Own segments that shrink by x take x from the work of a window and
/// bring at most x of it forward.
template <class Table, class Share = sm_share>
class self_suspension {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr std::size_t max_elements = Table::max_segments;
  /// The share of a lower task lengthens the accelerator segment that blocks, so a plan must be whole before any task
  /// is judged.
  static constexpr bool priority_ordered = false;
  static constexpr bool uses_shares = true;
  static constexpr bool relaxed = std::same_as<Share, share_choice>;

  constexpr self_suspension(const Table& table, const platform_record& platform)
      : table_{&table}, platform_{platform} {}

  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    return chain_fault(table, platform);
  }

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return "self-suspension"; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }
  [[nodiscard]] constexpr auto monotone() const noexcept -> bool { return false; }

  [[nodiscard]] constexpr auto relaxation() const { return self_suspension<Table, share_choice>(*table_, platform_); }

  constexpr void assign(std::size_t k, const Share& share) {
    served_[k] = detail::any_sms(share) || !table_->has_kernel(k);
    shares_[k] = share;
    if (served_[k]) { merge(k, share); }
  }

  /// Pre: every higher task has its share and meets its deadline.
  constexpr auto evaluate(std::size_t k) -> bool {
    TAKT_EXPECTS_IN_TESTS(higher_tasks_meet(k));
    const auto& t = table_->tasks[k];
    bounds_[k] = {};
    if (!served_[k]) { return false; }
    const auto upper = [this, &t](std::size_t j) -> const number& {
      return chains_.elements()[t.first_segment + j].time.upper;
    };
    const auto on = [this, &t](std::int32_t resource) {
      return
          [this, &t, resource](std::size_t j) { return chains_.elements()[t.first_segment + j].resource == resource; };
    };
    fixed_point<number> cpu_sum{number(0), stop_reason::converged};
    interference<model> core(workload_);
    include_core(k, core);
    detail::for_ascending<max_elements>(chains_.count(k), on(0), upper, [&](std::size_t j) {
      add(cpu_sum, responses_[t.first_segment + j] = core.solve(upper(j), t.deadline));
    });
    fixed_point<number> segment_sum{number(0), stop_reason::converged};
    interference<model> server(workload_);
    for (std::size_t i = 0; i < k; ++i) { server.include(i, 1); }
    detail::for_ascending<max_elements>(chains_.count(k), on(1), upper, [&](std::size_t j) {
      auto& response = responses_[t.first_segment + j];
      response = {number(0), stop_reason::converged};
      if (number(0) < upper(j)) { response = server.solve(upper(j) + blocking(k), t.deadline); }
      add(segment_sum, response);
    });
    auto& b = bounds_[k];
    if (segment_sum.exists()) {
      if (cpu_sum.exists()) { b.segmentwise = {segment_sum.value + cpu_sum.value, stop_reason::converged}; }
      interference<model> joint(workload_);
      include_core(k, joint);
      b.cpu_joint = joint.solve(segment_sum.value + chains_.cpu(k), t.deadline);
    }
    b.best = tighter(response_bound<number>{b.segmentwise.value, b.segmentwise.exists()},
                     response_bound<number>{b.cpu_joint.value, b.cpu_joint.exists()});
    if (meets(k)) { pack(k); }
    return meets(k);
  }

  struct bounds_of_task {
    fixed_point<number> segmentwise;
    fixed_point<number> cpu_joint;
    response_bound<number> best;
  };
  /// Pre, here and below: k < max_tasks.
  [[nodiscard]] constexpr auto bounds(std::size_t k) const -> const bounds_of_task& {
    TAKT_EXPECTS(k < max_tasks);
    return bounds_[k];
  }
  [[nodiscard]] constexpr auto bound(std::size_t k) const -> const response_bound<number>& {
    TAKT_EXPECTS(k < max_tasks);
    return bounds_[k].best;
  }
  [[nodiscard]] constexpr auto meets(std::size_t k) const -> bool {
    return bounds_[k].best.exists && !(table_->tasks[k].deadline < bounds_[k].best.value);
  }
  /// Returns the longest accelerator segment of a lower task under its share.
  [[nodiscard]] constexpr auto blocking(std::size_t k) const -> number {
    return chains_.longest_below(k, table_->size());
  }
  [[nodiscard]] constexpr auto chains() const noexcept -> const accelerator_segments<Table>& { return chains_; }
  using model = std::conditional_t<relaxed, least_workload<number, max_tasks, max_elements, 2, share_pieces>,
                                   workload_model<number, max_tasks, max_elements, 2>>;
  [[nodiscard]] constexpr auto workload() const -> const model& { return workload_; }
  /// Returns whether task k has what its kernels need.
  [[nodiscard]] constexpr auto served(std::size_t k) const -> bool { return served_[k]; }
  /// Returns the response of the j-th element of the merged chain.
  [[nodiscard]] constexpr auto element_response(std::size_t k, std::size_t j) const -> const fixed_point<number>& {
    return responses_[table_->tasks[k].first_segment + j];
  }

  /// Calls `f(term)` for each part of the bound of task k, own time first; the times add up to the bound. Pre: task k
  /// was evaluated last with its present shares and its bound exists. Cost: as one evaluation.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const {
    TAKT_EXPECTS(bound(k).exists);
    detail::term_sums<Table> sums;
    const auto& b = bounds_[k];
    const bool joint = !b.segmentwise.exists() || b.best.value < b.segmentwise.value;
    detail::add_suspension_parts(*this, k, joint, b.best.value, sums);
    sums.emit(*table_, k, f);
  }
  /// Calls `f(term)` for what may claim time between release and deadline of a task that has no bound within its
  /// deadline. Pre: as above, and task k does not meet its deadline.
  template <class F>
  constexpr void for_each_demand(std::size_t k, F f) const {
    TAKT_EXPECTS(!meets(k));
    detail::term_sums<Table> sums;
    if (!detail::add_endless_segment(*this, k, sums)) {
      detail::add_suspension_parts(*this, k, true, table_->tasks[k].deadline, sums);
    }
    sums.emit(*table_, k, f);
  }

 private:
  [[nodiscard]] constexpr auto higher_tasks_meet(std::size_t k) const -> bool {
    for (std::size_t i = 0; i < k; ++i) {
      if (!meets(i)) { return false; }
    }
    return true;
  }

  constexpr void merge(std::size_t k, const Share& share) {
    chains_.merge(*table_, k,
                  [&](const segment_record<number>& s) { return kernel_time(*table_, s, platform_, share); });
  }

  constexpr void pack(std::size_t k) {
    const auto& t = table_->tasks[k];
    const auto add = [&] {
      workload_.pack(k, chains_.elements(), t.first_segment, chains_.count(k), t.period, t.deadline);
    };
    if constexpr (relaxed) {
      workload_.clear(k);
      if (!table_->has_kernel(k)) { return add(); }
      detail::for_each_piece(shares_[k], [&](const share_choice& piece) {
        if (!detail::exists_on(platform_, piece)) { return; }
        merge(k, piece);
        add();
      });
      merge(k, shares_[k]);
    } else {
      add();
    }
  }

  constexpr void include_core(std::size_t k, interference<model>& out) const {
    for (std::size_t i = 0; i < k; ++i) {
      if (table_->tasks[i].core == table_->tasks[k].core) { out.include(i, 0); }
    }
  }

  static constexpr void add(fixed_point<number>& sum, const fixed_point<number>& response) {
    if (!response.exists()) { sum.reason = response.reason; }
    sum.value = sum.value + response.value;
  }

  const Table* table_;
  platform_record platform_;
  accelerator_segments<Table> chains_;
  std::array<Share, max_tasks> shares_{};
  model workload_;
  std::array<fixed_point<number>, max_elements> responses_{};
  std::array<bounds_of_task, max_tasks> bounds_{};
  std::array<bool, max_tasks> served_{};
};

namespace detail {

struct self_suspension_method {
  static constexpr std::string_view name = "self-suspension";
  static constexpr bool finds_misses = true;
  template <class Table>
  using analysis = self_suspension<Table>;
};
/// Knows chains behind one lock, with SMs of their own.
struct serialized_chains : method_family {
  template <takt::detail::SerializedGpuPlatform P>
  using on = self_suspension_method;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
