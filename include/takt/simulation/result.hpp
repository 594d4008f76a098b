// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a simulation saw of at most so many tasks and visits. The name of a task is a view of that in the set.
template <std::size_t MaxTasks, std::size_t MaxVisits = 0, ExactNumber Number = ticks>
using simulation_result = observation<inline_vector<observed_task<Number>, MaxTasks>, inline_vector<Number, MaxVisits>>;

}  // namespace takt::inline TAKT_ABI
