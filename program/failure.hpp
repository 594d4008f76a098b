// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <takt/model/model_error.hpp>

namespace takt::program {

/// Something is wrong with what the user gave. `where` is a JSON pointer, or a line and column where there is no JSON.
struct input_error {
  std::string where;
  std::string problem;
  std::string allowed;
  bool overflow = false;  ///< the values are well formed, but too large for 64-bit nanoseconds
};

/// The surroundings refuse something: a file that cannot be written, a device that is not there.
struct environment_error {
  std::string what;
};

/// The file is right, and there is nothing that could be simulated or run.
struct nothing_to_run {
  std::string why;
};

inline constexpr std::size_t longest_message = 400;

/// "place: what is wrong: expected what is allowed" on one line. A fault of a whole file has no place.
[[nodiscard]] auto line_of(const input_error& e) -> std::string;

/// The words of a fault that the library found, at its place in a file.
[[nodiscard]] auto refused_at(std::string where, const model_error& error) -> input_error;

}  // namespace takt::program
