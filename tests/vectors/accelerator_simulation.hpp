// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/model/accelerator.hpp>

#include "case_input.hpp"

namespace takt_vectors {

[[nodiscard]] auto read_width(const field& task) -> takt::kernel_width;

/// In which order the tasks of a case are urgent, ties by index.
enum class task_order : std::uint8_t { as_given, rate_monotonic, deadline_monotonic };
[[nodiscard]] auto read_order(const field& input) -> task_order;

/// The member `sim_synchronous` of a case of the suite `accelerator_platform`.
[[nodiscard]] auto sim_synchronous(const field& input) -> json;

/// The member `sim_gang` of one that overloads no core. `cores`: of the single tasks, by name, where the input leaves
/// them open; else null.
[[nodiscard]] auto sim_gang(const field& input, const json& cores) -> json;

}  // namespace takt_vectors
