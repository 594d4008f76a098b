// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/single_stream.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/servers/all.hpp>

namespace takt {

/// The state machine behind the rule of an accelerator pool, for simulator and runtime alike. In slots and under `gang`
/// kernels make room by yielding at the ends of waves, so one level is enough there.
template <std::size_t MaxTasks, std::size_t MaxCores, AcceleratorRule Rule>
[[nodiscard]] constexpr auto strategy_of(const Rule& /*rule*/, const accelerator_record& a) {
  if constexpr (MakesStrategy<Rule>) {
    return Rule::template make_strategy<MaxTasks, MaxCores>(a);
  } else {
    return single_stream<MaxTasks>(a.cores);
  }
}

}  // namespace takt
