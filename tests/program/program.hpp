// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

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

/// What a script of bash leaves behind; `$takt` is the program. Traces that it writes are not checked.
[[nodiscard]] auto by_shell(const std::string& script) -> outcome;

[[nodiscard]] auto contains(const std::string& text, const std::string& part) -> bool;

/// The whole of standard output as one JSON value.
[[nodiscard]] auto object(const outcome& o) -> nlohmann::json;

/// The line on standard error for a file that is refused: exit code 3, and nothing on standard output.
[[nodiscard]] auto refusal(const std::string& arguments, const std::string& text) -> std::string;

/// A place in a file, what comes there instead, and a part of the line that refuses it.
struct mutation {
  const char* from;
  const char* to;
  const char* line;
};
/// Puts each fault into a text by itself, and checks that `analyze` refuses it with its line.
void check_mutations(const std::string& text, std::initializer_list<mutation> faults);

/// A path inside this test's own folder, which is removed at the end.
[[nodiscard]] auto scratch(std::string_view name) -> std::string;
/// Writes a file into that folder and returns its path.
auto write(std::string_view name, std::string_view bytes) -> std::string;
[[nodiscard]] auto read(const std::string& path) -> std::string;

[[nodiscard]] auto data(std::string_view name) -> std::string;
/// The same whose kernels have SMs of their own. Pre: they share virtual ones.
[[nodiscard]] auto with_own_sms(std::string_view name) -> std::string;

/// A file without a fault, into which tests put one.
[[nodiscard]] auto good_file() -> std::string;
/// The text with the first `from` replaced; fails the test when there is none.
[[nodiscard]] auto with(std::string text, std::string_view from, std::string_view to) -> std::string;

}  // namespace takt::test
