// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace takt_benchmarks {

inline constexpr std::int64_t most_repeats = 1'000'000'000;

/// Options of a measuring program, taken one by one. `end` refuses what nobody took.
class command_line {
 public:
  command_line(int argc, char** argv) : program_{argv[0]}, words_{argv + 1, argv + argc} {}

  [[nodiscard]] auto flag(std::string_view name) -> bool {
    for (auto at = words_.begin(); at != words_.end(); ++at) {
      if (*at != name) { continue; }
      words_.erase(at);
      return true;
    }
    return false;
  }
  /// What follows `name`.
  [[nodiscard]] auto text(std::string_view name) -> std::optional<std::string> {
    for (auto at = words_.begin(); at != words_.end(); ++at) {
      if (*at != name) { continue; }
      if (at + 1 == words_.end()) {
        fault(std::string{name} + " needs a value");
        return std::nullopt;
      }
      std::optional<std::string> out{*(at + 1)};
      words_.erase(at, at + 2);
      return out;
    }
    return std::nullopt;
  }
  /// From 1 to `most`.
  [[nodiscard]] auto number(std::string_view name, std::int64_t otherwise, std::int64_t most) -> std::int64_t {
    const auto given = text(name);
    if (!given) { return otherwise; }
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), out);
    if (error == std::errc{} && end == given->data() + given->size() && out >= 1 && out <= most) { return out; }
    fault(std::string{name} + " needs a number from 1 to " + std::to_string(most) + ", and not \"" + *given + "\"");
    return otherwise;
  }

  /// Empty when all words were taken and right.
  [[nodiscard]] auto problem() const -> std::string {
    if (!problem_.empty() || words_.empty()) { return problem_; }
    return "\"" + words_.front() + "\" is no option";
  }
  /// Ends the program with 2 and a sentence where there is a problem.
  void end() const {
    if (problem().empty()) { return; }
    std::fprintf(stderr, "%s: %s\n", program_.c_str(), problem().c_str());
    std::exit(2);
  }

 private:
  void fault(std::string sentence) {
    if (problem_.empty()) { problem_ = std::move(sentence); }
  }

  std::string program_;
  std::vector<std::string> words_;
  std::string problem_;
};

}  // namespace takt_benchmarks
