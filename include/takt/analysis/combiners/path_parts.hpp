// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/combiners/local_blocking.hpp>
#include <takt/analysis/combiners/section_demands.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/bound_parts.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Holds how long visits take and wait. The values are a fixed point of the rules of their stations.
template <std::size_t N, std::size_t V>
struct found_responses {
  const readiness<N, V>* ready = nullptr;
  const ticks* responses = nullptr;
  const ticks* waits = nullptr;
  const visit_runs<V>* runs = nullptr;
};

/// Returns the visit on the longest path of a job before `v`, or its last one if v is `no_index`; `no_index` if none.
/// `end_of(u)`: when u ends at the latest.
template <std::size_t N, std::size_t V, class EndOf>
[[nodiscard]] constexpr auto visit_before(const visit_table<N, V>& table, std::uint32_t i, std::uint32_t v,
                                          const EndOf& end_of) -> std::uint32_t {
  const flow_record& t = table.tasks[i];
  std::uint32_t out = no_index;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const std::uint32_t u = t.first_visit + p;
    const bool counts = v == no_index || (table.visits[v].predecessors >> p & 1U) != 0;
    if (counts && (out == no_index || end_of(out) < end_of(u))) { out = u; }
  }
  return out;
}

/// Says what the bounds of tasks consist of: the visits along the longest path of each job, and what each of them waits
/// for. Each rule is asked once more at the fixed point. A visit of which its rule says nothing is one part.
template <std::size_t N, std::size_t V, class Stations>
constexpr void say_paths(const visit_table<N, V>& table, const Stations& stations, const lent_priorities<N, V>& lent,
                         local_blocking<N, V>& local, station_demands<N, V>& demands,
                         const found_responses<N, V>& found, verdict<ticks, N, V>& out) {
  parts_of_visit<ticks> said[V]{};
  for (std::size_t k = 0; k < demands.size(); ++k) {
    demands[k].moved = true;
    demands[k].parts = &said[demands.visit(k)];
  }
  bool grew = false;
  for (std::size_t s = 0; s < stations.size(); ++s) {
    static_cast<void>(local.blocks(s) ? local.responds(stations, s, demands, grew)
                                      : lent.responds(stations, s, demands));
  }
  const auto end_of = [&](std::uint32_t v) {
    const ticks alone = found.ready->latest[v] + found.responses[v];
    const ticks in_run = found.ready->end_of_run(v, found.runs);
    return in_run < alone ? in_run : alone;
  };
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t path[max_visits_of_task]{};
    std::size_t length = 0;
    for (std::uint32_t v = visit_before(table, i, no_index, end_of); v != no_index;) {
      const bool by_run = found.ready->end_of_run(v, found.runs) < found.ready->latest[v] + found.responses[v];
      const std::uint32_t first = by_run ? found.runs->first[v] : v;
      auto& parts = said[v];
      const ticks time = by_run ? found.runs->time[v] : found.responses[v];
      if (by_run) { parts.clear(); }
      name_whole(parts, i, time);
      parts.add(term_kind::token_wait, no_index, found.waits[first]);
      path[length++] = v;
      v = visit_before(table, i, first, end_of);
    }
    auto& t = out.tasks[i];
    while (length-- > 0) {
      const std::uint32_t v = path[length];
      t.parts.add_visit(said[v], static_cast<std::uint16_t>(table.visits[v].position), length);
    }
    if (!takt::detail::is_explained(t)) { t.parts.add(term_kind::release_jitter, i, table.tasks[i].jitter); }
    // Where jobs wait for earlier ones of their task, rules do not say what that wait consists of.
    if (!takt::detail::is_explained(t)) { t.parts.clear(); }
  }
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
