// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_table.hpp>

#include "../failure.hpp"
#include "../file_platform.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

inline constexpr std::int32_t max_sms = 4096;
inline constexpr std::int32_t max_virtual_per_sm = 64;
inline constexpr std::size_t max_segments = 4096;
inline constexpr std::size_t max_segments_per_task = 256;
using file_table = task_table<ticks, max_tasks, max_segments>;

/// A file of chains. The table's names point into `from`.
struct task_file {
  std::string name;
  rule_names rules;
  platform_record platform;
  bool placed_by_program = false;  ///< some task named no core of several, so the program chose one
  file_table table;                ///< in the order of the file
  std::vector<std::string> notes;
  std::unique_ptr<workload_file> from;
};

/// Pre: the shape of the file is `chains`. Throws `input_error` when something is wrong with the model.
[[nodiscard]] auto chains_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<task_file>;

/// The line of the format for a fault that the library found: where it is in the file, and the value that is wrong.
[[nodiscard]] auto explain_fault(const task_file& file, const model_error& error) -> input_error;

}  // namespace takt::program
