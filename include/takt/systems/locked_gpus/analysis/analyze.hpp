// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/tasks/placed.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a response on a platform of locked GPUs consists of. The sum is the response exactly.
struct gpusync_terms {
  ticks cpu = 0;
  ticks kernels = 0;
  ticks copies = 0;       ///< own data and state
  ticks engine_wait = 0;  ///< for execution and copy engines
  ticks token_wait = 0;
  ticks loan = 0;         ///< its priority is lent to a token holder
  ticks overheads = 0;    ///< and the interrupts of other tasks' operations
  ticks competition = 0;  ///< of its CPU cluster; what a compliant vector adds, and may be negative

  [[nodiscard]] constexpr auto sum() const noexcept -> ticks {
    return cpu + kernels + copies + engine_wait + token_wait + loan + overheads + competition;
  }
  /// Adds them to the parts of the bound of a task.
  constexpr void add_to(parts_of_task<ticks>& out, std::uint32_t task) const {
    out.add(term_kind::cpu, task, cpu);
    out.add(term_kind::gpu, task, kernels);
    out.add(term_kind::copy, task, copies);
    out.add(term_kind::engine_wait, task, engine_wait);
    out.add(term_kind::token_wait, task, token_wait);
    out.add(term_kind::loan, task, loan);
    out.add(term_kind::overheads, task, overheads);
    out.add(term_kind::competition, task, competition);
  }
};

/// Holds a verdict on tasks on locked GPUs, and what it follows from.
template <class Table>
struct gpusync_evidence {
  takt::verdict<ticks, Table::max_tasks> verdict;
  analysis::gpusync::set_bounds<Table> bounds{};

  /// Pre: task i has a bound.
  [[nodiscard]] constexpr auto terms(std::size_t i) const -> gpusync_terms {
    TAKT_EXPECTS(i < bounds.tasks.size() && bounds.tasks[i].response.exists);
    const auto& b = bounds.tasks[i];
    gpusync_terms out;
    out.kernels = b.own.kernel_time;
    out.copies = b.own.copy_time();
    out.engine_wait = b.engines.total().time;
    out.token_wait = b.tokens.direct.time;
    out.loan = b.tokens.indirect.time;
    out.cpu = cpu[i];
    out.overheads =
        b.inflated.wcet - (out.cpu + out.kernels + out.copies + out.engine_wait + out.token_wait + out.loan);
    out.competition = b.response.value - b.inflated.wcet;
    return out;
  }
  inline_vector<ticks, Table::max_tasks> cpu;  ///< each task's own time on a CPU
};

namespace analysis::gpusync {

/// Returns bounds under a plan, and what they follow from. Cost: that of `analyze_set`; no heap.
template <GpusyncPlatform P, class Table, std::size_t N, std::size_t V>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] constexpr auto evidence_of(const P& platform, const Table& given, const plan<N, V>& p,
                                         const options<ticks>& how = {}) -> gpusync_evidence<Table> {
  gpusync_evidence<Table> out;
  auto& verdict = out.verdict;
  const gpusync_configuration& c = platform.configuration();
  const bool sound = c.cpu_cluster_size > 0 && fault_of(c) == model_fault::none;
  verdict.method = sound && c.donates_at_release() ? "locked-gpus-ck-omlp" : "locked-gpus-r2dglp";
  if (!choices_known(how)) {
    verdict.refuse({.fault = model_fault::choice_out_of_range});
    return out;
  }
  if (const auto error = gpusync_plan_fault(given, p)) {
    verdict.refuse(error);
    return out;
  }
  const Table tasks = placed(given, p);
  if (const auto error = validate_gpusync(platform, tasks)) {
    verdict.refuse(error);
    return out;
  }
  out.bounds = analyze_set(platform, tasks, how);
  verdict.why = out.bounds.status;
  verdict.status = takt::detail::status_of(out.bounds.status);
  if (verdict.status == verdict_status::overflow) { verdict.error = {.fault = model_fault::time_overflow}; }
  // A bound that rests on responses which were not reached yet, or on deadlines that are missed, is none.
  const bool valid = verdict.status == verdict_status::schedulable;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& t = tasks.tasks[i];
    const auto& response = out.bounds.tasks[i].response;
    // Bound: one per task, at most `max_tasks`; so below.
    out.cpu.unchecked_push_back(t.wcet);
    verdict.tasks.unchecked_push_back({.name = t.name,
                                       .deadline = t.deadline,
                                       .bound = {response.value, valid && response.exists},
                                       .evaluated = response.exists,
                                       .meets = valid && response.exists && response.value <= t.deadline});
    if (verdict.tasks[i].bound.exists) { out.terms(i).add_to(verdict.tasks[i].parts, static_cast<std::uint32_t>(i)); }
    verdict.plan.cores.unchecked_push_back(t.cpu_cluster);
    verdict.plan.shares.unchecked_push_back({t.uses_gpu() ? t.gpu_cluster : 0, 0});
  }
  return out;
}

}  // namespace analysis::gpusync

namespace analysis {

/// Bounds sporadic tasks that share locked GPUs, placed by a plan. `schedulable`: under EDF or fair lateness every
/// response is bounded, and with `guarantee::deadlines` or fixed priorities every deadline is met. A task `meets` its
/// deadline if its bound does, whatever guarantee was asked for. Never `unschedulable`: what is not proven may still
/// hold. Cost: that of `analysis::gpusync::analyze_set`; no heap. The verdict names the locks of the platform.
struct gpusync_method {
  static constexpr std::string_view name = "locked-gpus";
  static constexpr gpusync::options<ticks> options{};
  template <class T>
  static constexpr bool judges = requires {
    T::task_type::max_kernels;
    requires std::same_as<typename T::number, ticks>;
  };

  template <GpusyncPlatform P, class Table, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto evidence(const P& platform, const Table& tasks, const plan<N, V>& p,
                                               const gpusync::options<ticks>& how = {}) {
    return gpusync::evidence_of(platform, tasks, p, how);
  }
  template <GpusyncPlatform P, class Table, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto judge(const P& platform, const Table& tasks, const plan<N, V>& p,
                                            const gpusync::options<ticks>& how = {}) {
    return gpusync::evidence_of(platform, tasks, p, how).verdict;
  }
};
namespace detail {

/// Knows tasks that share locked GPUs.
struct locked_gpu_sets : method_family {
  template <GpusyncPlatform P>
    requires std::same_as<typename P::number, ticks>
  using on = gpusync_method;
};

}  // namespace detail

}  // namespace analysis

}  // namespace takt::inline TAKT_ABI
