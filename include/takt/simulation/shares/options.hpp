// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/miss_action.hpp>
#include <takt/simulation/options.hpp>

namespace takt::simulation {

/// When a share that was decided is in force.
enum class share_change : std::uint8_t {
  delayed,       ///< every change after the delay
  raised_later,  ///< a decrease at once, an increase after the delay unless a smaller share was decided meanwhile
};
[[nodiscard]] constexpr auto last_of(share_change) noexcept -> share_change { return share_change::raised_later; }

struct share_options {
  /// The run ends there: completions and misses at that instant still count, releases do not.
  ticks horizon = 0;
  miss_action at_miss = miss_action::abort;
  /// Between a decision and its effect. Either way the shares in force never exceed the GPU, and what a job holds ends
  /// with it. Rules that are to be sound need as much `actuation`.
  ticks actuation_delay = 0;
  share_change change = share_change::delayed;
  /// Rows say only how long a job takes at most: any takes a part of that, from one tick on.
  execution_times execution = execution_times::upper;
  std::uint64_t seed = 1;  ///< of random parts
};

}  // namespace takt::simulation
