// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <takt/model/locked_gpus/platform.hpp>
#include <takt/model/locked_gpus/task.hpp>
#include <takt/model/model_error.hpp>

#include "../failure.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

inline constexpr std::size_t max_section_kernels = 16;
using file_sections = gpusync_table<ticks, max_tasks, max_section_kernels>;

/// A file about tasks that lock GPUs by tokens and share their engines. The table's names point into `from`.
struct gpusync_file {
  std::string name;
  gpusync_board<> board;
  file_sections table;  ///< in the order of the file
  /// Which tasks have a deadline to meet. Under EDF and fair lateness a task without one needs a bound only, and its
  /// period takes the place in its priority.
  std::vector<bool> limited;
  std::vector<std::string> notes;
  std::unique_ptr<workload_file> from;
};

/// Pre: the shape of the file is `sections`. Throws `input_error` when something is wrong with the model.
[[nodiscard]] auto sections_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<gpusync_file>;

/// The line of the format for a fault that the library found.
[[nodiscard]] auto explain_fault(const model_error& error) -> input_error;

}  // namespace takt::program
