// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/bound_parts.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt::inline TAKT_ABI {

/// Stands for no bound: larger than any time of a table.
inline constexpr ticks unbounded_response = ticks{1} << 60;
/// Stands for an unknown bound: the search ended at its limit of rounds, and there may be one.
inline constexpr ticks given_up_response = unbounded_response + 1;

namespace detail {

/// Returns the longer of two times, which may have no bound. If both have none it is the one that is surely unbounded.
[[nodiscard]] constexpr auto longer_response(ticks a, ticks b) noexcept -> ticks {
  const bool neither = a >= unbounded_response && b >= unbounded_response;
  return (a < b) != neither ? b : a;
}
/// Returns the value that stands for a response that exceeds its limit.
[[nodiscard]] constexpr auto beyond_limit(ticks found) noexcept -> ticks {
  return found == given_up_response ? found : unbounded_response;
}

}  // namespace detail

/// A visit as the bound of its pool sees it. Visits are sporadic with jitter: instances nominally become ready at least
/// a period apart, and each at most `jitter` later. Jobs of one task do not overlap: each starts when the one before
/// has ended, at that instant if it has been released by then.
struct visit_demand {
  std::uint32_t task = 0;
  std::uint32_t position = 0;
  visit_mask ancestors = 0;
  view_values view{};      ///< what the rule reads beyond the time
  priority_point point{};  ///< of a job whose nominal release is 0; equal for all visits of a job
  ticks wcet = 0;
  ticks region = 0;  ///< longest interval in which its unit cannot be taken from it; `wcet`: from its start to its end
  ticks period = 0;
  ticks jitter = 0;
  ticks deadline = 0;      ///< absolute deadline less the earliest instant at which the visit becomes ready
  ticks job_deadline = 0;  ///< relative deadline of the task, of which the point is
  ticks limit = 0;         ///< a response above it proves nothing; none above `longest_visit_time`
  ticks response = 0;  ///< in: a lower bound of the answer; out: longest time from ready to done, unbounded, given up
  /// The job is this visit and nothing else, and jobs may be late for the next ones: `jitter` is of the release alone.
  /// A rule that counts all jobs of a busy period writes `late`. The answer of another rule holds if `response` is at
  /// most `period`. Then no job waits for the one before beyond its own jitter.
  bool may_queue = false;
  ticks late = 0;  ///< out: longest time from the latest instant of becoming ready to done, or unbounded; 0: not said
  std::int32_t holders = 0;  ///< above 0: all visits of the station are of holders of so many tokens
  bool moved = true;         ///< the jitter has grown since the last call
  /// out, where not null: what the response consists of. It counts if it adds up to the response.
  parts_of_visit<ticks>* parts = nullptr;
};

/// Returns whether a path joins two visits of one task, or they are the same.
[[nodiscard]] constexpr auto ordered(const visit_demand& a, const visit_demand& b) noexcept -> bool {
  return a.task == b.task &&
         (a.position == b.position || (a.ancestors >> b.position & 1U) != 0 || (b.ancestors >> a.position & 1U) != 0);
}
/// Returns whether both can be pending at one instant.
[[nodiscard]] constexpr auto concurrent(const visit_demand& a, const visit_demand& b) noexcept -> bool {
  return !ordered(a, b);
}

/// Contract: longest time from ready to done of each visit of a pool of `units`, if visits are sporadic with jitter.
/// Demands stand in the order of their points. Any answer f(R) <= R is sound; see docs/composition.md.
template <class Rule>
concept BoundsResponses = requires(const Rule& rule, std::span<visit_demand> visits, std::int32_t units) {
  { rule.responds(visits, units) } -> std::same_as<void>;
};

/// Contract: whether every visit meets its local deadline, if visits are sporadic without jitter. `deadline` is the
/// local one.
template <class Rule>
concept DecidesDeadlines = requires(const Rule& rule, std::span<const visit_demand> visits, std::int32_t units) {
  { rule.decides(visits, units) } -> std::same_as<bool>;
};

namespace detail {

/// Says that the order is preemptive with one priority for each job, so that tests of the pool hold for jobs whose
/// suspensions and waits count as execution.
template <class Rule>
concept InflatesSuspensions = Rule::takes_suspensions;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
