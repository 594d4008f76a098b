// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/analysis/methods/locking/suspension_aware.hpp>
#include <takt/analysis/methods/locking/suspension_oblivious.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/rtgpu/analysis/chain_pattern.hpp>
#include <takt/systems/rtgpu/analysis/classical_rta.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>
#include <takt/systems/rtgpu/analysis/token_sections.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Bounds how long each job waits for its tokens, on fixed-priority cores of one processor each. Sections are pure
/// device time, so a holder progresses without a core.
///
/// - `k_fmlp`: a request waits for the sections ahead of it in the shortest queue, floor((n - 1) / k) of different
///   tasks. This is wall-clock time, on any number of cores.
/// - `r2dglp`, one core: one section per request, in suspension-oblivious terms. From its issue until it is granted, a
///   replica that becomes free goes to a request of higher priority or to this one. A job that is the best pending one
///   has no job above it with a request left. So it is blocked only until the first holder ends.
/// - `ck_omlp`: as many processors as cores with users; a loan is possible only to a lower task of the same core.
///
/// No request waits where there are as many tokens as users; a loan may remain.
template <class Table, class Order>
class token_blocking {
 public:
  using number = typename Table::number;

  constexpr token_blocking(const Table& table, const token_sections<Table>& sections) {
    for (std::size_t k = 0; k < table.size(); ++k) { job_[k] = of(Order{}, table, sections, k); }
  }

  [[nodiscard]] constexpr auto jobs() const noexcept -> const std::array<blocking_bound<number>, Table::max_tasks>& {
    return job_;
  }

 private:
  [[nodiscard]] static constexpr auto contended(const token_sections<Table>& sections) -> bool {
    return sections.ranked().users() > sections.tokens();
  }
  [[nodiscard]] static constexpr auto of(k_fmlp_order_rule /*order*/, const Table& /*table*/,
                                         const token_sections<Table>& sections, std::size_t k)
      -> blocking_bound<number> {
    const std::int64_t ahead = contended(sections) ? (sections.ranked().users() - 1) / sections.tokens() : 0;
    return per_job(sections.requests(k), blocking_bound<number>{sections.ranked().sum_but(k, ahead)});
  }
  [[nodiscard]] static constexpr auto of(r2dglp_order_rule /*order*/, const Table& /*table*/,
                                         const token_sections<Table>& sections, std::size_t k)
      -> blocking_bound<number> {
    if (!contended(sections)) { return {}; }
    return per_job(sections.requests(k), r2dglp_wait(1, sections.tokens(), sections.ranked().longest_but(k)));
  }
  [[nodiscard]] static constexpr auto of(ck_omlp_order_rule /*order*/, const Table& table,
                                         const token_sections<Table>& sections, std::size_t k)
      -> blocking_bound<number> {
    const std::int64_t processors = cores_with_users(table, sections);
    if (processors == 0) { return {}; }
    bool lends = false;
    for (std::size_t i = k + 1; i < table.size(); ++i) {
      lends = lends || (sections.requests(i) > 0 && table.tasks[i].core == table.tasks[k].core);
    }
    detail::blocking_sum<number> sum;
    sum.add(sections.requests(k), ck_omlp_direct(processors, sections.tokens(), sections.ranked().longest_but(k)));
    const number longest = sections.ranked().longest_but(table.size());
    if (lends) { sum.add(1, ck_omlp_indirect(processors, sections.tokens(), longest)); }
    return sum.total();
  }

  [[nodiscard]] static constexpr auto cores_with_users(const Table& table, const token_sections<Table>& sections)
      -> std::int64_t {
    std::int64_t cores = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      bool counts = sections.requests(i) > 0;
      for (std::size_t j = 0; j < i && counts; ++j) {
        counts = sections.requests(j) == 0 || table.tasks[j].core != table.tasks[i].core;
      }
      cores += counts ? 1 : 0;
    }
    return cores;
  }

  std::array<blocking_bound<number>, Table::max_tasks> job_{};
};

/// Bounds tasks whose GPUs are a pool of tokens under a locking protocol, on partitioned fixed-priority cores. A job
/// takes a token for each accelerator segment between two CPU segments and has the SMs behind it to itself. Holders
/// share copy engines in first-in-first-out order. A bound is the lesser of two: waiting and suspensions as execution
/// (`inflate`), and, where waiting is bounded in wall-clock time, as suspension. Source: Elliott 2015,
/// sections 2.1.6.3, 2.1.7 and 3.2.3; Chen, Nelissen and Huang 2016.
template <class Table, class Order>
class locked_gpu_rta {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool priority_ordered = true;
  /// Lets every kernel have the SMs of a token.
  static constexpr bool uses_shares = false;

  constexpr locked_gpu_rta(const Table& table, const platform_record& platform) : table_{&table}, platform_{platform} {}

