// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/model/gel_policy.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class Number>
constexpr void add_times(Number& sum, std::int32_t times, const Number& value) {
  if (times != 0) { sum = sum + Number(times) * value; }
}

}  // namespace detail

/// Returns the point of a task on so many processors. Error: an overflowed fraction. Pre: processors >= 1.
template <ExactNumber Number>
[[nodiscard]] constexpr auto relative_point(const gel_policy& policy, const gel_task<Number>& t,
                                            std::int32_t processors) -> fraction_of<Number> {
  TAKT_EXPECTS(processors >= 1);
  using fraction = fraction_of<Number>;
  fraction out(0);
  detail::add_times(out, policy.deadline, fraction(t.deadline));
  detail::add_times(out, policy.period, fraction(t.period));
  detail::add_times(out, policy.wcet, fraction(t.wcet));
  detail::add_times(out, policy.point, fraction(t.point));
  if (policy.other_processors != 0) {
    detail::add_times(out, policy.other_processors,
                      quotient(Number(processors - 1), Number(processors)) * fraction(t.wcet));
  }
  return out;
}

/// Earliest release first.
struct by_release {
  static constexpr bool takes_priorities = false;
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    out = {release, t.task};
    return true;
  }
};

/// Earliest release + relative point of the task first: any GEL policy. The point of a task beyond the list does not
/// fit.
template <std::size_t MaxTasks>
struct by_given_points {
  static constexpr bool takes_priorities = false;
  std::array<ticks, MaxTasks> points{};

  [[nodiscard]] constexpr auto point(const job_timing& t, ticks release, priority_point& out) const noexcept -> bool {
    ticks at = 0;
    if (t.task < 0 || static_cast<std::size_t>(t.task) >= MaxTasks) { return false; }
    if (!checked_add(release, points[static_cast<std::size_t>(t.task)], at)) { return false; }
    out = {at, t.task};
    return true;
  }
};

namespace detail {

/// Earliest release + relative point of a policy first, on so many processors. Points are `slope` times as large, so
/// that they are whole. Pre: the policy takes no points that are given one by one.
struct by_policy {
  static constexpr bool takes_priorities = false;
  gel_policy policy{};
  std::int32_t processors = 1;

  [[nodiscard]] constexpr auto slope() const noexcept -> std::int32_t {
    return policy.other_processors != 0 ? processors : 1;
  }
  [[nodiscard]] constexpr auto point(const job_timing& t, ticks release, priority_point& out) const noexcept -> bool {
    TAKT_EXPECTS(policy.point == 0);
    ticks at = release;
    const auto add = [&at](ticks times, ticks value) {
      ticks product = 0;
      return checked_multiply(times, value, product) && checked_add(at, product, at);
    };
    if (!add(policy.deadline, t.deadline) || !add(policy.period, t.period) || !add(policy.wcet, t.wcet) ||
        !checked_multiply(at, ticks{slope()}, at) || !add(ticks{policy.other_processors} * (processors - 1), t.wcet)) {
      return false;
    }
    out = {at, t.task};
    return true;
  }
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
