// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/chain_pattern.hpp>
#include <takt/analysis/headroom.hpp>
#include <takt/analysis/job_count.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/analysis/warm_start.hpp>
#include <takt/analysis/workload.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/validate.hpp>

namespace takt::analysis {

/// Which of the sound steps an RTGPU analysis takes. Each only tightens; all hold together.
struct rtgpu_variant {
  std::string_view name;
  /// The first job of a window has finished by its response bound, not merely by its deadline.
  bool carry_in_by_response = false;
  /// A copy that has started is not preempted, and a copy that blocks it started a tick earlier (integer time).
  bool copies_start_once = false;
  /// Interference on the copy engine is also bounded once over the whole job instead of per copy.
  bool joint_windows = false;
  /// A task without suspensions is also bounded by classical response-time analysis, where higher tasks that suspend
  /// count with release jitter.
  bool classical = false;
  /// Kernel times divided by twice the virtual SMs, as Algorithm 2 of the paper prints it. Unsound.
  bool printed_divisor = false;
};

/// Zou et al. 2021, Theorem 5.6, as printed and repaired.
inline constexpr rtgpu_variant rtgpu_published{.name = "rtgpu"};
/// Never above `rtgpu_published` for the same plan.
inline constexpr rtgpu_variant rtgpu_sharper{
    .name = "rtgpu-sharper", .carry_in_by_response = true, .copies_start_once = true, .joint_windows = true};
/// The least of every bound that applies.
inline constexpr rtgpu_variant rtgpu_best{.name = "rtgpu-best",
                                          .carry_in_by_response = true,
                                          .copies_start_once = true,
                                          .joint_windows = true,
                                          .classical = true};

namespace as_published {
/// Algorithm 2 to the letter; docs/errata.md has a system that beats its bounds.
inline constexpr rtgpu_variant rtgpu_algorithm_2{.name = "rtgpu-algorithm-2", .printed_divisor = true};
}  // namespace as_published

/// The end-to-end bounds of one task; those that the variant does not compute stay `not_started`.
template <class Number>
struct rtgpu_bounds {
  fixed_point<Number> segmentwise;      ///< R1: sum of the segment responses; may exceed the deadline
  fixed_point<Number> cpu_joint;        ///< R2: CPU interference counted once over the job
  fixed_point<Number> all_joint;        ///< R3: CPU and copy interference counted once
  fixed_point<Number> copy_joint;       ///< R4: copy interference counted once
  fixed_point<Number> classical;
  response_bound<Number> best;
};

/// Response-time analysis of chains on preemptive fixed-priority cores, non-preemptive fixed-priority copy engines and
/// dedicated SMs. Source: Zou et al. 2021, section 5.
///
/// Tasks are evaluated in priority order: `evaluate(k)` presumes that every higher task has been evaluated with its
/// final share and meets its deadline. A search may assign another share and evaluate again.
template <class Table>
class rtgpu {
 public:
  using number = typename Table::number;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr std::size_t max_elements = Table::max_segments;
  static constexpr std::size_t max_engines = static_cast<std::size_t>(max_copy_engines);
  /// A task's bound depends on its own share and those of higher tasks only.
  static constexpr bool priority_ordered = true;

  /// Pre: `table` is in priority order and outlives the analysis.
  constexpr rtgpu(const Table& table, const platform_record& platform, rtgpu_variant variant = rtgpu_published)
      : table_{&table}, platform_{platform}, variant_{variant} {
    collect_blocking();
  }

  /// What keeps this analysis from applying, if anything.
  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    if (const auto error = validate(table)) { return error; }
    if (const auto error = fits_platform(table, platform)) { return error; }
    return has_headroom(table) ? model_error{} : model_error{.fault = model_fault::time_overflow};
  }

  [[nodiscard]] constexpr auto name() const noexcept -> std::string_view { return variant_.name; }
  [[nodiscard]] constexpr auto table() const noexcept -> const Table& { return *table_; }
  [[nodiscard]] constexpr auto platform() const noexcept -> const platform_record& { return platform_; }

