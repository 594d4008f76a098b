// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exit_code.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names of a library
namespace CLI {
class App;
}
// NOLINTEND(readability-identifier-naming)

namespace takt::program {

struct generate_options {
  std::string name;
  std::uint64_t seed = 1;
  std::uint64_t count = 1;
  std::uint64_t number = 0;  ///< of the first set
  std::string level;         ///< empty: 1, where sets have one
  bool list = false;
  std::vector<std::string> parameters;  ///< NAME=VALUE
};

void add_generate(CLI::App& command, generate_options& o);

/// Prints random task sets, one a line. Throws `input_error` and `environment_error`.
[[nodiscard]] auto generate_command(const generate_options& o) -> exit_code;

}  // namespace takt::program
