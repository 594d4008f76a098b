// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/gpusync/analysis.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/gpusync/platform.hpp>
#include <takt/model/gpusync/task.hpp>
#include <takt/model/gpusync/validate.hpp>

namespace takt {

/// What a response on a platform of locked GPUs consists of. The sum is the response exactly.
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
};

/// A verdict on tasks on locked GPUs, and what it follows from. `fault` says what is wrong with an invalid model.
template <class Table>
struct gpusync_verdict : verdict<ticks, Table::max_tasks> {
  gpusync_error fault{};
  analysis::gpusync::set_bounds<Table> bounds{};

  /// Pre: task i has a bound.
  [[nodiscard]] constexpr auto terms(std::size_t i) const -> gpusync_terms {
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

namespace analysis::gpusync::detail {

[[nodiscard]] constexpr auto status_of(set_status s) noexcept -> verdict_status {
  switch (s) {
    case set_status::schedulable: return verdict_status::schedulable;
    case set_status::overflow: return verdict_status::overflow;
    case set_status::invalid_model: return verdict_status::invalid_model;
    case set_status::interrupted:
    case set_status::overloaded:
    case set_status::late:
    case set_status::not_converged: return verdict_status::not_proven;
  }
  return verdict_status::not_proven;
}

}  // namespace analysis::gpusync::detail

/// Bounds of sporadic tasks that share locked GPUs. `schedulable`: under EDF or fair lateness every response is
/// bounded, and with `guarantee::deadlines` or fixed priorities every deadline is met. A task `meets` its deadline if
/// its bound does, whatever was asked for. Never `unschedulable`: what is not proven may still hold. Error:
/// `invalid_model` with `fault`, `overflow`. Cost: that of `analyze_set`; no heap.
template <GpusyncPlatform P, class Table>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] constexpr auto analyze(const P& platform, const Table& tasks,
                                     const analysis::gpusync::options<ticks>& options = {}) -> gpusync_verdict<Table> {
  gpusync_verdict<Table> out;
  const bool donation = platform.configuration().cpu_cluster_size > 0 &&
                        fault_of(platform.configuration()) == gpusync_fault::none &&
                        platform.configuration().donates_at_release();
  out.analysis = donation ? "locked-gpus-ck-omlp" : "locked-gpus-r2dglp";
  out.fault = validate_gpusync(platform, tasks);
  if (!is_known(options)) { out.fault = {gpusync_fault::choice_out_of_range}; }
  if (out.fault) {
    out.status =
        out.fault.fault == gpusync_fault::time_overflow ? verdict_status::overflow : verdict_status::invalid_model;
    return out;
  }
  out.bounds = analysis::gpusync::analyze_set(platform, tasks, options);
  out.status = analysis::gpusync::detail::status_of(out.bounds.status);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& response = out.bounds.tasks[i].response;
    const bool meets = response.exists && response.value <= tasks.tasks[i].deadline;
    // A bound that rests on responses which were not reached yet, or on deadlines that are missed, is none.
    const bool valid = out.status == verdict_status::schedulable;
    static_cast<void>(out.cpu.push_back(tasks.tasks[i].wcet));
    static_cast<void>(out.tasks.push_back({.name = tasks.tasks[i].name,
                                           .deadline = tasks.tasks[i].deadline,
                                           .bound = {response.value, valid && response.exists},
                                           .evaluated = response.exists,
                                           .meets = valid && meets}));
  }
  return out;
}

}  // namespace takt
