// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../exit_code.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names of a library
namespace CLI {
class App;
}
// NOLINTEND(readability-identifier-naming)

namespace takt::program {

struct sweep_options {
  std::string name;   ///< of a study, or of a file of one
  unsigned jobs = 0;  ///< 0: one per hardware thread, of a rank one
  bool mpi = false;
  std::string shard;
  std::string blocks;
  std::string resume;
  bool rerun_missing = false;
  bool merge = false;
  std::string emit;  ///< slurm, parallel
  std::size_t parts = 0;
  std::size_t array_limit = 1000;
  std::string csv;
  std::string svg;
  std::string html;
  bool json = false;
  bool list = false;
  std::vector<std::string> parameters;  ///< NAME=VALUE
};

/// Whether the study is that of a file.
[[nodiscard]] auto names_file(const sweep_options& o) -> bool;

void add_sweep(CLI::App& command, sweep_options& o);

/// Runs a study. Throws `input_error` and `environment_error`.
[[nodiscard]] auto sweep_command(const sweep_options& o) -> exit_code;

}  // namespace takt::program
