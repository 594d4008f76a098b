// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "amalthea_model.hpp"

namespace takt::program {

/// The model as a task-set file, with what had to be assumed as its notes. Tasks that others trigger on a GPU become
/// copies and a kernel of those. Throws `input_error` where takt has no such system.
[[nodiscard]] auto workload_of(const amalthea_model& model, const std::string& name) -> nlohmann::ordered_json;

}  // namespace takt::program
