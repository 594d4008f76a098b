// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/gpusync/inflated_set.hpp>
#include <takt/analysis/gpusync/options.hpp>
#include <takt/analysis/gpusync/overlaps.hpp>
#include <takt/model/gpusync/platform.hpp>
#include <takt/model/gpusync/requests.hpp>
#include <takt/model/gpusync/task.hpp>

namespace takt::analysis::gpusync {

/// Tasks on a platform, with all that no pass of the analysis changes.
template <class Table>
struct prepared_set {
  using number = typename Table::number;

  gpusync_configuration configuration{};
  gpusync_overheads<number> overheads{};
  const Table* table = nullptr;
  options<number> given{};
  inflation_charges<number> charges{};
  std::array<job_requests<number>, Table::max_tasks> own{};
  std::array<std::int64_t, static_cast<std::size_t>(max_gpusync_gpus)> users{};  ///< tasks of each GPU cluster

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return table->size(); }
  [[nodiscard]] constexpr auto task(std::size_t i) const noexcept -> const typename Table::task_type& {
    return table->tasks[i];
  }
  [[nodiscard]] constexpr auto users_of(std::int32_t gpu_cluster) const noexcept -> std::int64_t {
    return users[static_cast<std::size_t>(gpu_cluster)];
  }
  /// Fixed priorities have no bound on tardiness.
  [[nodiscard]] constexpr auto wanted() const noexcept -> guarantee {
    return has_fixed_priorities(configuration.scheduler) ? guarantee::deadlines : given.wanted;
  }
};

/// Pre: `validate_gpusync` finds nothing; the table lives longer.
template <class Rules, GpusyncPlatform P, class Table>
[[nodiscard]] constexpr auto prepare(const P& platform, const Table& table, const options<typename Table::number>& o)
    -> prepared_set<Table> {
  prepared_set<Table> out;
  const gpusync_configuration& c = platform.configuration();
  out.configuration = c;
  out.overheads = platform.overheads;
  out.table = &table;
  out.given = o;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    out.own[i] = requests_of(c, platform.costs, t);
    if (t.uses_gpu()) { ++out.users[static_cast<std::size_t>(t.gpu_cluster)]; }
  }
  const bool local = o.interrupts == interrupt_place::as_configured ? c.interrupts_stay_local()
                                                                    : o.interrupts == interrupt_place::local;
  out.charges = inflation_charges_of<Rules>(
      c, out.overheads, o.interrupting_engines > 0 ? o.interrupting_engines : c.engines_per_gpu(), local);
  return out;
}

/// For each task, how many jobs of every other task of its GPU cluster may compete with one of its jobs.
template <class Table>
struct rival_counts {
  std::array<std::array<std::int64_t, Table::max_tasks>, Table::max_tasks> jobs{};
  bool countable = true;  ///< false: some count is above `most_overlaps`
};

template <class Table>
[[nodiscard]] constexpr auto count_rivals(const prepared_set<Table>& set, const job_overlaps<Table>& overlaps)
    -> rival_counts<Table> {
  rival_counts<Table> out;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set.task(i).uses_gpu()) { continue; }
    for (std::size_t j = 0; j < set.size(); ++j) {
      const auto& t = set.task(j);
      if (j == i || !t.uses_gpu() || t.gpu_cluster != set.task(i).gpu_cluster) { continue; }
      out.jobs[i][j] = overlaps.count(i, j);
      out.countable = out.countable && out.jobs[i][j] < most_overlaps;
    }
  }
  return out;
}

}  // namespace takt::analysis::gpusync
