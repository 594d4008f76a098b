// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/analysis/overflow_guard.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// The tasks of another table as they look to an analysis of independent tasks: one CPU segment each.
template <class Table>
using independent_table = task_table<typename Table::number, Table::max_tasks, Table::max_tasks>;

template <class Table>
struct inflated_tasks {
  independent_table<Table> table;
  blocking_status status = blocking_status::bounded;
  std::uint32_t task = no_index;  ///< whom the status is about, in the given order
};

/// Suspension-oblivious inflation: e' = e + b, order, periods, deadlines, priorities and cores kept. `execution[k]` is
/// all that a job of task k spends on its core and suspended inside its own critical sections, waits for engines
/// included; `blocking[k]` bounds its priority-inversion blocking for all requests and loans together.
///
/// Sound for every analysis of independent sporadic tasks under job-level fixed priorities, partitioned, clustered or
/// global, provided that `blocking` counts suspension-oblivious blocking for the same clusters. For whenever a job is
/// among the c best pending ones of its cluster it runs, suspends or is blocked, and e' has room for all three. Not
/// sound for tests that use e as a lower bound, and e' says nothing about when a job leaves its core to others.
/// Pre: both spans have an element per task. Error: the status of a bound that is none;
/// `wrong_input` for a negative time; `overflow` where an analysis of the result could leave 64 bits. Source: Elliott
/// 2015, equation 2.28, after Brandenburg and Anderson 2013.
template <class Table>
[[nodiscard]] constexpr auto inflate(const Table& table, std::span<const typename Table::number> execution,
                                     std::span<const blocking_bound<typename Table::number>> blocking)
    -> inflated_tasks<Table> {
  TAKT_EXPECTS(execution.size() >= table.size() && blocking.size() >= table.size());
  using number = typename Table::number;
  inflated_tasks<Table> out;
  std::int32_t cores = 1;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto& t = table.tasks[k];
    detail::blocking_sum<number> sum;
    sum.add(execution[k]);
    sum.add(1, blocking[k]);
    const auto inflated = sum.total();
    if (!inflated.bounded()) {
      out.status = inflated.status;
      out.task = t.id;
      return out;
    }
    out.table.add_task(t.name, t.period, t.deadline, t.priority, t.core);
    out.table.tasks.back().id = t.id;
    out.table.add_segment({.where = stage::cpu, .time = {number(0), inflated.time}});
    cores = t.core < cores ? cores : t.core + 1;
  }
  if (!fits_64_bits(out.table, platform_record{.cores = cores, .copy_engines = 0, .gpus = {}})) {
    out.status = blocking_status::overflow;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
