// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/worst_fit.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Holds what tasks ask of processors, where they name a place, and who shares a mutex. Tasks are told to it.
template <std::size_t N>
struct place_wishes {
  struct held_mutex {
    mutex_key mutex;
    std::uint32_t group = 0;
  };
  inline_vector<std::int64_t, N> demand;
  inline_vector<std::int32_t, N> core;    ///< -1: it names none
  inline_vector<std::uint32_t, N> group;  ///< tasks that share a mutex go to one place
  inline_vector<held_mutex, 2 * N> held;  ///< beyond so many mutexes, one and the same for all others
  ticks period = 1;
  std::int32_t cluster_size = 1;  ///< processors that are scheduled together

  /// More tasks than N are refused by the flattening.
  constexpr void open(const flow_attributes& t) {
    if (demand.full()) { return; }
    period = t.period < 1 ? 1 : t.period;
    const auto at = static_cast<std::uint32_t>(demand.size());
    // Bound: N of each, above.
    demand.unchecked_push_back(0);
    core.unchecked_push_back(t.is_placed ? core_named_by(t, cluster_size) : -1);
    group.unchecked_push_back(at);
  }
  template <class S>
  constexpr auto visit(const S& s, visit_mask /*before*/) -> visit_mask {
    if constexpr (is_cpu_segment<S>) {
      const ticks time = s.time.upper.count();
      if (!demand.empty() && time > 0) { demand.back() += demand_of_place(time, period); }
    }
    return 0;
  }
  constexpr void hold(mutex_key mutex, visit_mask /*visits*/) {
    if (!mutex || group.empty()) { return; }
    for (const held_mutex& h : held) {
      if (h.mutex == mutex) { return join(h.group, group.back()); }
    }
    if (!held.try_push_back({mutex, group.back()})) { join(held.back().group, group.back()); }
  }
  constexpr void refuse(const model_error& /*told by the flattening*/) {}

 private:
  constexpr void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t from = a < b ? b : a;
    const std::uint32_t to = a < b ? a : b;
    for (std::uint32_t& g : group) { g = g == from ? to : g; }
    for (held_mutex& h : held) { h.group = h.group == from ? to : h.group; }
  }
};

/// Returns the cluster of each task: the one that it names, -1 where it names none, and for the others, greatest need
/// first, the one with the least load. Tasks of a group stay together: the first of them asks for all that name none,
/// where one of the group is if it names its place. Pre: clusters >= 1.
template <std::size_t N>
[[nodiscard]] constexpr auto place_groups(const inline_vector<std::uint32_t, N>& group,
                                          const inline_vector<std::int32_t, N>& named,
                                          inline_vector<std::int64_t, N> need, std::int32_t clusters)
    -> inline_vector<std::int32_t, N> {
  TAKT_EXPECTS(clusters >= 1 && named.size() == group.size() && need.size() == group.size());
  inline_vector<std::int32_t, N> out = named;
  const auto follows = [&](std::size_t i) { return group[i] != i && named[i] < 0; };
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::uint32_t first = group[i];
    if (out[first] < 0) { out[first] = named[i]; }
    if (follows(i)) { need[first] += need[i]; }
  }
  const inline_vector<std::int32_t, N> known = out;
  place_worst_fit<N>(
      group.size(), clusters, [&](std::size_t i) { return need[i]; },
      [&](std::size_t i) { return follows(i) ? clusters : known[i]; },
      [&](std::size_t i, std::int32_t cluster) { out[i] = cluster; });
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (follows(i)) { out[i] = out[group[i]]; }
  }
  return out;
}

/// Chooses the cores of a plan that says none: those that tasks name, and for the others, greatest demand first, the
/// cluster with the least load. Tasks that share a mutex stay together. The cores stay as they are where tasks have
/// none or all name theirs.
template <class T, std::size_t N>
constexpr void place_tasks(pool_outlines pools, const T& tasks, inline_vector<std::int32_t, N>& cores) {
  const pool_outline* all = placed_processors(pools);
  if (!cores.empty() || all == nullptr || all->cluster < 1 || all->units <= all->cluster) { return; }
  const std::int32_t cluster_size = all->cluster;
  place_wishes<N> asked;
  asked.cluster_size = cluster_size;
  visit_source<T>::each(tasks, asked);
  bool all_named = true;
  for (const std::int32_t core : asked.core) { all_named = all_named && core >= 0; }
  if (all_named) { return; }
  // Bound of it and of `cores`, which are empty: one per task, at most N.
  inline_vector<std::int32_t, N> named;
  for (const std::int32_t core : asked.core) { named.unchecked_push_back(core < 0 ? -1 : core / cluster_size); }
  const auto placed = place_groups(asked.group, named, asked.demand, all->units / cluster_size);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    cores.unchecked_push_back(named[i] < 0 ? placed[i] * cluster_size : asked.core[i]);
  }
}

/// Places the tasks of a flat table of chains. Returns whether a task was placed.
template <class Table>
constexpr auto place_chains(Table& table, std::int32_t cores) -> bool {
  if (cores < 2) { return false; }
  return place_worst_fit<Table::max_tasks>(
      table.size(), cores,
      [&](std::size_t i) {
        std::int64_t sum = 0;
        const auto& t = table.tasks[i];
        for (std::size_t j = 0; j < t.segment_count; ++j) {
          const auto& s = table.segment(i, j);
          const bool asks = s.where == stage::cpu && s.time.upper > 0 && t.period > 0;
          sum += asks ? demand_of_place(s.time.upper, t.period) : 0;
        }
        return sum;
      },
      [&](std::size_t i) { return table.tasks[i].is_placed ? table.tasks[i].core : -1; },
      [&](std::size_t i, std::int32_t core) { table.tasks[i].core = core; });
}

}  // namespace takt::inline TAKT_ABI::detail
