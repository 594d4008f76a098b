// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt {

/// A verdict on applications that share a GPU, and the shares that it follows from. No task has a response bound: a job
/// is spread to its deadline.
template <std::size_t MaxTasks>
struct share_verdict : verdict<ticks, MaxTasks> {
  std::array<share_need, MaxTasks> needs{};  ///< least lasting share of each task, in the given order; 101 if none
  std::int32_t sum = 0;
};

}  // namespace takt
