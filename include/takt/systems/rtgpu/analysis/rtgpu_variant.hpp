// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says which of the sound steps an RTGPU analysis takes. Each only tightens; all hold together.
struct rtgpu_variant {
  std::string_view name;
  /// The first job of a window has finished by its response bound, not merely by its deadline.
  bool carry_in_by_response = false;
  /// A copy that has started is not preempted, and a copy that blocks it started a tick earlier (integer time).
  bool copies_start_once = false;
  /// Interference on the copy engine is also bounded once over the whole job instead of per copy.
  bool joint_windows = false;
  /// A task without suspensions is also bounded by classical response-time analysis, where higher tasks that suspend
  /// count with release jitter.
  bool classical = false;
  /// Kernel times divided by twice the virtual SMs, as Algorithm 2 of the paper prints it. Unsound.
  bool printed_divisor = false;
};

/// Zou et al. 2021, Theorem 5.6, as printed and repaired.
inline constexpr rtgpu_variant rtgpu_published{.name = "rtgpu"};
/// Never above `rtgpu_published` for the same plan.
inline constexpr rtgpu_variant rtgpu_sharper{
    .name = "rtgpu-sharper", .carry_in_by_response = true, .copies_start_once = true, .joint_windows = true};
/// The least of every bound that applies.
inline constexpr rtgpu_variant rtgpu_best{.name = "rtgpu-best",
                                          .carry_in_by_response = true,
                                          .copies_start_once = true,
                                          .joint_windows = true,
                                          .classical = true};

namespace as_published {
/// Is algorithm 2 exactly as printed; docs/errata.md has a system that exceeds its bounds.
inline constexpr rtgpu_variant rtgpu_algorithm_2{.name = "rtgpu-algorithm-2", .printed_divisor = true};
}  // namespace as_published

/// Holds the end-to-end bounds of one task; those that the variant does not compute stay `not_started`.
template <class Number>
struct rtgpu_bounds {
  fixed_point<Number> segmentwise;  ///< R1: sum of the segment responses; may exceed the deadline
  fixed_point<Number> cpu_joint;    ///< R2: CPU interference counted once over the job
  fixed_point<Number> all_joint;    ///< R3: CPU and copy interference counted once
  fixed_point<Number> copy_joint;   ///< R4: copy interference counted once
  fixed_point<Number> classical;
  response_bound<Number> best;
};

}  // namespace takt::inline TAKT_ABI::analysis
