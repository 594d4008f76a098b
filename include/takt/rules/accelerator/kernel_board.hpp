// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/rules/servers/kernel_server.hpp>

namespace takt {

namespace detail {

/// Lanes of the hardware that a strategy can use.
template <class Strategy>
[[nodiscard]] constexpr auto most_lanes() noexcept -> std::size_t {
  if constexpr (requires { Strategy::max_cores; }) {
    return Strategy::max_cores + 1;
  } else {
    return 1;
  }
}

}  // namespace detail

/// The rule of a pool that is an accelerator, where its strategy, its costs and its slots are given one by one. Slots
/// count only where the strategy has any.
template <AcceleratorStrategy Strategy, JobPriority Order>
struct given_strategy {
  using is_takt_rule = void;
  static constexpr std::string_view name = "strategy";
  static constexpr bool preemptive = true;
  static constexpr bool stops_kernels = true;
  static constexpr bool tells_cores_apart = detail::most_lanes<Strategy>() > 1;
  using server = kernel_server<Strategy, detail::most_lanes<Strategy>(), Strategy::max_tasks>;

  Strategy strategy;
  preemption_cost_model costs;
  slot_reservation<ticks> pinned;
  slot_reservation<ticks> gang;
  Order order;
  std::int32_t nesting;  ///< most kernels that are started on one core
  bool together;         ///< all that arrives at one instant is there before the strategy decides

  [[nodiscard]] constexpr auto job_order(std::int32_t /*units*/) const noexcept -> Order { return order; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const -> server {
    return server{strategy, costs, pinned, gang, together};
  }
};

/// What an engine runs of a set of kernels.
struct kernel_visits {
  ticks shortest = 0;          ///< time of a kernel
  bool free_stopping = false;  ///< as if all preemption costs were 0
  /// Kernels stop starting waves so long before the end of their slot that no wave reaches beyond it: by the largest
  /// preemption cost on their core or, for those that need all cores, among these.
  bool guard_band = false;

  /// A kernel is a task with one visit, of station 0.
  template <std::size_t MaxTasks>
  [[nodiscard]] constexpr auto of(const accelerator_table<ticks, MaxTasks>& table) const
      -> visit_table<MaxTasks, MaxTasks> {
    visit_table<MaxTasks, MaxTasks> out;
    for (const auto& t : table.tasks) {
      const auto core_of = [](const accelerator_task<ticks>& x) {
        return needs_all_cores(x.width) ? any_core : x.core;
      };
      const ticks cost = free_stopping ? 0 : t.preemption_cost;
      ticks guard = 0;
      for (const auto& other : table.tasks) {
        const bool here = guard_band && core_of(other) == core_of(t);
        if (here && guard < other.preemption_cost) { guard = other.preemption_cost; }
      }
      static_cast<void>(
          out.add_task({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority}));
      static_cast<void>(out.add_next(0, shortest, t.wcet, kernel_needs{cost, core_of(t), guard - cost}.values()));
    }
    return out;
  }
};

}  // namespace takt
