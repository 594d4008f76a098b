// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/model/accelerator.hpp>

namespace takt_examples {

using takt::ticks;
using kernels = takt::task_rows<takt::accelerator_task<ticks>, 8>;
using slot = takt::slot_reservation<ticks>;

struct kernel {
  ticks wcet = 0;
  ticks deadline = 0;
  ticks period = 0;
  ticks cost = 0;
  std::int32_t core = 0;
};

inline constexpr std::int32_t gang = -2;
inline constexpr std::array<std::string_view, 8> names{"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"};

/// Tasks named t1, t2, ... on the cores given; core `gang` stands for all of them.
[[nodiscard]] constexpr auto set_of(std::initializer_list<kernel> tasks) -> kernels {
  kernels out;
  for (const kernel& k : tasks) {
    const bool all = k.core == gang;
    out.add({.name = names[out.size()],
             .wcet = k.wcet,
             .period = k.period,
             .deadline = k.deadline,
             .preemption_cost = k.cost,
             .width = all ? takt::kernel_width::all_cores : takt::kernel_width::one_core,
             .core = all ? takt::unassigned_core : k.core});
  }
  return out;
}

/// Zahaf and Lipari 2020, Example 1 and Table 1, with the slots of Example 2.
inline constexpr kernels table_1 =
    set_of({{3, 10, 10, 0, 0}, {5, 15, 15, 0, 0}, {4, 12, 12, 0, gang}, {1, 10, 10, 0, 1}});
inline constexpr slot pinned_of_example_2{0, 8, 12};
inline constexpr slot gang_of_example_2{8, 4, 12};

}  // namespace takt_examples
