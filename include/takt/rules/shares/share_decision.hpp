// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt::inline TAKT_ABI {

/// Say what happened at an instant, as bits.
inline constexpr std::uint8_t cause_release = 1;
namespace detail {

inline constexpr std::uint8_t cause_completion = 2;
inline constexpr std::uint8_t cause_miss = 4;

}  // namespace detail

enum class decision_kind : std::uint8_t {
  nothing,   ///< no workload change
  idle,      ///< no job is active
  operated,  ///< Algorithm 1 was run
  kept,      ///< left out by a trigger: all keep what they hold
  refilled,  ///< left out by a trigger, but what was free was handed out
};

/// Holds what an operation found out about one job.
struct examined_job {
  std::uint32_t task = 0;
  ticks slack = 0;
  share_need need = no_share_suffices;
  ticks predicted = 0;  ///< for a whole job, under the load seen; 0 where that is the worst, or a search tried several
  bool reused = false;  ///< an earlier slow-down stood in for a prediction
};

/// Holds what a scheduler of shares decides at one instant.
template <std::size_t MaxTasks>
struct share_decision {
  decision_kind kind = decision_kind::nothing;
  bool schedulable = true;  ///< every active job was admitted by the last operation, or none is active
  std::uint8_t cause = 0;
  share_allocation<MaxTasks> shares;               ///< in force from now on; one without a job holds nothing
  inline_vector<examined_job, MaxTasks> examined;  ///< in priority order, as far as the operation came
  std::uint32_t predictions = 0;                   ///< jobs examined without reuse
  std::uint32_t predictor_calls = 0;               ///< calls of the predictor for whatever purpose
  std::uint32_t changed = 0;                       ///< active jobs that hold another share than before
};

}  // namespace takt::inline TAKT_ABI
