// SPDX-License-Identifier: Apache-2.0
#include "offsets.hpp"

#include <algorithm>
#include <cstddef>

#include "../failure.hpp"

namespace takt::program {

auto has_offsets(const workload_file& file) -> bool {
  return std::ranges::any_of(file.tasks.tasks, [](const runtime_task& t) { return t.offset != 0; });
}

auto offsets_of(const workload_file& file) -> std::vector<duration> {
  std::vector<duration> out;
  for (const runtime_task& t : file.tasks.tasks) { out.emplace_back(t.offset); }
  return out;
}

void refuse_strict(const workload_file& file, const std::string& problem, const std::string& allowed) {
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    if (file.tasks.tasks[i].strict) { throw input_error{step_into(file.task_at[i], "strict"), problem, allowed}; }
  }
}

void refuse_offsets(const workload_file& file, const std::string& problem, const std::string& allowed) {
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    if (file.tasks.tasks[i].offset != 0) { throw input_error{step_into(file.task_at[i], "offset"), problem, allowed}; }
  }
}

}  // namespace takt::program
