// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/locked_gpus/analysis/engine_blocking.hpp>
#include <takt/systems/locked_gpus/analysis/inflated_set.hpp>
#include <takt/systems/locked_gpus/analysis/prepared_set.hpp>
#include <takt/systems/locked_gpus/analysis/token_blocking.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

template <class Table>
struct inflated_set {
  using number = typename Table::number;
  inflation_status status = inflation_status::inflated;
  std::array<independent_task<number>, Table::max_tasks> tasks{};
  std::array<number, Table::max_tasks> top_halves{};  ///< interrupts of others' operations that may hit a job
};

/// Counts interrupts: one goes to all CPUs whose jobs may use the GPU, and to no other.
template <class Table>
[[nodiscard]] constexpr auto count_top_halves(const prepared_set<Table>& set, std::size_t i,
                                              const job_overlaps<Table>& overlaps, typename Table::number& out)
    -> bool {
  using number = typename Table::number;
  out = number(0);
  for (std::size_t j = 0; j < set.size(); ++j) {
    const auto& t = set.task(j);
    if (j == i || !t.uses_gpu() || !set.configuration.serves(t.gpu_cluster, set.task(i).cpu_cluster)) { continue; }
    number jobs{};
    number hits{};
    if (!overlaps.count(i, j, jobs) || !takt::detail::multiply_exactly(jobs, number(set.own[j].operations()), hits) ||
        !add_exactly(out, hits, out)) {
      return false;
    }
  }
  return true;
}

/// Rounds up to a multiple of the quantum.
template <class Table>
[[nodiscard]] constexpr auto round_up(const prepared_set<Table>& set, typename Table::number& time) -> bool {
  using number = typename Table::number;
  const number& quantum = set.given.quantum;
  if (!(number(0) < quantum) || !(number(0) < time)) { return true; }
  return takt::detail::multiply_exactly(takt::detail::ceil_quotient(time, quantum), quantum, time);
}

/// Does phase 4: tasks that neither wait nor suspend. Cost: n^2.
template <class Table>
[[nodiscard]] constexpr auto inflation_phase(
    const prepared_set<Table>& set, const job_overlaps<Table>& overlaps,
    const std::array<engine_wait<typename Table::number>, Table::max_tasks>& engines,
    const std::array<token_wait<typename Table::number>, Table::max_tasks>& tokens) -> inflated_set<Table> {
  using number = typename Table::number;
  inflated_set<Table> out;
  const auto fail = [&](inflation_status why) {
    if (out.status == inflation_status::inflated) { out.status = why; }
  };
  for (std::int32_t b = 0; b < set.configuration.cpu_clusters(); ++b) {
    const interrupt_load<number> interrupts = interrupts_of(*set.table, b, set.overheads);
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto& t = set.task(i);
      if (t.cpu_cluster != b) { continue; }
      const auto& own = set.own[i];
      number work{};
      if (!detail::count_top_halves(set, i, overlaps, out.top_halves[i]) ||
          !oblivious_work(t.wcet, own, t.uses_gpu(), engines[i].total(), tokens[i].total(), out.top_halves[i],
                          set.overheads, t.uses_gpu() ? set.charges_of(i) : inflation_charges<number>{}, work)) {
        fail(inflation_status::overflow);
        continue;
      }
      const std::int64_t suspensions = t.uses_gpu() ? own.operations() + 1 : 0;
      const auto status = independent(interrupts, set.overheads, work, suspensions, interrupt_handling::shared,
                                      t.period, t.deadline, out.tasks[i]);
      if (status != inflation_status::inflated) { fail(status); }
      if (status == inflation_status::inflated && !detail::round_up(set, out.tasks[i].wcet)) {
        fail(inflation_status::overflow);
      }
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
