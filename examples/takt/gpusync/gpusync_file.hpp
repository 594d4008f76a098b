// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <takt/model/locked_gpus/platform.hpp>
#include <takt/model/locked_gpus/task.hpp>
#include <takt/model/model_error.hpp>

#include "../failure.hpp"
#include "../file_head.hpp"
#include "../json_value.hpp"

namespace takt::program {

inline constexpr std::size_t max_section_kernels = 16;
using file_sections = gpusync_table<ticks, max_tasks, max_section_kernels>;

/// A file about tasks that lock GPUs by tokens and share their engines. The table's names point into `texts`, so a file
/// is neither copied nor moved.
struct gpusync_file {
  gpusync_file() = default;
  gpusync_file(const gpusync_file&) = delete;
  auto operator=(const gpusync_file&) -> gpusync_file& = delete;
  gpusync_file(gpusync_file&&) = delete;
  auto operator=(gpusync_file&&) -> gpusync_file& = delete;
  ~gpusync_file() = default;

  std::string name;
  std::string policy;  ///< as the file says it
  gpusync_board<> board;
  file_sections table;  ///< in the order of the file
  /// Which tasks have a deadline to meet. Under EDF and fair lateness a task without one needs a bound only, and its
  /// period takes the place in its priority.
  std::vector<bool> limited;
  std::deque<std::string> texts;
  std::vector<std::string> notes;
};

/// Whether the first GPU is shared by tokens, and the file says what happens inside a token section.
[[nodiscard]] auto is_gpusync_document(const json_value& document) -> bool;

/// Throws `input_error` when something is wrong with the file. Pre: `is_gpusync_document`.
[[nodiscard]] auto read_gpusync(const json_value& document) -> std::unique_ptr<gpusync_file>;

/// The line of the format for a fault that the library found.
[[nodiscard]] auto explain_fault(const model_error& error) -> input_error;

}  // namespace takt::program
