// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/host/flow_progress.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI {

/// Says what a job does between two instants of a run.
enum class job_state : std::uint8_t {
  absent,     ///< not released, waiting for the job before it, or completed
  ready,      ///< could run
  scheduled,  ///< has a processor
  suspended,  ///< does something elsewhere
  waiting,    ///< for a token
  spinning,   ///< the same, and has a processor
  gated,      ///< may not ask for its next token before it is among the best pending jobs
  donor,      ///< may not run because it has donated its priority at its release
};

[[nodiscard]] constexpr auto name_of(job_state s) noexcept -> std::string_view {
  switch (s) {
    case job_state::absent: return "absent";
    case job_state::ready: return "ready";
    case job_state::scheduled: return "scheduled";
    case job_state::suspended: return "suspended";
    case job_state::waiting: return "waiting";
    case job_state::spinning: return "spinning";
    case job_state::gated: return "gated";
    case job_state::donor: return "donor";
  }
  return "";
}

namespace host::detail {

/// Notes what the jobs of some tasks do, as far as it does not depend on who has a unit. `gates`: visits that may not
/// go on. Cost: a pass over these tasks and their sections.
template <class Table, class Stations, class Locks, class Gates>
constexpr void note_states(const Table& table, const Stations& stations, const flow_progress* progress,
                           const Locks& locks, const Gates& gates, std::span<const std::uint32_t> tasks,
                           std::span<job_state> out) {
  for (const std::uint32_t i : tasks) {
    const flow_progress& job = progress[i];
    out[i] = job.under_way ? job_state::ready : job_state::absent;
    if (!job.under_way) { continue; }
    if (job.lends) {
      out[i] = job_state::donor;
    } else if (locks.waits(i)) {
      out[i] = job_state::waiting;
    } else if (locks.asks(i)) {
      out[i] = job_state::gated;
    } else {
      const auto p = static_cast<std::uint32_t>(std::countr_one(job.done));
      const bool elsewhere = p < table.tasks[i].visit_count && !stations.inherits(table.visit(i, p).station);
      out[i] = elsewhere ? job_state::suspended : job_state::ready;
    }
  }
  for (std::size_t k = 0; k < gates.size(); ++k) { out[table.visits[gates[k]].task] = job_state::gated; }
}

/// Notes it of the jobs that have units of a station.
template <class Table, class Stations, class Servers>
constexpr void note_holders(const Table& table, const Stations& stations, const Servers& servers, std::size_t s,
                            std::span<job_state> out) {
  if (!stations.inherits(s)) { return; }
  struct heard {
    const Table* table;
    std::span<job_state> out;
  } to{&table, out};
  servers.holders(s, {&to, [](void* context, client v, const held_unit& /*what*/) {
                        const auto& h = *static_cast<heard*>(context);
                        job_state& state = h.out[h.table->visits[v].task];
                        state = state == job_state::waiting ? job_state::spinning : job_state::scheduled;
                      }});
}

}  // namespace host::detail

}  // namespace takt::inline TAKT_ABI
