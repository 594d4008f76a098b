// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../files/workload_file.hpp"
#include "amalthea_model.hpp"

namespace takt::program {

/// The text of the model with the mapping, priorities and time slices of a plan for it, and nothing else changed. A
/// task without a kernel in the plan takes the one that it triggers onto its core. Throws `input_error` where the plan
/// is about other tasks or cores, or the model has no place for it.
[[nodiscard]] auto with_plan(const xml_file& file, const amalthea_model& model, const workload_file& plan)
    -> std::string;

}  // namespace takt::program
