// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/rules/host/flow_progress.hpp>
#include <takt/rules/host/run_choices.hpp>
#include <takt/rules/host/visit_guards.hpp>

namespace takt::host {

/// Visits that a run's choices hold back. Without such choices there are none.
template <std::size_t V, RunChoices Choices>
class held_visits {
 public:
  /// Whether a visit of this job, which may start as far as the job goes, is held back.
  constexpr auto keep(std::uint32_t v, flow_progress& job, Choices& choices, visit_guards<V>& guards, ticks now)
      -> bool {
    if constexpr (HoldsVisits<Choices>) {
      const ticks at = choices.opens(v, job.jobs - 1, now);
      guards.drop(v);
      held_[v] = at > now;
      if (held_[v]) { guards.hold(v, at); }
      if constexpr (NamesReleases<Choices>) { job.nominal = held_[v] ? job.nominal : choices.released(v); }
      return held_[v];
    }
    return false;
  }
  /// Asks again for each visit that is held back, by `start`. Whether one is no longer.
  template <class F>
  constexpr auto open(std::size_t visits, const F& start) -> bool {
    bool opened = false;
    for (std::uint32_t v = 0; HoldsVisits<Choices> && v < visits; ++v) {
      if (!held_[v]) { continue; }
      start(v);
      opened = opened || !held_[v];
    }
    return opened;
  }

 private:
  bool held_[V]{};
};

}  // namespace takt::host
