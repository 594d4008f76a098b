// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/locked_gpus/analysis/prepared_set.hpp>
#include <takt/systems/locked_gpus/analysis/token_blocking.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

/// Does phase 3: waits of each task's jobs for tokens, from the sections of phase 2. Cost: n^2.
template <class Rules, class Table>
[[nodiscard]] constexpr auto token_phase(
    const prepared_set<Table>& set, const rival_counts<Table>& rivals,
    const std::array<blocking_bound<typename Table::number>, Table::max_tasks>& sections)
    -> std::array<token_wait<typename Table::number>, Table::max_tasks> {
  const gpusync_configuration& c = set.configuration;
  const bool donation = c.donates_at_release();
  std::array<token_wait<typename Table::number>, Table::max_tasks> out{};
  for (std::int32_t a = 0; a < c.gpu_clusters(); ++a) {
    ranked_sections<Table> ranked;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto& t = set.task(i);
      if (!t.uses_gpu() || t.gpu_cluster != a) { continue; }
      ranked.add(static_cast<std::uint32_t>(i), t.cpu_cluster, sections[i].time);
    }
    const std::int64_t most = r2dglp_sections(c, set.users_of(a), set.given.queues);
    for (std::size_t r = 0; r < ranked.sections.size(); ++r) {
      const std::size_t i = ranked.sections[r].task;
      const auto& jobs = rivals.jobs[i];
      if (donation) {
        out[i].direct = ck_omlp_direct_wait<Rules>(c, a, set.task(i).cpu_cluster, set.users_of(a), ranked, jobs);
      } else {
        out[i].sections_ahead = most;
        out[i].direct = longest_sections(ranked, jobs, most);
      }
    }
  }
  if (donation && c.limits_tokens()) { add_loans(*set.table, sections, out); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
