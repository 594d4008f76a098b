// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/systems/locked_gpus/analysis/fixed_priority.hpp>
#include <takt/systems/locked_gpus/analysis/inflation_phase.hpp>
#include <takt/systems/locked_gpus/analysis/prepared_set.hpp>
#include <takt/systems/locked_gpus/analysis/result.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

template <class Table>
[[nodiscard]] constexpr auto record(const prepared_set<Table>& set, tested_set<Table>& out, std::size_t i,
                                    const typename Table::number& response, const typename Table::number& lateness)
    -> bool {
  out.lateness[i] = lateness;
  out.responses[i].exists = add_exactly(response, set.overheads.event_latency, out.responses[i].value);
  return out.responses[i].exists;
}

template <class Table>
[[nodiscard]] constexpr auto test_deadlines(const prepared_set<Table>& set, std::int32_t b,
                                            const inflated_set<Table>& inflated, tested_set<Table>& out) -> gel_status {
  task_rows<gel_task<typename Table::number>, Table::max_tasks> part;
  std::array<std::size_t, Table::max_tasks> position{};
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.task(i).cpu_cluster != b) { continue; }
    const auto& t = inflated.tasks[i];
    position[part.size()] = i;
    static_cast<void>(part.add({.name = set.task(i).name,
                                .wcet = t.wcet,
                                .period = t.period,
                                .deadline = t.deadline,
                                .point = typename Table::number(set.task(i).priority)}));
  }
  const gpusync_configuration& c = set.configuration;
  const auto found = compliant_vector(part, c.cpu_cluster_size, c.scheduler.points);
  // Bound: one per cluster of CPUs, at most `max_gpusync_cpus`.
  out.clusters.unchecked_push_back({found.status, found.s});
  for (std::size_t k = 0; k < found.tasks.size() && found.bounded(); ++k) {
    if (!record(set, out, position[k], found.tasks[k].response, found.tasks[k].lateness)) {
      return gel_status::overflow;
    }
  }
  return found.status;
}

template <class Table>
[[nodiscard]] constexpr auto test_priorities(const prepared_set<Table>& set, std::int32_t b,
                                             const inflated_set<Table>& inflated, tested_set<Table>& out)
    -> gel_status {
  using number = typename Table::number;
  const cpu_scheduler& scheduler = set.configuration.scheduler;
  std::array<response_bound<number>, Table::max_tasks> responses{};
  inline_vector<std::size_t, Table::max_tasks> order;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.task(i).cpu_cluster != b) { continue; }
    // Bound: one per task, at most `max_tasks`.
    order.unchecked_push_back(i);
    for (std::size_t at = order.size() - 1; at > 0 && goes_first(*set.table, scheduler, i, order[at - 1]); --at) {
      order[at] = order[at - 1];
      order[at - 1] = i;
    }
  }
  const auto status = fixed_priority_responses(inflated.tasks, order, set.configuration.cpu_cluster_size, responses);
  // Bound: one per cluster of CPUs, at most `max_gpusync_cpus`.
  out.clusters.unchecked_push_back({status, number(0)});
  for (std::size_t p = 0; p < order.size(); ++p) {
    const std::size_t i = order[p];
    const number lateness = responses[i].value - inflated.tasks[i].deadline;
    if (responses[i].exists && !record(set, out, i, responses[i].value, lateness)) { return gel_status::overflow; }
  }
  return status;
}

/// Does phase 5: each CPU cluster by itself.
template <class Table>
[[nodiscard]] constexpr auto test_phase(const prepared_set<Table>& set, const inflated_set<Table>& inflated)
    -> tested_set<Table> {
  tested_set<Table> out;
  for (std::int32_t b = 0; b < set.configuration.cpu_clusters(); ++b) {
    const auto status = set.configuration.scheduler.task_level ? detail::test_priorities(set, b, inflated, out)
                                                               : detail::test_deadlines(set, b, inflated, out);
    if (status == gel_status::overflow || status == gel_status::invalid_model) {
      out.status = obstacle::overflow;
    } else if (status != gel_status::bounded && out.status == obstacle::none) {
      out.status = obstacle::processors;
    }
  }
  for (std::size_t i = 0; i < set.size() && out.status == obstacle::none; ++i) {
    const bool late = typename Table::number(0) < out.lateness[i];
    if (late && asks_for_deadlines(set.wanted())) { out.status = obstacle::deadline; }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
