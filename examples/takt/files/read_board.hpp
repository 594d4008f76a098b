// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "table.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// Throws `input_error` when something is wrong with a platform. `older` files lock GPUs without naming a protocol.
void read_board(const json_value& v, bool older, workload_file& out);

/// As the dialect writes it.
[[nodiscard]] auto print_board(const workload_file& file) -> ordered_json;

/// The objects of platforms.
[[nodiscard]] auto board_objects() -> std::vector<object_keys>;

}  // namespace takt::program
