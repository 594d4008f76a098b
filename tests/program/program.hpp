// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace takt::test {

/// What a call of the program left behind.
struct outcome {
  int code = -1;  ///< above 128: ended by a signal, 124: by the time limit
  std::string out;
  std::string err;
};

/// Runs the program with arguments that are text for a shell, and with a file of its own or another one as standard
/// output.
[[nodiscard]] auto takt(const std::string& arguments, const std::string& standard_output = {}) -> outcome;

/// A path inside this test's own folder, which is removed at the end.
[[nodiscard]] auto scratch(std::string_view name) -> std::string;
/// Writes a file into that folder and returns its path.
auto write(std::string_view name, std::string_view bytes) -> std::string;
[[nodiscard]] auto read(const std::string& path) -> std::string;

[[nodiscard]] auto data(std::string_view name) -> std::string;

/// A file without a fault, into which tests put one.
[[nodiscard]] auto good_file() -> std::string;
/// The text with the first `from` replaced; fails the test when there is none.
[[nodiscard]] auto with(std::string text, std::string_view from, std::string_view to) -> std::string;

}  // namespace takt::test
