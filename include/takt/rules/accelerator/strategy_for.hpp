// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/single_stream.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/accelerator_tags.hpp>

namespace takt::detail {

/// The state machine behind the rule of an accelerator pool, for simulator and runtime alike. In slots and under `gang`
/// kernels make room by yielding at the ends of waves, so one level is enough there.
template <AcceleratorRule Rule, std::size_t MaxTasks, std::size_t MaxCores>
[[nodiscard]] constexpr auto strategy_for(const Rule& /*rule*/, const accelerator_record& a) {
  if constexpr (SingleStream<Rule>) {
    return single_stream<MaxTasks>(a.cores);
  } else if constexpr (StreamLevels<Rule>) {
    return level_stack<MaxTasks>(a.preemption_levels, a.cores);
  } else if constexpr (CoreSlots<Rule>) {
    return slotted_cores<MaxTasks, MaxCores>(a.cores);
  } else {
    return event_driven_gang<MaxTasks, MaxCores, typename Rule::gang_order>(a.cores);
  }
}

}  // namespace takt::detail
