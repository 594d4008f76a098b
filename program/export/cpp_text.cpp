// SPDX-License-Identifier: Apache-2.0
#include "cpp_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <takt/report/visible.hpp>

namespace takt::program {

namespace {

using std::string_view;

constexpr std::size_t deeper = 4;
constexpr std::array<std::pair<string_view, ticks>, 4> units{
    {{"_s", 1'000'000'000}, {"_ms", 1'000'000}, {"_us", 1'000}, {"_ns", 1}}};

[[nodiscard]] auto is_letter(char c) -> bool { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] auto is_digit(char c) -> bool { return c >= '0' && c <= '9'; }

[[nodiscard]] auto closing(const cpp_term& term) -> string_view {
  return term.open.empty() ? "" : term.open == "(" ? ")" : "}";
}

[[nodiscard]] auto on_one_line(const cpp_term& term) -> std::string {
  std::string out = term.head + term.open;
  const char* between = "";
  for (const cpp_term& argument : term.arguments) {
    out += between + on_one_line(argument);
    between = ", ";
  }
  return out.append(closing(term));
}

[[nodiscard]] auto column_behind(const std::string& text, std::size_t column) -> std::size_t {
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? column + text.size() : text.size() - line - 1;
}

}  // namespace

auto cpp_word(std::string text) -> cpp_term { return {.head = std::move(text)}; }
auto cpp_call(std::string name, std::vector<cpp_term> arguments) -> cpp_term {
  return {.head = std::move(name), .open = "(", .arguments = std::move(arguments)};
}
auto cpp_braces(std::string name, std::vector<cpp_term> arguments) -> cpp_term {
  return {.head = std::move(name), .open = "{", .arguments = std::move(arguments)};
}

auto cpp_text(const cpp_term& term, std::size_t column, std::size_t after) -> std::string {
  std::string line = on_one_line(term);
  if (!term.in_rows && column + line.size() + after <= widest_cpp_line) { return line; }
  if (term.arguments.empty()) { return line; }
  const std::size_t inside = column + deeper;
  const std::string margin = "\n" + std::string(inside, ' ');
  std::string out = term.head + term.open;
  bool begins_line = true;
  for (std::size_t i = 0; i < term.arguments.size(); ++i) {
    const bool last = i + 1 == term.arguments.size();
    const std::size_t behind = last ? 1 + after : 1;
    const std::size_t here = column_behind(out, column) + (begins_line ? 0 : 1);
    const bool fits = here + on_one_line(term.arguments[i]).size() + behind <= widest_cpp_line;
    const bool breaks = i == 0 ? term.in_rows || !fits : term.in_rows || !fits;
    if (breaks) {
      out += margin;
    } else if (!begins_line) {
      out += ' ';
    }
    out += cpp_text(term.arguments[i], breaks ? inside : here, behind);
    out += last ? "" : ",";
    begins_line = false;
  }
  return out.append(closing(term));
}

auto cpp_duration(ticks time) -> std::string {
  for (const auto& [word, length] : units) {
    if (time % length == 0 && (time != 0 || length == 1)) { return fmt::format("{}{}", time / length, word); }
  }
  return "";
}
auto cpp_ticks(ticks time) -> std::string {
  return time < 0 ? cpp_number(time) : time == 0 ? "0" : fmt::format("({}).count()", cpp_duration(time));
}

auto cpp_number(std::int64_t value) -> std::string {
  std::string out = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = out.size(); at > first + 3;) { out.insert(at -= 3, "'"); }
  return out;
}

auto cpp_quoted(string_view text) -> std::string {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

auto cpp_comment(string_view text) -> std::string {
  std::string out;
  std::string line;
  const auto end_line = [&] {
    // A backslash at its end would join the next line to the comment.
    if (line.ends_with('\\')) { line += '.'; }
    out += line + '\n';
    line.clear();
  };
  const std::string shown = report::visible(text);
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = std::min(shown.find(' ', at), shown.size());
    const string_view word = string_view{shown}.substr(at, end - at);
    at = end + 1;
    if (word.empty()) { continue; }
    if (!line.empty() && line.size() + 1 + word.size() > widest_cpp_line) { end_line(); }
    line += line.empty() ? "// " : " ";
    line += word;
  }
  if (!line.empty()) { end_line(); }
  return out;
}

auto cpp_name(string_view text, string_view what) -> std::string {
  std::string out;
  for (const char c : text) {
    const bool plain = is_letter(c) || is_digit(c);
    if (!plain && (out.empty() || out.back() == '_')) { continue; }
    out += plain ? c : '_';
  }
  while (out.ends_with('_')) { out.pop_back(); }
  if (out.empty() || is_digit(out[0])) { return fmt::format("{}{}{}", what, out.empty() ? "" : "_", out); }
  return fmt::format("{}_{}", out, what);
}

}  // namespace takt::program
