// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/interrupts.hpp>
#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/core/exact.hpp>
#include <takt/systems/locked_gpus/analysis/request_charges.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

enum class inflation_status : std::uint8_t {
  inflated,
  no_time_left,    ///< interrupts take all of the CPUs
  no_period_left,  ///< the latency of a timer is not below a period
  overflow,
};

/// Holds what all tasks of a GPU cluster have in common.
template <class Number>
struct inflation_charges {
  engine_charges<Number> engine;
  blocking_bound<Number> engine_request;
  blocking_bound<Number> token_request;
  blocking_bound<Number> token_release;
};

namespace detail {

template <class Rules, ExactNumber Number>
[[nodiscard]] constexpr auto inflation_charges_of(const gpusync_configuration& c, const gpusync_overheads<Number>& o,
                                                  std::int64_t holders, std::int32_t engines, bool local)
    -> inflation_charges<Number> {
  const holder token = c.donates_at_release() ? holder::not_preemptable : holder::preemptable;
  return {engine_charges_of<Rules>(c, o, holders, engines, local), request_charge(o, holder::preemptable),
          request_charge(o, token), section_charge(o, token)};
}

/// Computes the CPU demand of a job when all that it waits and suspends for counts as execution, without interrupts:
/// `waits` for engines and tokens, `top_halves` that may hit it. Source: Elliott 2015, equations 4.44 to 4.51 and 2.45.
template <ExactNumber Number>
[[nodiscard]] constexpr auto oblivious_work(const Number& wcet, const job_requests<Number>& own, bool uses_gpu,
                                            const blocking_bound<Number>& engines, const blocking_bound<Number>& tokens,
                                            const Number& top_halves, const gpusync_overheads<Number>& o,
                                            const inflation_charges<Number>& charges, Number& out) -> bool {
  analysis::detail::blocking_sum<Number> sum;
  sum.add(wcet);
  sum.add(own.kernel_time);
  sum.add(own.copy_time());
  sum.add(1, engines);
  sum.add(1, tokens);
  Number hits{};
  if (!takt::detail::multiply_exactly(top_halves, o.top_half, hits)) { return false; }
  sum.add(hits);
  if (uses_gpu) {
    sum.add(own.operations(), charges.engine.job);
    sum.add(own.operations(), charges.engine_request);
    sum.add(1, charges.token_request);
  }
  out = sum.total().time;
  return sum.bounded();
}

}  // namespace detail

/// Describes a task as a test for independent tasks takes it.
template <class Number>
struct independent_task {
  Number wcet{};
  Number period{};
  Number deadline{};  ///< may be 0 or less
};

/// Returns the interrupts of a CPU cluster.
template <class Table>
[[nodiscard]] constexpr auto interrupts_of(const Table& table, std::int32_t cpu_cluster,
                                           const gpusync_overheads<typename Table::number>& o)
    -> interrupt_load<typename Table::number> {
  interrupt_load<typename Table::number> load(o);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].cpu_cluster == cpu_cluster) { load.add_release(table.tasks[i].period); }
  }
  return load;
}

/// Source: Elliott 2015, equations 2.50 to 2.52. The latency of a timer shortens the time that is left.
template <ExactNumber Number>
[[nodiscard]] constexpr auto independent(const interrupt_load<Number>& interrupts, const gpusync_overheads<Number>& o,
                                         const Number& work, std::int64_t suspensions, interrupt_handling where,
                                         const Number& period, const Number& deadline, independent_task<Number>& out)
    -> inflation_status {
  if (!interrupts.fits()) { return inflation_status::overflow; }
  if (!interrupts.leaves_time()) { return inflation_status::no_time_left; }
  if (!detail::dispatched_time(interrupts, o, work, suspensions, where, out.wcet)) {
    return inflation_status::overflow;
  }
  out.period = period - o.event_latency;
  out.deadline = deadline - o.event_latency;
  return Number(0) < out.period ? inflation_status::inflated : inflation_status::no_period_left;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
