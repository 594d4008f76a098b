// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace takt {

/// What a job does between two instants of a run.
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

}  // namespace takt
