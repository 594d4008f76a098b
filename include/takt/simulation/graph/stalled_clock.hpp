// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// The clock beside the time in which a process that is stopped now and then has worked. What happens at the instant
/// at which it is stopped happens when it goes on.
class stalled_clock {
 public:
  stalled_clock() = default;
  /// Pre: `are_apart`.
  explicit stalled_clock(std::span<const stall> stalls) {
    TAKT_EXPECTS(are_apart(stalls));
    ticks lost = 0;
    for (const stall& s : stalls) {
      stops_.push_back({s.begin - lost, lost, s});
      lost += s.length;
    }
  }

  /// What the clock says once so much has been worked.
  [[nodiscard]] auto at(ticks worked) const -> ticks { return worked + lost_by(worked); }
  /// How much has been worked when the clock says at least so much.
  [[nodiscard]] auto worked(ticks clock) const -> ticks {
    if (clock == no_event) { return no_event; }
    for (auto s = stops_.rbegin(); s != stops_.rend(); ++s) {
      if (clock >= s->what.begin) { return std::max(s->worked, clock - s->lost_before - s->what.length); }
    }
    return clock;
  }
  /// Stops that have passed once so much has been worked.
  [[nodiscard]] auto passed(ticks worked) const -> std::size_t {
    std::size_t out = 0;
    while (out < stops_.size() && stops_[out].worked <= worked) { ++out; }
    return out;
  }
  /// Bounds are void since the stops that have passed, of which so many had been noted.
  void note_stops(ticks worked, std::size_t& noted, host::void_bounds& bounds) const {
    for (const std::size_t n = passed(worked); noted < n; ++noted) {
      const stall& s = stops_[noted].what;
      bounds.late(s.begin, s.begin + s.length);
    }
  }

  /// f of each part of a time that was worked, as the clock has it.
  template <class F>
  void each_part(ticks from, ticks to, const F& f) const {
    for (std::size_t s = passed(from); s < stops_.size() && stops_[s].worked < to; ++s) {
      f(at(from), stops_[s].what.begin);
      from = stops_[s].worked;
    }
    const ticks begin = at(from);
    f(begin, begin + (to - from));
  }

 private:
  struct stop {
    ticks worked = 0;  ///< when it begins
    ticks lost_before = 0;
    stall what{};
  };
  [[nodiscard]] auto lost_by(ticks worked) const -> ticks {
    const std::size_t n = passed(worked);
    return n == 0 ? 0 : stops_[n - 1].lost_before + stops_[n - 1].what.length;
  }

  std::vector<stop> stops_;
};

}  // namespace takt::inline TAKT_ABI::simulation
