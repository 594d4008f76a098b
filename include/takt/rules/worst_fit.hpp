// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Gives tasks without a place, greatest demand first, the place with the least load so far; ties go to the first.
/// `demand(i)` is what task i needs of a place per 2^32 units of time, `place(i)` where it is, or -1, and `put(i, p)`
/// puts it there. True where a task was placed. Pre: places >= 1.
template <std::size_t MaxTasks, class Demand, class Place, class Put>
constexpr auto place_worst_fit(std::size_t tasks, std::int32_t places, const Demand& demand, const Place& place,
                               const Put& put) -> bool {
  TAKT_EXPECTS(places >= 1);
  std::array<bool, MaxTasks> is_free{};
  bool any = false;
  for (std::size_t i = 0; i < tasks; ++i) {
    is_free[i] = place(i) < 0;
    any = any || is_free[i];
  }
  if (!any) { return false; }
  std::array<std::int32_t, MaxTasks> chosen{};
  const auto load_of = [&](std::int32_t at) {
    std::int64_t load = 0;
    for (std::size_t i = 0; i < tasks; ++i) {
      const std::int32_t where = is_free[i] ? chosen[i] - 1 : place(i);
      load += where == at ? demand(i) : 0;
    }
    return load;
  };
  for (std::size_t n = 0; n < tasks; ++n) {
    std::size_t next = tasks;
    for (std::size_t i = 0; i < tasks; ++i) {
      const bool waits = is_free[i] && chosen[i] == 0;
      if (waits && (next == tasks || demand(next) < demand(i))) { next = i; }
    }
    if (next == tasks) { break; }
    std::int32_t least = 0;
    std::int64_t load = load_of(0);
    // Beyond as many places as there are tasks, one is empty already.
    for (std::int32_t p = 1; p < places && load > 0 && p <= static_cast<std::int32_t>(tasks); ++p) {
      const std::int64_t here = load_of(p);
      if (here < load) {
        least = p;
        load = here;
      }
    }
    chosen[next] = least + 1;
  }
  for (std::size_t i = 0; i < tasks; ++i) {
    if (is_free[i]) { put(i, chosen[i] - 1); }
  }
  return true;
}

/// time / period in 2^-32, rounded down; at most 2^40. Of times that no task has, which are refused elsewhere, 0.
[[nodiscard]] constexpr auto demand_of_place(ticks time, ticks period) noexcept -> std::int64_t {
  if (time < 1 || period < 1) { return 0; }
  std::int64_t out = time / period;
  std::int64_t rest = time % period;
  if (out >= 256) { return std::int64_t{1} << 40; }
  for (int bit = 0; bit < 32; ++bit) {
    const bool carries = rest >= period - rest;
    out = out * 2 + (carries ? 1 : 0);
    rest = carries ? rest - (period - rest) : rest + rest;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::detail
