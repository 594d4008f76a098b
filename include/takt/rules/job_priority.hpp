// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the facts of a sporadic task that decide how important its jobs are.
struct job_timing {
  ticks wcet = 0;
  ticks period = 0;
  ticks deadline = 0;         ///< relative
  std::int32_t task = 0;      ///< breaks ties, the lower number first
  std::int32_t priority = 0;  ///< as given, 0 is the highest
};

/// Gives a job at its release the one priority that it keeps (job-level fixed priority). `point(t, release, out)` is
/// false, and leaves `out` alone, where the point does not fit. `takes_priorities = false` says that it never looks at
/// the given priority, so that a plan cannot give one. Points of one policy object can be compared with each other
/// only. With one policy per cluster of c processors it is the partitioned (c = 1), clustered or global variant.
template <class P>
concept JobPriority = Copyable<P> && requires(const P p, const job_timing& t, ticks release, priority_point& out) {
  { p.point(t, release, out) } noexcept -> std::same_as<bool>;
};

/// The task with the lower priority number first.
struct by_given_priority {
  static constexpr std::string_view name = "as given";
  static constexpr bool task_level = true;
  static constexpr bool takes_priorities = true;

  [[nodiscard]] static constexpr auto key(const auto& task) noexcept { return task.priority; }
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {key(t), t.task};
    return true;
  }
};

/// Puts no job before another: servers go by arrival.
struct by_arrival {
  static constexpr bool takes_priorities = false;
  [[nodiscard]] static constexpr auto point(const job_timing& /*t*/, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {};
    return true;
  }
};

/// The task with the shorter period first.
struct by_period {
  static constexpr bool takes_priorities = false;
  static constexpr std::string_view name = "rate monotonic";
  static constexpr bool task_level = true;

  [[nodiscard]] static constexpr auto key(const auto& task) noexcept { return task.period; }
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {key(t), t.task};
    return true;
  }
};

/// The task with the shorter relative deadline first.
struct by_relative_deadline {
  static constexpr bool takes_priorities = false;
  static constexpr std::string_view name = "deadline monotonic";
  static constexpr bool task_level = true;

  [[nodiscard]] static constexpr auto key(const auto& task) noexcept {
    if constexpr (requires { task.ordering_deadline(); }) {
      return task.ordering_deadline();
    } else {
      return task.deadline;
    }
  }
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {key(t), t.task};
    return true;
  }
};

/// Earliest deadline first.
struct by_absolute_deadline {
  static constexpr bool takes_priorities = false;
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    ticks at = 0;
    if (!checked_add(release, t.deadline, at)) { return false; }
    out = {at, t.task};
    return true;
  }
};

/// Ranks jobs by absolute deadline alone; no job goes before another with the same deadline: servers go by arrival.
struct by_absolute_deadline_alone {
  static constexpr bool takes_priorities = false;
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    ticks at = 0;
    if (!checked_add(release, t.deadline, at)) { return false; }
    out = {at, 0};
    return true;
  }
};

/// Earliest release + deadline - (c - 1) / c * wcet first, which makes all tasks of a cluster of c processors equally
/// late. Points are c times as large, so that they are whole.
/// Source: Erickson 2014; Elliott 2015, equations 2.12 and 2.13.
struct by_fair_lateness {
  static constexpr bool takes_priorities = false;
  std::int32_t processors = 1;

  [[nodiscard]] constexpr auto point(const job_timing& t, ticks release, priority_point& out) const noexcept -> bool {
    ticks at = 0;
    ticks earlier = 0;
    if (!checked_add(release, t.deadline, at) || !checked_multiply(at, ticks{processors}, at) ||
        !checked_multiply(t.wcet, ticks{processors} - 1, earlier) || !checked_subtract(at, earlier, at)) {
      return false;
    }
    out = {at, t.task};
    return true;
  }
};

}  // namespace takt::inline TAKT_ABI
