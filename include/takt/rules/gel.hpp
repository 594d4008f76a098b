// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt {

/// Which relative priority points a GEL scheduler gives its tasks. A job's point is its nominal release plus that of
/// its task; the least point runs first. Adding one number to all points of a cluster changes nothing.
enum class gel_policy : std::uint8_t {
  earliest_deadline,   ///< the relative deadline
  fair_lateness,       ///< deadline - (m - 1) / m wcet on m processors (Erickson 2014)
  first_in_first_out,  ///< 0
  given_points,        ///< `gel_task::point`
};
[[nodiscard]] constexpr auto last_of(gel_policy) noexcept -> gel_policy { return gel_policy::given_points; }

/// The point of a task on so many processors. Error: an overflowed fraction. Pre: processors >= 1, a known policy.
template <ExactNumber Number>
[[nodiscard]] constexpr auto relative_point(gel_policy policy, const gel_task<Number>& t, std::int32_t processors)
    -> fraction_of<Number> {
  using fraction = fraction_of<Number>;
  switch (policy) {
    case gel_policy::earliest_deadline: return fraction(t.deadline);
    case gel_policy::fair_lateness:
      return fraction(t.deadline) - quotient(Number(processors - 1), Number(processors)) * fraction(t.wcet);
    case gel_policy::first_in_first_out: return fraction(0);
    case gel_policy::given_points: return fraction(t.point);
  }
  return fraction(0);
}

/// Earliest release first.
struct by_release {
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    out = {release, t.task};
    return true;
  }
};

/// Earliest release + relative point of the task first: any GEL policy. The point of a task beyond the list does not
/// fit.
template <std::size_t MaxTasks>
struct by_given_points {
  std::array<ticks, MaxTasks> points{};

  [[nodiscard]] constexpr auto point(const job_timing& t, ticks release, priority_point& out) const noexcept -> bool {
    ticks at = 0;
    if (t.task < 0 || static_cast<std::size_t>(t.task) >= MaxTasks) { return false; }
    if (!checked_add(release, points[static_cast<std::size_t>(t.task)], at)) { return false; }
    out = {at, t.task};
    return true;
  }
};

static_assert(JobPriority<by_release> && JobPriority<by_given_points<4>>);

}  // namespace takt
