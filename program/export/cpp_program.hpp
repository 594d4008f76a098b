// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../policies/policy_input.hpp"

namespace takt::program {

/// A file as a C++ program that says of its tasks what `takt analyze` says. `found` is what was made of the file under
/// `wishes`. Throws `input_error` with the place of what C++ has no word for.
[[nodiscard]] auto cpp_program(const workload_file& file, const rule_wishes& wishes, const policy_input& input,
                               const judged_policy& found) -> std::string;

}  // namespace takt::program
