// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare.hpp"

namespace takt_vectors {

/// The member `sim_synchronous` of a case of the suite `accelerator_platform`.
[[nodiscard]] auto sim_synchronous(const json& input) -> json;

/// The member `sim_gang` of one that overloads no core. `cores`: of the single tasks, by name, where the input leaves
/// them open; else null.
[[nodiscard]] auto sim_gang(const json& input, const json& cores) -> json;

}  // namespace takt_vectors
