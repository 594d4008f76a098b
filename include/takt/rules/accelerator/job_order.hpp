// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/value.hpp>

namespace takt::inline TAKT_ABI {

/// A registered kernel: a number below the capacity of a strategy that has at most one incomplete job at a time. The
/// host holds back later jobs of the same kernel; every policy serves them in the order of their releases anyway.
using kernel_id = std::int32_t;
inline constexpr kernel_id no_kernel = -1;

namespace detail {

/// Holds for what says how important a job is, the least first: a number, or numbers one after the other.
template <class P>
concept JobPoint = DefaultCopyable<P> && std::totally_ordered<P>;

}  // namespace detail

/// Says where a job stands in the order of importance: by point (an absolute deadline, a rank), then by release, then
/// by number. No two incomplete jobs are equal.
template <detail::JobPoint Point>
struct job_order {
  Point point{};
  Point release{};
  kernel_id kernel = no_kernel;

  [[nodiscard]] friend constexpr auto operator==(const job_order&, const job_order&) -> bool = default;
};

/// Returns whether a goes before b in the order in which jobs wait.
template <detail::JobPoint Point>
[[nodiscard]] constexpr auto goes_before(const job_order<Point>& a, const job_order<Point>& b) -> bool {
  if (a.point != b.point) { return a.point < b.point; }
  return a.release != b.release ? a.release < b.release : a.kernel < b.kernel;
}

namespace detail {

/// Returns whether a may preempt b: jobs of equal points do not preempt each other.
template <JobPoint Point>
[[nodiscard]] constexpr auto outranks(const job_order<Point>& a, const job_order<Point>& b) -> bool {
  return a.point < b.point;
}

}  // namespace detail

/// Holds the order of the incomplete job of each kernel.
template <detail::JobPoint Point, std::size_t MaxTasks>
using job_orders = std::array<job_order<Point>, MaxTasks>;

}  // namespace takt::inline TAKT_ABI