  /// `one_core_and_gpu_only` for the R2DGLP on several cores: it knows one cluster.
  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    if (one_cluster && platform.cores > 1) { return {.fault = model_fault::one_core_and_gpu_only}; }
    for (const gpu_record& gpu : platform.gpus) {
      if (gpu.slot() < 1) { return {.fault = model_fault::platform_size_out_of_range}; }
    }
    if (const auto error = chain_fault(table, platform)) { return error; }
    const bool bounded = inflated(table, token_sections<Table>(table, platform)).status == blocking_status::bounded;
    return {.fault = bounded ? model_fault::none : model_fault::time_overflow};
  }

  [[nodiscard]] static constexpr auto name() noexcept -> std::string_view { return Order::method; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }
  [[nodiscard]] constexpr auto monotone() const noexcept -> bool { return true; }

  constexpr void assign(std::size_t /*k*/, const sm_share& /*share*/) noexcept {}

  constexpr auto evaluate(std::size_t k) -> bool {
    if (!prepared_) { prepare(); }
    const auto oblivious = classical_response(independent_, k, [](std::size_t /*i*/) { return number(0); });
    bounds_[k] = {oblivious.value, oblivious.exists()};
    if constexpr (waits_in_wall_clock_time) {
      const auto aware = suspension_aware_response(
          *table_, k, whole(k), [this](std::size_t i) { return cpu_[i]; },
          [this](std::size_t i) { return bounds_[i].value; });
      suspends_[k] = aware.exists() && !(oblivious.exists() && !(aware.value < oblivious.value));
      bounds_[k] = tighter(bounds_[k], response_bound<number>{aware.value, aware.exists()});
    }
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

  // What a bound is made of, for those who explain it. Pre: task k has been evaluated.

  [[nodiscard]] constexpr auto cpu(std::size_t k) const -> const number& {
    TAKT_EXPECTS(prepared_ && k < table_->size());
    return cpu_[k];
  }
  [[nodiscard]] constexpr auto sections(std::size_t k) const -> const number& {
    TAKT_EXPECTS(prepared_ && k < table_->size());
    return device_[k];
  }
  [[nodiscard]] constexpr auto token_wait(std::size_t k) const -> const number& {
    TAKT_EXPECTS(prepared_ && k < table_->size());
    return waits_[k];
  }
  /// Returns CPU time, sections and all waits of a job.
  [[nodiscard]] constexpr auto whole(std::size_t k) const -> const number& {
    TAKT_EXPECTS(prepared_ && k < table_->size());
    return independent_.segment(k, 0).time.upper;
  }
  /// Returns whether the bound takes the sections and waits of higher tasks as suspensions, not as execution.
  [[nodiscard]] constexpr auto others_suspend(std::size_t k) const -> bool {
    TAKT_EXPECTS(prepared_ && k < table_->size());
    return suspends_[k];
  }

  /// Calls `f(term)` for each part of the bound of task k, own time first; the times add up to the bound. Pre: task k
  /// was evaluated last with its present shares and its bound exists. Cost: as one evaluation.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const {
    TAKT_EXPECTS(bound(k).exists);
    detail::term_sums<Table> sums;
    detail::add_token_parts(*this, k, bounds_[k].value, sums);
    sums.emit(*table_, k, f);
  }
  /// Calls `f(term)` for what may claim time between release and deadline of a task that has no bound within its
  /// deadline. Pre: as above, and task k does not meet its deadline.
  template <class F>
  constexpr void for_each_demand(std::size_t k, F f) const {
    TAKT_EXPECTS(!meets(k));
    detail::term_sums<Table> sums;
    detail::add_token_parts(*this, k, table_->tasks[k].deadline, sums);
    sums.emit(*table_, k, f);
  }

 private:
  static constexpr bool waits_in_wall_clock_time = std::same_as<Order, k_fmlp_order_rule>;
  static constexpr bool one_cluster = std::same_as<Order, r2dglp_order_rule>;

  [[nodiscard]] static constexpr auto inflated(const Table& table, const token_sections<Table>& sections)
      -> inflated_tasks<Table> {
    std::array<number, max_tasks> execution{};
    for (std::size_t k = 0; k < table.size(); ++k) { execution[k] = sections.cpu(k) + sections.device(k); }
    const token_blocking<Table, Order> waits(table, sections);
    return inflate(table, std::span<const number>(execution), std::span<const blocking_bound<number>>(waits.jobs()));
  }

  /// Not before the first evaluation: a model that does not fit may have kernels that cannot even be divided.
  constexpr void prepare() {
    const token_sections<Table> sections(*table_, platform_);
    independent_ = inflated(*table_, sections).table;
    const token_blocking<Table, Order> waits(*table_, sections);
    for (std::size_t k = 0; k < table_->size(); ++k) {
      cpu_[k] = sections.cpu(k);
      device_[k] = sections.device(k);
      waits_[k] = waits.jobs()[k].time;
    }
    prepared_ = true;
  }

  const Table* table_;
  platform_record platform_;
  bool prepared_ = false;
  independent_table<Table> independent_;
  std::array<number, max_tasks> cpu_{};
  std::array<number, max_tasks> device_{};
  std::array<number, max_tasks> waits_{};
  std::array<response_bound<number>, max_tasks> bounds_{};
  std::array<bool, max_tasks> suspends_{};
};

template <class Order>
struct locked_gpu_method {
  static constexpr std::string_view name = Order::method;
  template <class Table>
  using analysis = locked_gpu_rta<Table, Order>;
};
/// Knows chains whose kernels run behind tokens.
struct token_chains : method_family {
  template <TokenGpuPlatform P>
  using on = locked_gpu_method<typename P::gpu_rule::token_rule>;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
