// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include <takt/report/utf8.hpp>
#include <takt/report/wrap.hpp>

#include "tty.hpp"

namespace takt::program {

namespace {

using std::string_view;

struct screen {
  bool coloured = false;
  std::size_t width = 0;  ///< 0: nobody looks, or nobody knows
};

[[nodiscard]] auto is_set(const char* variable) -> bool {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

[[nodiscard]] auto screen_for(colours wanted) -> screen {
  screen out{.coloured = wanted == colours::always};
  if (!is_terminal(STDOUT_FILENO)) { return out; }
  const char* const terminal = std::getenv("TERM");
  const bool plain = is_set("NO_COLOR") || terminal == nullptr || string_view{terminal} == "dumb";
  out.coloured = out.coloured || (wanted == colours::automatic && !plain);
  constexpr std::size_t least_width = 40;  // narrower, wrapped text is no better than what the terminal makes of it
  const std::size_t width = terminal_width();
  if (width >= least_width) { out.width = width; }
  return out;
}

[[nodiscard]] auto here() -> screen& {
  static screen it = screen_for(colours::automatic);
  return it;
}

struct tone {
  string_view word;
  string_view code;
};
constexpr string_view good = "\x1b[32m";
constexpr string_view bad = "\x1b[31m";
constexpr string_view open = "\x1b[33m";
constexpr string_view plain = "\x1b[0m";
constexpr tone tones[] = {{"schedulable", good}, {"no miss", good},  {"unschedulable", bad}, {"missed", bad},
                          {"MISSED", bad},       {"must miss", bad}, {"not-proven", open},   {"not proven", open}};

[[nodiscard]] auto is_part_of_a_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// The words of verdicts in their colours, where they stand by themselves.
[[nodiscard]] auto painted(string_view line) -> std::string {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const bool starts = at == 0 || !is_part_of_a_word(line[at - 1]);
    const auto* const found = std::ranges::find_if(tones, [&](const tone& t) {
      const std::size_t end = at + t.word.size();
      return starts && line.substr(at).starts_with(t.word) && (end == line.size() || !is_part_of_a_word(line[end]));
    });
    if (found == std::ranges::end(tones)) {
      out += line[at++];
      continue;
    }
    out.append(found->code).append(found->word).append(plain);
    at += found->word.size();
  }
  return out;
}

/// Sentences have single spaces; tables and pictures do not.
[[nodiscard]] auto is_prose(string_view line) -> bool { return line.find("  ") == string_view::npos; }

[[nodiscard]] auto fitted(string_view line, std::size_t width) -> std::vector<std::string> {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const string_view words = line.substr(indent);
  if (width == 0 || report::columns(line) <= width || indent + 2 >= width / 2 || !is_prose(words)) {
    return {std::string{line}};
  }
  auto out = report::wrapped(words, width - indent - 2);
  for (std::string& part : out) { part.insert(0, indent + (&part == out.data() ? 0 : 2), ' '); }
  return out;
}

}  // namespace

void choose_colours(colours wanted) { here() = screen_for(wanted); }

void show(string_view text) {
  const screen& on = here();
  if (!on.coloured && on.width == 0) {
    std::cout << text;
    return;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto lines = fitted(text.substr(0, end), on.width);
    for (const std::string& line : lines) {
      std::cout << (on.coloured ? painted(line) : line) << (&line == &lines.back() ? "" : "\n");
    }
    if (end < text.size()) { std::cout << '\n'; }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace takt::program
