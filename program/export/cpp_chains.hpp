// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../files/workload_file.hpp"

namespace takt::program {

/// `print_chains(found)`, which says how long reactions along the cause-effect chains of a file take and how old their
/// data are. `tasks`: those that were judged, where jobs of one may wait for those of another; else empty.
[[nodiscard]] auto cpp_chains(const workload_file& file, const std::string& tasks) -> std::string;

}  // namespace takt::program
