// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/ascending.hpp>
#include <takt/analysis/chain_pattern.hpp>
#include <takt/analysis/classical_rta.hpp>
#include <takt/analysis/copy_blocking.hpp>
#include <takt/analysis/interference.hpp>
#include <takt/analysis/rtgpu_variant.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/analysis/workload.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::analysis {

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
  static constexpr bool uses_shares = true;

  /// Pre: `table` is in priority order and outlives the analysis.
  constexpr rtgpu(const Table& table, const platform_record& platform, rtgpu_variant variant = rtgpu_published)
      : table_{&table}, platform_{platform}, variant_{variant}, blocking_{table, platform} {
    for (std::size_t k = 0; k < table.size(); ++k) { core_[k] = table.tasks[k].core; }
  }

  /// What keeps this analysis from applying, if anything.
  [[nodiscard]] static constexpr auto fits(const Table& table, const platform_record& platform) -> model_error {
    return chain_fault(table, platform);
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
    if (!served(k)) { return false; }
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
    return blocking_.of(k, engine).time;
  }
  using model = workload_model<number, max_tasks, max_elements, 1 + max_engines>;
  [[nodiscard]] constexpr auto workload() const -> const model& { return workload_; }

  [[nodiscard]] constexpr auto variant() const noexcept -> const rtgpu_variant& { return variant_; }
  /// Whether task k has what its kernels need.
  [[nodiscard]] constexpr auto served(std::size_t k) const -> bool {
    return shares_[k].sms > 0 || !table_->has_kernel(k);
  }
  /// The task of that copy, in the given order. Pre: blocking(k, engine) > 0.
  [[nodiscard]] constexpr auto blocking_task(std::size_t k, std::size_t engine = 0) const -> std::uint32_t {
    return blocking_.of(k, engine).by;
  }
  /// The step needs discrete time: a copy that blocks has started at least one unit earlier.
  [[nodiscard]] constexpr auto starts_once() const -> bool {
    return number_traits<number>::integral && variant_.copies_start_once;
  }
  /// Delay of one copy of task k by a lower one that holds the engine.
  [[nodiscard]] constexpr auto blocking_once(std::size_t k, std::size_t e) const -> number {
    const number& longest = blocking_.of(k, e).time;
    return starts_once() && number(0) < longest ? number(longest - number(1)) : longest;
  }

  /// Resources as `workload()` numbers them.
  static constexpr std::size_t core_resource = 0;
  [[nodiscard]] static constexpr auto engine_resource(std::size_t engine) noexcept -> std::size_t { return 1 + engine; }

 private:
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
          responses_[t.first_segment + j] = {number(0), stop_reason::converged};
          e.resource = static_cast<std::int32_t>(engine_resource(engine(s)));
          own_.copy = own_.copy + s.time.upper;
          break;
        case stage::kernel:
          (void)table_->kernel_bounds(s, power(share), e.time);
          own_.gpu = own_.gpu + e.time.upper;
          responses_[t.first_segment + j] = {e.time.upper, stop_reason::converged};
          break;
      }
    }
  }

  [[nodiscard]] constexpr auto power(const sm_share& share) const -> sm_power {
    sm_power p = platform_.gpus[static_cast<std::size_t>(share.gpu)].power(share.sms);
    if (variant_.printed_divisor) { p.virtual_sms *= 2; }
    return p;
  }
  [[nodiscard]] constexpr auto engine(const segment_record<number>& s) const -> std::size_t {
    return static_cast<std::size_t>(platform_.engine_of(s.direction));
  }
  constexpr void include_core(std::size_t k, interference<model>& out) const {
    for (std::size_t i = 0; i < k; ++i) {
      if (core_[i] == core_[k]) { out.include(i, core_resource); }
    }
  }
  constexpr void include_engine(std::size_t k, std::size_t e, interference<model>& out) const {
    for (std::size_t i = 0; i < k; ++i) { out.include(i, engine_resource(e)); }
  }
  constexpr void include_engines(std::size_t k, interference<model>& out) const {
    for (std::int32_t e = 0; e < platform_.copy_engines; ++e) { include_engine(k, static_cast<std::size_t>(e), out); }
  }

  constexpr void respond_on_engines(std::size_t k) {
    const auto& t = table_->tasks[k];
    const auto upper = [this, k](std::size_t j) -> const number& { return table_->segment(k, j).time.upper; };
    for (std::size_t e = 0; e < static_cast<std::size_t>(platform_.copy_engines); ++e) {
      const auto selects = [&](std::size_t j) {
        const auto& s = table_->segment(k, j);
        return s.where == stage::copy && engine(s) == e && number(0) < s.time.upper;
      };
      interference<model> others(workload_);
      include_engine(k, e, others);
      for_ascending<max_elements>(t.segment_count, selects, upper, [&](std::size_t j) {
        fixed_point<number>& response = responses_[t.first_segment + j];
        if (starts_once()) {
          response = others.solve(number(1) + blocking_once(k, e), t.deadline);
          response.value = response.value + upper(j) - number(1);
        } else {
          response = others.solve(upper(j) + blocking(k, e), t.deadline);
        }
      });
    }
  }

  constexpr void respond_on_core(std::size_t k) {
    const auto& t = table_->tasks[k];
    const auto upper = [this, k](std::size_t j) -> const number& { return table_->segment(k, j).time.upper; };
    const auto selects = [this, k](std::size_t j) { return table_->segment(k, j).where == stage::cpu; };
    interference<model> others(workload_);
    include_core(k, others);
    for_ascending<max_elements>(t.segment_count, selects, upper, [&](std::size_t j) {
      responses_[t.first_segment + j] = others.solve(upper(j), t.deadline);
    });
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
    rtgpu_bounds<number> b;
    if (copy.exists()) {
      if (cpu.exists()) { b.segmentwise = {own_.gpu + copy.value + cpu.value, stop_reason::converged}; }
      interference<model> core(workload_);
      include_core(k, core);
      b.cpu_joint = core.solve(own_.gpu + copy.value + own_.cpu, limit);
    }
    if (variant_.joint_windows) {
      const number copies = copies_with_blocking(k);
      if (cpu.exists()) {
        interference<model> engines(workload_);
        include_engines(k, engines);
        b.copy_joint = engines.solve(own_.gpu + copies + cpu.value, limit);
      }
      interference<model> everywhere(workload_);
      include_engines(k, everywhere);
      include_core(k, everywhere);
      b.all_joint = everywhere.solve(own_.gpu + copies + own_.cpu, limit);
    }
    if (variant_.classical && table_->tasks[k].segment_count == 1) { b.classical = classical(k); }
    for (const auto* candidate : {&b.segmentwise, &b.cpu_joint, &b.all_joint, &b.copy_joint, &b.classical}) {
      b.best = tighter(b.best, {candidate->value, candidate->exists()});
    }
    bounds_[k] = b;
  }

  [[nodiscard]] constexpr auto classical(std::size_t k) const -> fixed_point<number> {
    return classical_response(*table_, k, [this](std::size_t i) {
      return table_->tasks[i].segment_count > 1 ? number(bounds_[i].best.value - cpu_time(*table_, i)) : number(0);
    });
  }

  struct own_time {
    number cpu{};
    number copy{};
    number gpu{};
  };

  const Table* table_;
  platform_record platform_;
  rtgpu_variant variant_;
  copy_blocking<Table> blocking_;
  own_time own_{};
  std::array<element<number>, max_elements> elements_{};
  std::array<fixed_point<number>, max_elements> responses_{};
  model workload_;
  std::int32_t core_[max_tasks]{};
  std::array<sm_share, max_tasks> shares_{};
  std::array<rtgpu_bounds<number>, max_tasks> bounds_{};
  std::array<bool, max_tasks> meets_{};
};

}  // namespace takt::analysis
