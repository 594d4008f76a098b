// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/token_rule.hpp>

/// Waits for tokens from lengths of sections. A wait that no limit keeps, or that is not known, is unbounded.
namespace takt::inline TAKT_ABI::analysis {

namespace detail {

[[nodiscard]] constexpr auto capped_sum(ticks a, ticks b) noexcept -> ticks {
  return a < unbounded_response - b ? a + b : unbounded_response;
}

/// Describes sections of another task, or own ones that can wait beside s, and whether they follow each other.
struct rivals {
  std::int32_t count = 0;  ///< that can have requests at one time
  ticks longest = 0;
  ticks sum = 0;
  bool one_at_a_time = true;
};
[[nodiscard]] constexpr auto rivals_of(std::span<const section_demand> all, std::size_t s, std::uint32_t task) noexcept
    -> rivals {
  rivals out;
  const auto counts = [&](std::size_t r) {
    return r != s && all[r].task == task && (task != all[s].task || !ordered(all[r], all[s]));
  };
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (!counts(r)) { continue; }
    out.longest = out.longest < all[r].length ? all[r].length : out.longest;
    out.sum = capped_sum(out.sum, all[r].length);
    ++out.count;
    for (std::size_t q = 0; q < r && out.one_at_a_time; ++q) {
      out.one_at_a_time = !counts(q) || ordered(all[q], all[r]);
    }
  }
  if (out.one_at_a_time && out.count > 0) {
    out.count = 1;
    out.sum = out.longest;
  }
  return out;
}
[[nodiscard]] constexpr auto is_first_of_task(std::span<const section_demand> all, std::size_t r) noexcept -> bool {
  for (std::size_t q = 0; q < r; ++q) {
    if (all[q].task == all[r].task) { return false; }
  }
  return true;
}
constexpr void set_wait(section_demand& s, ticks wait) noexcept {
  s.wait = wait > s.limit ? unbounded_response : wait < s.wait ? s.wait : wait;
}

[[nodiscard]] constexpr auto others_at_a_time(std::span<const section_demand> all, std::size_t s) noexcept
    -> std::int32_t {
  std::int32_t others = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (is_first_of_task(all, r)) { others += rivals_of(all, s, all[r].task).count; }
  }
  return others;
}

}  // namespace detail

/// Bounds waits in any order, as long as no token is free while a job waits: all sections that can hold one within the
/// wait. `overtakes(s, r)`: whether r may be granted a token while s waits for one; another that has it already keeps
/// it, and of these there are no more than tokens. Cost: a fixed point for each section.
template <class Overtakes>
constexpr void work_conserving_delays(std::span<section_demand> sections, std::int32_t tokens,
                                      const Overtakes& overtakes) {
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const section_demand& own = sections[s];
    if (detail::others_at_a_time(sections, s) < tokens) {
      detail::set_wait(sections[s], 0);
      continue;
    }
    ticks held = 0;  // by those that do not overtake, the `tokens` longest
    {
      ticks below = unbounded_response + 1;
      for (std::int32_t left = tokens; left > 0;) {
        ticks next = -1;
        std::int32_t of_it = 0;
        for (std::size_t r = 0; r < sections.size(); ++r) {
          const section_demand& x = sections[r];
          if (r == s || (x.task == own.task && ordered(x, own)) || overtakes(own, x)) { continue; }
          if (x.length >= below || x.length < next) { continue; }
          of_it = x.length > next ? 1 : of_it + 1;
          next = x.length;
        }
        if (next < 0) { break; }
        for (; of_it > 0 && left > 0; --of_it, --left) { held = detail::capped_sum(held, next); }
        below = next;
      }
    }
    ticks wait = own.wait < 0 ? 0 : own.wait;
    for (bool grows = true; grows && wait <= own.limit;) {
      ticks sum = held;
      for (std::size_t r = 0; r < sections.size() && sum < unbounded_response; ++r) {
        const section_demand& x = sections[r];
        if (r == s || (x.task == own.task && ordered(x, own)) || !overtakes(own, x)) { continue; }
        ticks work = 0;
        const ticks reach = x.end < x.earliest ? 0 : x.end - x.earliest;
        const ticks jobs = x.task == own.task ? 1 : detail::capped_sum(wait, reach) / x.period + 1;
        if (!checked_multiply(jobs, x.length, work)) { work = unbounded_response; }
        sum = detail::capped_sum(sum, work < unbounded_response ? work : unbounded_response);
      }
      const ticks needed = sum < unbounded_response ? sum / tokens : unbounded_response;
      grows = needed > wait;
      wait = grows ? needed : wait;
    }
    detail::set_wait(sections[s], wait);
  }
}

/// Computes delays where every job may overtake.
constexpr void work_conserving_delays(std::span<section_demand> sections, std::int32_t tokens) {
  work_conserving_delays(sections, tokens,
                         [](const section_demand& /*own*/, const section_demand& /*other*/) { return true; });
}

}  // namespace takt::inline TAKT_ABI::analysis
