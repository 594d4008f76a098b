// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/rules/accelerator/level_stack.hpp>

namespace takt {

/// The whole accelerator for one job at a time, to its end. Source: Zahaf and Lipari 2020, section 5.1.
template <std::size_t MaxTasks>
class single_stream : public level_stack<MaxTasks> {
 public:
  constexpr explicit single_stream(std::int32_t cores = 1) noexcept : level_stack<MaxTasks>{1, cores} {}
};

static_assert(AcceleratorStrategy<single_stream<1>>);

}  // namespace takt
