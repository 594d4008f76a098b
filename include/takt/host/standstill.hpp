// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Holds for choices under which the process is stopped now and then. Stations count in the time that it has worked,
/// and all else by the clock; slices are of time that was worked.
template <class C>
concept StandsStill = requires(const C& choices, ticks time) {
  { choices.worked(time) } -> std::same_as<ticks>;    ///< once the clock is there
  { choices.clock_at(time) } -> std::same_as<ticks>;  ///< once so much has been worked
};

/// Holds for choices that drop releases of a late system, which are asked when a job has ended about the next release.
template <class C>
concept DropsReleases = requires(const C& choices, std::uint32_t task, ticks nominal, ticks now) {
  { choices.drops(task, nominal, now) } -> std::same_as<bool>;
};

namespace detail {

template <class Choices>
[[nodiscard]] constexpr auto worked_by(const Choices& choices, ticks clock) -> ticks {
  if constexpr (StandsStill<Choices>) { return choices.worked(clock); }
  return clock;
}

/// Returns the first of an instant that stations name and one of the clock, by the clock and not while the process is
/// stopped.
template <class Choices>
[[nodiscard]] constexpr auto first_instant(const Choices& choices, ticks of_stations, ticks by_clock) -> ticks {
  if constexpr (StandsStill<Choices>) {
    const ticks worked = choices.worked(by_clock);
    return choices.clock_at(worked < of_stations ? worked : of_stations);
  }
  return of_stations < by_clock ? of_stations : by_clock;
}

}  // namespace detail

/// Returns the nominal release of the next job of a task, counting those that are dropped before it.
template <class Choices, class Row>
[[nodiscard]] constexpr auto next_nominal(Choices& choices, std::uint32_t task, std::uint64_t job, ticks period,
                                          ticks before, ticks now, Row& seen) -> ticks {
  ticks out = before + choices.gap(task, job, period);
  if constexpr (DropsReleases<Choices>) {
    for (; choices.drops(task, out, now); out += choices.gap(task, job, period)) {
      ++seen.released;
      ++seen.skipped;
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::host