  /// Whether giving a task fewer SMs never makes a lower task worse, so that taking the least share that passes, task
  /// by task, finds a plan whenever one exists. It needs shortest kernel times that fall with the share, and carry-in
  /// that does not depend on other bounds.
  [[nodiscard]] constexpr auto monotone() const -> bool {
    if (variant_.carry_in_by_response) { return false; }
    for (std::size_t i = 0; i < table_->segments.size(); ++i) {
      const auto& s = table_->segments[i];
      for (std::uint32_t r = 1; r < s.samples; ++r) {
        if (table_->samples[s.first_sample + r - 1].lower < table_->samples[s.first_sample + r].lower) { return false; }
      }
    }
    return true;
  }

  constexpr void assign(std::size_t k, const sm_share& share) { shares_[k] = share; }

  /// Bounds task k under its share; true when it meets its deadline. A task with kernels and no SM has no bound.
  /// Cost: one fixed point per segment and joint bound, each step the own segments squared of every higher task.
  constexpr auto evaluate(std::size_t k) -> bool {
    const auto& t = table_->tasks[k];
    bounds_[k] = {};
    meets_[k] = false;
    if (shares_[k].sms < 1 && table_->has_kernel(k)) { return false; }
    lay_out(k, shares_[k]);
    respond_on_engines(k);
    respond_on_core(k);
    join(k);
    meets_[k] = bounds_[k].best.exists && !(t.deadline < bounds_[k].best.value);
    if (meets_[k]) {
      workload_.pack(k, elements_, t.first_segment, t.segment_count, t.period,
                     variant_.carry_in_by_response ? bounds_[k].best.value : t.deadline);
    }
    return meets_[k];
  }

  [[nodiscard]] constexpr auto bounds(std::size_t k) const -> const rtgpu_bounds<number>& { return bounds_[k]; }
  [[nodiscard]] constexpr auto bound(std::size_t k) const -> const response_bound<number>& { return bounds_[k].best; }
  [[nodiscard]] constexpr auto meets(std::size_t k) const -> bool { return meets_[k]; }
  /// Response of segment j of task k: its least and greatest length for a kernel, else {unused, bound}.
  [[nodiscard]] constexpr auto segment_response(std::size_t k, std::size_t j) const -> const fixed_point<number>& {
    return responses_[table_->tasks[k].first_segment + j];
  }
  [[nodiscard]] constexpr auto segment_time(std::size_t k, std::size_t j) const -> const interval<number>& {
    return elements_[table_->tasks[k].first_segment + j].time;
  }
  /// Longest copy of lower priority on an engine.
  [[nodiscard]] constexpr auto blocking(std::size_t k, std::size_t engine = 0) const -> const number& {
    return blocking_[k][engine];
  }
  [[nodiscard]] constexpr auto workload() const
      -> const workload_model<number, max_tasks, max_elements, 1 + max_engines>& {
    return workload_;
  }

  /// Calls `f(term)` for each part of the bound of task k. Pre: the bound exists.
  template <class F>
  constexpr void for_each_term(std::size_t k, F f) const;

 private:
  static constexpr std::size_t core_resource = 0;
  [[nodiscard]] static constexpr auto engine_resource(std::size_t engine) noexcept -> std::size_t { return 1 + engine; }

  constexpr void collect_blocking() {
    for (std::size_t k = table_->size(); k-- > 0;) {
      if (k + 1 == table_->size()) { continue; }
      blocking_[k] = blocking_[k + 1];
      blocking_task_[k] = blocking_task_[k + 1];
      for (std::size_t j = 0; j < table_->tasks[k + 1].segment_count; ++j) {
        const auto& s = table_->segment(k + 1, j);
        if (s.where != stage::copy) { continue; }
        const auto e = static_cast<std::size_t>(platform_.engine_of(s.direction));
        if (blocking_[k][e] < s.time.upper) {
          blocking_[k][e] = s.time.upper;
          blocking_task_[k][e] = table_->tasks[k + 1].id;
        }
      }
    }
  }

