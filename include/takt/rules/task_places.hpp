// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/worst_fit.hpp>

namespace takt::detail {

/// What tasks ask of processors, and where they name a place. Tasks are told to it.
template <std::size_t N>
struct place_wishes {
  inline_vector<std::int64_t, N> demand;
  inline_vector<std::int32_t, N> core;  ///< -1: it names none
  ticks period = 1;

  constexpr void open(const flow_attributes& t) {
    period = t.period < 1 ? 1 : t.period;
    static_cast<void>(demand.push_back(0) && core.push_back(t.is_placed ? t.core : -1));
  }
  template <class S>
  constexpr auto visit(const S& s, visit_mask /*before*/) -> visit_mask {
    if constexpr (std::is_same_v<S, cpu_segment>) {
      const ticks time = s.time.upper.count();
      if (!demand.empty() && time > 0) { demand.back() += demand_of_place(time, period); }
    }
    return 0;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the flattening*/) {}
};

/// The cores of a plan that says none: those that tasks name, and for the others, greatest demand first, the cluster
/// with the least load. They stay as they are where tasks have no cores or all name theirs.
template <class P, class T, std::size_t N>
constexpr void place_tasks(const P& board, const T& tasks, inline_vector<std::int32_t, N>& cores) {
  std::int32_t together = 0;
  std::int32_t processors = 0;
  board.each([&](const auto& pool) {
    using facts = pool_facts<std::remove_cvref_t<decltype(pool)>>;
    if (!facts::is_processors(pool) || !facts::names_cores(pool)) { return; }
    together = facts::cluster(pool);
    processors = facts::units(pool);
  });
  if (!cores.empty() || together < 1 || processors <= together) { return; }
  place_wishes<N> asked;
  visit_source<T>::each(tasks, asked);
  inline_vector<std::int32_t, N> placed = asked.core;
  const bool any = place_worst_fit<N>(
      placed.size(), processors / together, [&](std::size_t i) { return asked.demand[i]; },
      [&](std::size_t i) { return asked.core[i] < 0 ? -1 : asked.core[i] / together; },
      [&](std::size_t i, std::int32_t cluster) { placed[i] = cluster * together; });
  if (any) { cores = placed; }
}

/// The same in a flat table of chains. True where a task was placed.
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

}  // namespace takt::detail
