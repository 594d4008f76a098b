// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/locked_gpus/analysis/engine_blocking.hpp>
#include <takt/systems/locked_gpus/analysis/inflated_set.hpp>
#include <takt/systems/locked_gpus/analysis/options.hpp>
#include <takt/systems/locked_gpus/analysis/overlaps.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Holds tasks on a platform, with all that no pass of the analysis changes.
template <class Table>
struct prepared_set {
  using number = typename Table::number;

  gpusync_configuration configuration{};
  gpusync_overheads<number> overheads{};
  const Table* table = nullptr;
  options<number> given{};
  std::array<inflation_charges<number>, static_cast<std::size_t>(max_gpusync_gpus)> charges{};  ///< of a GPU cluster
  std::array<job_requests<number>, Table::max_tasks> own{};
  std::array<std::int64_t, static_cast<std::size_t>(max_gpusync_gpus)> users{};  ///< tasks of each GPU cluster

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return table->size(); }
  [[nodiscard]] constexpr auto task(std::size_t i) const noexcept -> const typename Table::task_type& {
    return table->tasks[i];
  }
  [[nodiscard]] constexpr auto users_of(std::int32_t gpu_cluster) const noexcept -> std::int64_t {
    return users[static_cast<std::size_t>(gpu_cluster)];
  }
  /// Returns the charges of a task that uses GPUs.
  [[nodiscard]] constexpr auto charges_of(std::size_t i) const noexcept -> const inflation_charges<number>& {
    return charges[static_cast<std::size_t>(task(i).gpu_cluster)];
  }
  /// Returns whether all charges of engine sections are at most `longest_transfer_time`.
  [[nodiscard]] constexpr auto has_bounded_charges() const -> bool {
    for (std::size_t i = 0; i < size(); ++i) {
      if (!task(i).uses_gpu()) { continue; }
      const auto& charge = charges_of(i).engine.section;
      if (!charge.bounded() || number(longest_transfer_time) < charge.time) { return false; }
    }
    return true;
  }
  /// Fixed priorities have no bound on tardiness.
  [[nodiscard]] constexpr auto wanted() const noexcept -> guarantee {
    return configuration.scheduler.task_level ? guarantee::deadlines : given.wanted;
  }
};

/// Pre: `validate_gpusync` finds nothing; the table lives longer.
template <class Rules, GpusyncPlatform P, class Table>
[[nodiscard]] constexpr auto prepare(const P& platform, const Table& table, const options<typename Table::number>& o)
    -> prepared_set<Table> {
  TAKT_EXPECTS_IN_TESTS(!validate_gpusync(platform, table));
  prepared_set<Table> out;
  const gpusync_configuration& c = platform.configuration();
  out.configuration = c;
  out.overheads = platform.overheads;
  out.table = &table;
  out.given = o;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.uses_gpu()) { ++out.users[static_cast<std::size_t>(t.gpu_cluster)]; }
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    const bool alone = t.uses_gpu() && c.dedicates_gpus(out.users_of(t.gpu_cluster));
    out.own[i] = requests_of(c, platform.costs, t, alone ? state_location::same_gpu : state_location::any_gpu);
  }
  const bool local = detail::stays_local(o.interrupts, c.interrupts_stay_local());
  const std::int32_t engines = o.interrupting_engines > 0 ? o.interrupting_engines : c.engines_per_gpu();
  for (std::int32_t a = 0; a < c.gpu_clusters(); ++a) {
    if (out.users_of(a) == 0) { continue; }
    const std::int64_t holders = rivals_of(c, a, out.users_of(a)).direct + 1;
    out.charges[static_cast<std::size_t>(a)] =
        detail::inflation_charges_of<Rules>(c, out.overheads, holders, engines, local);
  }
  return out;
}

namespace detail {

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

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