  constexpr void lay_out(std::size_t k, const sm_share& share) {
    const auto& t = table_->tasks[k];
    own_ = {};
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      element<number>& e = elements_[t.first_segment + j];
      e = {.resource = -1, .time = s.time};
      switch (s.where) {
        case stage::cpu:
          e.resource = core_resource;
          own_.cpu = own_.cpu + s.time.upper;
          break;
        case stage::copy:
          e.resource = static_cast<std::int32_t>(engine_resource(engine(s)));
          own_.copy = own_.copy + s.time.upper;
          break;
        case stage::kernel:
          (void)table_->kernel_bounds(s, virtual_sms(share), e.time);
          own_.gpu = own_.gpu + e.time.upper;
          responses_[t.first_segment + j] = {e.time.upper, stop_reason::converged};
          break;
      }
    }
  }

  [[nodiscard]] constexpr auto virtual_sms(const sm_share& share) const -> std::int32_t {
    const std::int32_t n = platform_.gpus[static_cast<std::size_t>(share.gpu)].virtual_sms(share.sms);
    return variant_.printed_divisor ? 2 * n : n;
  }
  [[nodiscard]] constexpr auto engine(const segment_record<number>& s) const -> std::size_t {
    return static_cast<std::size_t>(platform_.engine_of(s.direction));
  }
  /// Delay of one copy of task k by a lower one that holds the engine.
  [[nodiscard]] constexpr auto blocking_once(std::size_t k, std::size_t e) const -> number {
    if constexpr (number_traits<number>::integral) {
      return variant_.copies_start_once && number(0) < blocking_[k][e] ? blocking_[k][e] - number(1) : blocking_[k][e];
    } else {
      return blocking_[k][e];
    }
  }

  constexpr void add_core(std::size_t k, const number& t, ascent<number>& sum) const {
    const auto core = table_->tasks[k].core;
    for (std::size_t i = 0; i < k; ++i) {
      if (table_->tasks[i].core == core) { accumulate(sum, workload_.demand(i, core_resource, t)); }
    }
  }
  constexpr void add_engine(std::size_t k, std::size_t e, const number& t, ascent<number>& sum) const {
    for (std::size_t i = 0; i < k; ++i) { accumulate(sum, workload_.demand(i, engine_resource(e), t)); }
  }

  constexpr void respond_on_engines(std::size_t k) {
    const auto& t = table_->tasks[k];
    std::array<warm_start<number>, max_engines> known{};
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      if (s.where != stage::copy) { continue; }
      fixed_point<number>& response = responses_[t.first_segment + j];
      if (s.time.upper == number(0)) {
        response = {number(0), stop_reason::converged};
        continue;
      }
      const auto e = engine(s);
      const auto interference = [this, k, e](const number& x, ascent<number>& sum) { add_engine(k, e, x, sum); };
      if (number_traits<number>::integral && variant_.copies_start_once) {
        response = known[e].solve(number(1) + blocking_once(k, e), t.deadline, interference);
        response.value = response.value + s.time.upper - number(1);
      } else {
        response = known[e].solve(s.time.upper + blocking_[k][e], t.deadline, interference);
      }
    }
  }

  constexpr void respond_on_core(std::size_t k) {
    const auto& t = table_->tasks[k];
    warm_start<number> known;
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      if (s.where != stage::cpu) { continue; }
      responses_[t.first_segment + j] = known.solve(
          s.time.upper, t.deadline, [this, k](const number& x, ascent<number>& sum) { add_core(k, x, sum); });
    }
  }

  /// Sum of the responses on one kind of resource; exists when each does.
  [[nodiscard]] constexpr auto sum_of(std::size_t k, stage where) const -> fixed_point<number> {
    const auto& t = table_->tasks[k];
    fixed_point<number> sum{number(0), stop_reason::converged};
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      if (table_->segment(k, j).where != where) { continue; }
      const auto& response = responses_[t.first_segment + j];
      if (!response.exists()) { return {number(0), response.reason}; }
      sum.value = sum.value + response.value;
    }
    return sum;
  }

  /// Own time plus what lower copies add when each copy of the job is blocked once.
  [[nodiscard]] constexpr auto copies_with_blocking(std::size_t k) const -> number {
    number sum = own_.copy;
    for (std::size_t j = 0; j < table_->tasks[k].segment_count; ++j) {
      const auto& s = table_->segment(k, j);
      if (s.where == stage::copy && number(0) < s.time.upper) { sum = sum + blocking_once(k, engine(s)); }
    }
    return sum;
  }

  constexpr void join(std::size_t k) {
    const number& limit = table_->tasks[k].deadline;
    const auto cpu = sum_of(k, stage::cpu);
    const auto copy = sum_of(k, stage::copy);
    const auto core = [this, k](const number& x, ascent<number>& sum) { add_core(k, x, sum); };
    const auto engines = [this, k](const number& x, ascent<number>& sum) {
      for (std::int32_t e = 0; e < platform_.copy_engines; ++e) { add_engine(k, static_cast<std::size_t>(e), x, sum); }
    };
    rtgpu_bounds<number> b;
    if (copy.exists()) {
      if (cpu.exists()) { b.segmentwise = {own_.gpu + copy.value + cpu.value, stop_reason::converged}; }
      b.cpu_joint = warm_start<number>{}.solve(own_.gpu + copy.value + own_.cpu, limit, core);
    }
    if (variant_.joint_windows) {
      const number copies = copies_with_blocking(k);
      b.all_joint = warm_start<number>{}.solve(own_.gpu + copies + own_.cpu, limit, [&](const number& x, ascent<number>& sum) {
        core(x, sum);
        engines(x, sum);
      });
      if (cpu.exists()) { b.copy_joint = warm_start<number>{}.solve(own_.gpu + copies + cpu.value, limit, engines); }
    }
    if (variant_.classical && table_->tasks[k].segment_count == 1) { b.classical = classical_response(k); }
    for (const auto* candidate : {&b.segmentwise, &b.cpu_joint, &b.all_joint, &b.copy_joint, &b.classical}) {
      b.best = tighter(b.best, {candidate->value, candidate->exists()});
    }
    bounds_[k] = b;
  }

  /// A task that never suspends: lfp C_k + sum ceil((x + J_i) / T_i) C_i over the higher tasks of its core, with
  /// J_i = R_i - C_i where task i suspends and 0 where it does not. Source: Joseph and Pandya 1986 for J = 0; Chen,
  /// Nelissen and Huang 2016, Theorem 1, for the rest.
  [[nodiscard]] constexpr auto classical_response(std::size_t k) const -> fixed_point<number> {
    const auto& t = table_->tasks[k];
    return least_fixed_point(own_.cpu, t.deadline, [this, k, &t](const number& x) {
      number sum = own_.cpu;
      for (std::size_t i = 0; i < k; ++i) {
        if (table_->tasks[i].core != t.core) { continue; }
        const number cpu = cpu_total(i);
        const bool suspends = table_->tasks[i].segment_count > 1;
        const number window = suspends ? number(x + bounds_[i].best.value - cpu) : x;
        sum = sum + jobs_released(table_->tasks[i].period, window) * cpu;
      }
      return ascent<number>{sum, x};
    });
  }
  [[nodiscard]] constexpr auto cpu_total(std::size_t i) const -> number {
    number sum(0);
    for (std::size_t j = 0; j < table_->tasks[i].segment_count; ++j) {
      if (table_->segment(i, j).where == stage::cpu) { sum = sum + table_->segment(i, j).time.upper; }
    }
    return sum;
  }
  struct own_time {
    number cpu{};
    number copy{};
    number gpu{};
  };

  const Table* table_;
  platform_record platform_;
  rtgpu_variant variant_;
  own_time own_{};
  std::array<element<number>, max_elements> elements_{};
  std::array<fixed_point<number>, max_elements> responses_{};
  workload_model<number, max_tasks, max_elements, 1 + max_engines> workload_;
  std::array<sm_share, max_tasks> shares_{};
  std::array<std::array<number, max_engines>, max_tasks> blocking_{};
  std::array<std::array<std::uint32_t, max_engines>, max_tasks> blocking_task_{};
  std::array<rtgpu_bounds<number>, max_tasks> bounds_{};
  std::array<bool, max_tasks> meets_{};
};

}  // namespace takt::analysis
