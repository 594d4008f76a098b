// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI {

/// Lists classes from the one that always goes first to the one that goes last.
enum class thread_class : std::uint8_t {
  normal,     ///< jobs, and helpers that inherit from one
  callback,   ///< threads of a GPU runtime that wake the jobs that wait for an operation
  daemon,     ///< bottom halves of a GPU's interrupts
  real_time,  ///< what else the operating system calls real-time
  other,
};

/// Says where a thread stands among all threads: by class, by priority point, by the share of its deadline that its
/// task was late, by number. The third keeps an overload from always delaying the same task.
/// Source: Elliott 2015, section 3.3.2.
struct thread_rank {
  thread_class in = thread_class::normal;
  std::int64_t point = 0;
  rational late_share{};  ///< lateness of the task's last job / relative deadline; of a helper, CPU time it has not got
  std::int32_t tie = 0;

  [[nodiscard]] friend constexpr auto operator==(const thread_rank&, const thread_rank&) noexcept -> bool = default;
  /// Less is more important.
  [[nodiscard]] friend constexpr auto operator<=>(const thread_rank& a, const thread_rank& b) noexcept
      -> std::strong_ordering {
    if (a.in != b.in) { return a.in <=> b.in; }
    if (a.point != b.point) { return a.point <=> b.point; }
    if (a.late_share != b.late_share) { return b.late_share <=> a.late_share; }
    return a.tie <=> b.tie;
  }
};

/// A job on whose behalf a helper may work.
struct helped_job {
  bool suspended = false;
  bool holds_engine_lock = false;
  thread_rank effective{};
};

namespace detail {

/// Returns whether a helper may run as this job: only while it is suspended for an operation on an engine that it has
/// locked. A job that goes on after an asynchronous call would otherwise run twice under one identity.
[[nodiscard]] constexpr auto lends_rank(const helped_job& job) noexcept -> bool {
  return job.suspended && job.holds_engine_lock;
}

}  // namespace detail

/// Returns the rank of a helper: that of the most important job that lends its own, else the helper's. `jobs` are those
/// of the task for a callback thread and those that use the GPU for a daemon.
/// Source: Elliott 2015, sections 3.2.5.1, 3.2.5.2 and 3.3.2.
[[nodiscard]] constexpr auto helper_rank(const thread_rank& own, std::span<const helped_job> jobs) noexcept
    -> thread_rank {
  thread_rank best = own;
  for (const helped_job& job : jobs) {
    if (detail::lends_rank(job) && job.effective < best) { best = job.effective; }
  }
  return best;
}

}  // namespace takt::inline TAKT_ABI
