// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/prediction/launch_overheads.hpp>

namespace takt::inline TAKT_ABI {

enum class set_laws_status : std::uint8_t {
  complete,
  not_profiled,      ///< a profile has no law
  least_sms_differ,  ///< a tail was measured through more SMs than another task's law speaks of
  overflow,
};

[[nodiscard]] constexpr auto name_of(set_laws_status s) noexcept -> std::string_view {
  switch (s) {
    case set_laws_status::complete: return "complete";
    case set_laws_status::not_profiled: return "a kernel has no profile";
    case set_laws_status::least_sms_differ: return "profiles begin at different numbers of SMs; begin all at the same";
    case set_laws_status::overflow: return "overflow";
  }
  return "";
}

struct set_laws {
  set_laws_status status = set_laws_status::not_profiled;
  std::vector<std::vector<divisible_work>> laws{};  ///< of each task's kernels, in the order of the profiles

  [[nodiscard]] explicit operator bool() const noexcept { return status == set_laws_status::complete; }
};

/// Returns the laws of tasks that run on one GPU at a time: each profile's own, later by a tail of every other task.
///
/// A launch whose blocks pass over SMs of other tasks fills the whole device with blocks, most of which leave at once.
/// While all other SMs are full they leave through the few free ones. The hardware begins no kernel before all blocks
/// of those ahead of it, at its priority, have a place: one queue, first in first out. Take a launch of a task whose
/// SMs are idle, as it has one launch under way at a time. Ahead of it is at most one launch of every other task,
/// because a task's next launch comes after its last has ended, and then waits behind. The blocks of those ahead
/// without a place yet all pass through that task's own SMs, one launch after the other. Each takes at most its tail:
/// the longest launch without work through the fewest SMs that a law here speaks of, while blocks sit on all others.
/// Once its own blocks have their places these are not taken away; its own tail is in the times of its profile.
///
/// Of a task's kernels one runs at a time, so the longest of its tails counts. Pre: a job is one launch, and one
/// launched again an overrun; all kernels have the same stream priority; no plan gives a task fewer SMs than
/// `least_sms`. Source of the queue's rules: Amert et al. 2017.
[[nodiscard]] inline auto laws_of(std::span<const std::vector<kernel_profile>> tasks) -> set_laws {
  set_laws out;
  std::vector<ticks> tails;
  ticks all_tails = 0;
  std::int32_t least = 0;
  bool same = true;
  for (const std::vector<kernel_profile>& task : tasks) {
    ticks longest = 0;
    for (const kernel_profile& p : task) {
      if (!p) { return out; }
      longest = std::max(longest, p.tail);
      same = same && (least == 0 || p.least_sms == least);
      least = p.least_sms;
    }
    tails.push_back(longest);
    if (!checked_add(all_tails, longest, all_tails)) { return {.status = set_laws_status::overflow}; }
  }
  if (all_tails > 0 && !same) { return {.status = set_laws_status::least_sms_differ}; }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::vector<divisible_work>& laws = out.laws.emplace_back();
    for (const kernel_profile& p : tasks[i]) {
      const auto law = detail::later_by(p.fit.law, all_tails - tails[i]);
      if (!law) { return {.status = set_laws_status::overflow}; }
      laws.push_back(*law);
    }
  }
  out.status = set_laws_status::complete;
  return out;
}

}  // namespace takt::inline TAKT_ABI
