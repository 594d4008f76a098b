// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Names the visit that a server serves, by its position among those of its station.
using client = std::uint32_t;
inline constexpr client no_client = 0xFFFF'FFFF;
inline constexpr ticks no_event = std::numeric_limits<ticks>::max();

/// Longer than any visit: the length of one whose end is told.
inline constexpr ticks until_notified = ticks{1} << 59;

inline constexpr std::int32_t unassigned_unit = -1;

/// Returns the least unit that none of some clients has. `unit_of(i)`: of one, or `unassigned_unit`.
template <class UnitOf>
[[nodiscard]] constexpr auto least_free_unit(std::size_t clients, const UnitOf& unit_of) -> std::int32_t {
  for (std::int32_t first = 0;; first += 64) {
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < clients; ++i) {
      const std::int32_t at = unit_of(i) - first;
      taken |= at >= 0 && at < 64 ? std::uint64_t{1} << at : 0;
    }
    if (~taken != 0) { return first + std::countr_one(taken); }
  }
}

/// The length of a visit that keeps its unit while it waits for something, and ends before.
inline constexpr ticks spinning_time = no_event / 4;

/// A visit that asks a server for its units.
struct visit_request {
  client who = no_client;
  std::uint32_t context = 0;  ///< its task
  priority_point point{};
  ticks length = 0;  ///< how long it will take, up to what ends a run; 0 for a step that needs its unit for no time
  ticks wcet = 0;    ///< how long it may take
  ticks region = 0;  ///< longest interval in which its unit cannot be taken from it; `no_event`: until it ends
  view_values view{};
  std::int32_t unit = unassigned_unit;  ///< the pool of the token that it got last, where that depends on another token
  ticks release = 0;                    ///< of its job, which its point counts from
};

/// Is told when a client held a unit. A server of any type tells one of these, so that it can be erased.
struct slice_sink {
  void* context = nullptr;
  void (*tell)(void* context, client who, std::int32_t unit, ticks from, ticks to) = nullptr;

  constexpr void operator()(client who, std::int32_t unit, ticks from, ticks to) const {
    if (tell != nullptr && from < to) { tell(context, who, unit, from, to); }
  }
};

/// Holds what a client has. Of several that have started on one unit, the one on the highest level runs.
struct held_unit {
  std::int32_t unit = 0;
  std::int32_t level = 0;
  bool runs = true;
};

/// Is told which client has which unit. Erased for the same reason.
struct holder_sink {
  void* context = nullptr;
  void (*tell)(void* context, client who, const held_unit& what) = nullptr;

  constexpr void operator()(client who, std::int32_t unit) const { tell(context, who, {.unit = unit}); }
  constexpr void operator()(client who, const held_unit& what) const { tell(context, who, what); }
};

}  // namespace takt::inline TAKT_ABI
