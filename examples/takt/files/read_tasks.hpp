// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "table.hpp"
#include "workload_file.hpp"

namespace takt::program {

/// Everything under "graphs" and "tasks". Throws `input_error`.
void read_tasks(const json_value& top, workload_file& file);

/// A task as the dialect writes it.
[[nodiscard]] auto print_task(const workload_file& file, std::size_t task) -> ordered_json;

/// The objects of tasks.
[[nodiscard]] auto task_objects() -> std::vector<object_keys>;

}  // namespace takt::program
