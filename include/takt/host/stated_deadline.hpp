// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/number.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline v0::host {

/// The deadline that a task states, `no_event` for none. Tables hold the lesser of deadline and period, which is what
/// proofs are about.
template <class Tasks>
[[nodiscard]] constexpr auto stated_deadline(const Tasks& /*tasks*/, std::size_t /*task*/, const flow_record& flat)
    -> ticks {
  return flat.deadline;
}
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto stated_deadline(const described_tasks<N, V, R, S>& tasks, std::size_t task,
                                             const flow_record& /*flat*/) -> ticks {
  return tasks.tasks[task].limited ? tasks.tasks[task].deadline : no_event;
}

}  // namespace takt::inline v0::host
