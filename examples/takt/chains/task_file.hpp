// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_table.hpp>

#include "../failure.hpp"
#include "../file_head.hpp"
#include "../file_platform.hpp"
#include "../json_value.hpp"

namespace takt::program {

inline constexpr std::int32_t max_sms = 4096;
inline constexpr std::int32_t max_virtual_per_sm = 64;
inline constexpr std::size_t max_segments = 4096;
inline constexpr std::size_t max_segments_per_task = 256;
using file_table = task_table<ticks, max_tasks, max_segments>;

struct core_name {
  std::string name;
  std::string type;
};

/// A task-set file as understood. The table's names point into `texts`, so a file is neither copied nor moved.
struct task_file {
  task_file() = default;
  task_file(const task_file&) = delete;
  auto operator=(const task_file&) -> task_file& = delete;
  task_file(task_file&&) = delete;
  auto operator=(task_file&&) -> task_file& = delete;
  ~task_file() = default;

  json_value document;
  std::string name;
  rule_names rules;
  platform_record platform;
  std::vector<core_name> cores;
  bool placed_by_program = false;  ///< some task named no core of several, so the program chose one
  file_table table;                ///< in the order of the file
  std::deque<std::string> texts;
  std::vector<std::string> notes;
};

/// Throws `input_error` when something is wrong with the file, its model included.
[[nodiscard]] auto read_chains(json_value document) -> std::unique_ptr<task_file>;

/// The line of the format for a fault that the library found: where it is in the file, and the value that is wrong.
[[nodiscard]] auto explain_fault(const task_file& file, const model_error& error) -> input_error;

}  // namespace takt::program
