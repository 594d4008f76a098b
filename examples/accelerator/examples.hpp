// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/accelerator.hpp>

namespace takt::pictures {

inline constexpr ticks ms = 1'000'000;
inline constexpr std::size_t most_kernels = 4;
inline constexpr std::int32_t sms = 2;

using kernels = task_rows<accelerator_task<ticks>, most_kernels>;
using slot = slot_reservation<ticks>;

/// Kernels and the slot that they share.
struct served_set {
  kernels tasks;
  slot served;
};

// Zahaf and Lipari 2020, with 1 ms as the unit of time.

/// Examples 1 and 2.
inline constexpr slot pinned_slot{0, 8 * ms, 12 * ms};
inline constexpr slot whole_slot{8 * ms, 4 * ms, 12 * ms};
inline constexpr ticks hyperperiod = 60 * ms;

[[nodiscard]] constexpr auto example_1() -> kernels {
  kernels k;
  k.add({.name = "t1", .wcet = 3 * ms, .period = 10 * ms, .deadline = 10 * ms, .core = 0});
  k.add({.name = "t2", .wcet = 5 * ms, .period = 15 * ms, .deadline = 15 * ms, .core = 0});
  k.add({.name = "t3", .wcet = 4 * ms, .period = 12 * ms, .deadline = 12 * ms, .width = kernel_width::all_cores});
  k.add({.name = "t4", .wcet = 1 * ms, .period = 10 * ms, .deadline = 10 * ms, .core = 1});
  return k;
}

/// Theorem 5, the first set: each period of t1 meets a slot in the same way.
[[nodiscard]] constexpr auto phases_fit() -> served_set {
  served_set s{.tasks = {}, .served = {0, 16 * ms, 20 * ms}};
  s.tasks.add({.name = "t1", .wcet = 4 * ms, .period = 10 * ms, .deadline = 5 * ms, .core = 0});
  s.tasks.add({.name = "t2", .wcet = 6 * ms, .period = 40 * ms, .deadline = 40 * ms, .core = 0});
  return s;
}

/// Theorem 5, the second set: jobs begin at many places of the slot's period.
[[nodiscard]] constexpr auto phases_differ() -> served_set {
  served_set s{.tasks = {}, .served = pinned_slot};
  s.tasks.add({.name = "t1", .wcet = 3 * ms, .period = 10 * ms, .deadline = 10 * ms, .core = 0});
  s.tasks.add({.name = "t2", .wcet = 4 * ms, .period = 15 * ms, .deadline = 15 * ms, .core = 0});
  return s;
}

}  // namespace takt::pictures
