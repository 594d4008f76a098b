// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the instants at which a job of a node had all that it waits for, by the clock.
struct job_inputs {
  ticks since = 0;       ///< the last of it was there
  ticks invoked = 0;     ///< its invocation had been made
  bool in_turn = false;  ///< the last of it was the end of a job of its own node, whose parallelism is restricted
};

/// Returns whether a job came later to its station than the bounds of others assume, which is its nominal release.
/// Bounds of nodes with restricted parallelism count that their jobs wait for each other, and an invocation that is
/// made late by less than a period keeps its jobs apart.
[[nodiscard]] constexpr auto comes_late(const job_inputs& in, ticks nominal, ticks period) noexcept -> bool {
  if (in.since <= nominal || in.in_turn) { return false; }
  return in.invoked < in.since || in.since - nominal >= period;
}

}  // namespace takt::inline TAKT_ABI
