// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Converts between the clock and the time in which a process that is stopped now and then has worked. Events of the
/// instant at which it is stopped happen when it goes on. Cost of each call: the stops.
class stalled_clock {
 public:
  constexpr stalled_clock() = default;
  /// Pre: ascending, apart, of positive lengths; they outlive it.
  constexpr explicit stalled_clock(std::span<const stall> stalls) : stalls_{stalls} { TAKT_EXPECTS(are_apart(stalls)); }

  /// Returns the clock once so much has been worked.
  [[nodiscard]] constexpr auto at(ticks worked) const -> ticks {
    return worked == no_event ? worked : worked + lost_by(worked);
  }
  /// Returns how much has been worked when the clock shows `clock`.
  [[nodiscard]] constexpr auto worked(ticks clock) const -> ticks {
    if (clock == no_event) { return clock; }
    ticks lost = 0;
    for (const stall& s : stalls_) {
      if (clock < s.begin) { break; }
      lost += clock - s.begin < s.length ? clock - s.begin : s.length;
    }
    return clock - lost;
  }
  /// Returns how many stops have passed once so much has been worked.
  [[nodiscard]] constexpr auto passed(ticks worked) const -> std::size_t {
    std::size_t out = 0;
    for (ticks lost = 0; out < stalls_.size() && stalls_[out].begin - lost <= worked; ++out) {
      lost += stalls_[out].length;
    }
    return out;
  }
  [[nodiscard]] constexpr auto stalls() const noexcept -> std::span<const stall> { return stalls_; }

  /// Calls f for each part of a time that was worked, in times of the clock.
  template <class F>
  constexpr void each_part(ticks from, ticks to, const F& f) const {
    for (std::size_t s = passed(from); s < stalls_.size() && worked(stalls_[s].begin) < to; ++s) {
      f(at(from), stalls_[s].begin);
      from = worked(stalls_[s].begin);
    }
    const ticks begin = at(from);
    f(begin, begin + (to - from));
  }

 private:
  [[nodiscard]] constexpr auto lost_by(ticks worked) const -> ticks {
    ticks lost = 0;
    for (const stall& s : stalls_) {
      if (s.begin - lost > worked) { break; }
      lost += s.length;
    }
    return lost;
  }

  std::span<const stall> stalls_{};
};

/// Calls `bounds.late(from, now)` for the stops that have passed once so much has been worked: bounds are void since
/// then. So many of them had been told before.
template <class Bounds>
constexpr void report_stops(const stalled_clock& clock, ticks worked, std::size_t& told, Bounds& bounds) {
  for (const std::size_t n = clock.passed(worked); told < n; ++told) {
    const stall& s = clock.stalls()[told];
    bounds.late(s.begin, s.begin + s.length);
  }
}

}  // namespace takt::inline TAKT_ABI::host
