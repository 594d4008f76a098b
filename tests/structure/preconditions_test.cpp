// SPDX-License-Identifier: Apache-2.0
// Keeps docs/preconditions.md: every precondition that a comment of a header states, and whether it is checked. One
// that is not needs a reason in the page. TAKT_WRITE_TABLES=1 writes the table, and keeps the reasons.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct precondition {
  std::string function;
  std::string says;
  std::string checked;  // "always", "in tests" or "no"
};

auto lines_of(const std::string& text) -> std::vector<std::string> {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) { out.push_back(line); }
  return out;
}

/// The words of a line of comment; empty for code.
auto comment_of(std::string_view line) -> std::string_view {
  const auto at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || line.substr(at, 2) != "//") { return {}; }
  const auto words = line.find_first_not_of("/ ", at);
  return words == std::string_view::npos ? std::string_view{} : line.substr(words);
}

/// Code from `begin` to the end of the first function or type there: to its `;`, or to the brace that closes its body.
auto first_definition(const std::vector<std::string>& lines, std::size_t begin) -> std::string {
  std::string code;
  int parentheses = 0;
  int braces = 0;
  for (std::size_t l = begin; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < lines[l].size(); ++i) {
      const char c = lines[l][i];
      if (lines[l].compare(i, 2, "//") == 0) { break; }
      code += c;
      if (c == '(') { ++parentheses; }
      if (c == ')') { --parentheses; }
      if (parentheses > 0) { continue; }
      if (c == '{') { ++braces; }
      if (c == ';' && braces == 0) { return code; }
      if (c != '}' || --braces > 0) { continue; }
      // Braces of an initializer of a member have a comma, or the body, behind them.
      const auto next = lines[l].find_first_not_of(' ', i + 1);
      const bool more = next != std::string::npos ? lines[l][next] == ',' || lines[l][next] == '{'
                                                  : l + 1 < lines.size() && comment_of(lines[l + 1]).empty() &&
                                                        lines[l + 1].find_first_not_of(' ') != std::string::npos &&
                                                        lines[l + 1][lines[l + 1].find_first_not_of(' ')] == '{';
      if (!more) { return code; }
    }
    code += '\n';
  }
  return code;
}

/// What a definition defines: the name before its parameters, or behind `struct`, `class` or `concept`.
auto name_of(const std::string& definition) -> std::string {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const std::string head = definition.substr(0, definition.find_first_of("{;"));
  if (const auto op = head.find("operator"); op != std::string::npos) {
    const auto open = head.find('(', op + 8 + (head.compare(op + 8, 2, "()") == 0 ? 2 : 0));
    return head.substr(op, open - op);
  }
  for (const std::string_view kind : {"struct ", "class ", "concept "}) {
    for (auto at = head.find(kind); at != std::string::npos; at = head.find(kind, at + 1)) {
      const auto before = at == 0 ? std::string::npos : head.find_last_not_of(' ', at - 1);
      // A parameter of a template is no type that is defined here.
      if (before != std::string::npos && (head[before] == '<' || head[before] == ',')) { continue; }
      if (at > 0 && word(head[at - 1])) { continue; }
      auto begin = at + kind.size();
      auto end = begin;
      while (end < head.size() && word(head[end])) { ++end; }
      if (head.find('(') == std::string::npos || head.find('(') > at) { return head.substr(begin, end - begin); }
    }
  }
  static constexpr std::array<std::string_view, 7> no_names{"requires", "noexcept", "decltype",     "explicit",
                                                            "alignas",  "sizeof",   "__attribute__"};
  for (auto open = head.find('('); open != std::string::npos; open = head.find('(', open + 1)) {
    auto end = open;
    while (end > 0 && head[end - 1] == ' ') { --end; }
    auto begin = end;
    while (begin > 0 && word(head[begin - 1])) { --begin; }
    const std::string name = head.substr(begin, end - begin);
    if (!name.empty() && std::ranges::find(no_names, name) == no_names.end()) { return name; }
  }
  const auto equals = head.find('=');
  auto end = equals == std::string::npos ? head.size() : equals;
  while (end > 0 && !word(head[end - 1])) { --end; }
  auto begin = end;
  while (begin > 0 && word(head[begin - 1])) { --begin; }
  return head.substr(begin, end - begin);
}

auto preconditions_of(const std::string& text) -> std::vector<precondition> {
  std::vector<precondition> out;
  const auto lines = lines_of(text);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const auto comment = comment_of(lines[l]);
    const auto at = comment.find("Pre:");
    if (at == std::string_view::npos) { continue; }
    std::string says{comment.substr(at + 4)};
    std::size_t next = l + 1;
    for (; next < lines.size() && !comment_of(lines[next]).empty(); ++next) {
      says += " " + std::string{comment_of(lines[next])};
    }
    // The first sentence: other facts have sentences of their own.
    for (auto end = says.find(". "); end != std::string::npos; end = says.find(". ", end + 1)) {
      if (end + 2 < says.size() && std::isupper(static_cast<unsigned char>(says[end + 2])) != 0) {
        says.resize(end);
        break;
      }
    }
    if (says.ends_with('.')) { says.pop_back(); }
    const std::string definition = first_definition(lines, next);
    std::string checked = "no";
    if (definition.find("TAKT_EXPECTS_IN_TESTS(") != std::string::npos) { checked = "in tests"; }
    if (definition.find("TAKT_EXPECTS(") != std::string::npos) { checked = "always"; }
    const auto first = says.find_first_not_of(' ');
    out.push_back({name_of(definition), first == std::string::npos ? "" : says.substr(first), checked});
  }
  return out;
}

/// For a cell of a table of Markdown.
auto cell(std::string text) -> std::string {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) { text.insert(at, "\\"); }
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 2) { text.insert(at, "\\"); }
  return text;
}

/// Header, function and what the precondition says.
using place = std::tuple<std::string, std::string, std::string>;

/// The reasons that the page gives.
auto reasons_of(const std::string& page) -> std::map<place, std::string> {
  std::map<place, std::string> out;
  std::string header;
  for (const auto& line : lines_of(page)) {
    if (line.starts_with("## ")) { header = line.substr(3); }
    std::vector<std::string> cells;
    for (std::size_t at = line.find("| "); at == 0 || cells.size() > 0;) {
      auto end = line.find(" | ", at + 1);
      if (end == std::string::npos) { end = line.rfind(" |"); }
      if (end == std::string::npos || end <= at) { break; }
      cells.push_back(line.substr(at + (cells.empty() ? 2 : 3), end - at - (cells.empty() ? 2 : 3)));
      at = end;
    }
    if (cells.size() == 3 && cells[2].starts_with("no: ")) { out[{header, cells[0], cells[1]}] = cells[2].substr(4); }
  }
  return out;
}

auto read(const fs::path& file) -> std::string {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("every precondition is checked, or has a reason why it cannot be") {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "include";
  const fs::path page = fs::path{TAKT_SOURCE_DIR} / "docs/preconditions.md";
  const std::string before = read(page);
  const std::string marker = "<!-- written by tests/structure/preconditions_test.cpp -->\n";
  REQUIRE(before.find(marker) != std::string::npos);
  const auto reasons = reasons_of(before);

  std::vector<fs::path> headers;
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    if (entry.is_regular_file()) { headers.push_back(entry.path()); }
  }
  std::ranges::sort(headers);
  std::map<std::string, int> counts;
  std::string table;
  for (const auto& header : headers) {
    const std::string name = fs::relative(header, root).generic_string();
    const auto found = preconditions_of(read(header));
    if (found.empty()) { continue; }
    table += "\n## " + name + "\n\n| of | that | checked |\n|---|---|---|\n";
    for (const auto& p : found) {
      const std::string function = "`" + p.function + "`";
      std::string checked = p.checked;
      ++counts[checked];
      if (checked == "no") {
        const auto reason = reasons.find({name, function, cell(p.says)});
        if (reason == reasons.end()) {
          const std::string complaint = name + ": " + p.function + ": neither checked nor a reason: " + p.says;
          FAIL_CHECK(complaint);
        }
        checked += ": " + (reason == reasons.end() ? "" : reason->second);
      }
      table += "| " + function + " | " + cell(p.says) + " | " + checked + " |\n";
    }
  }
  const std::string sum = "\nChecked always: " + std::to_string(counts["always"]) +
                          "; in tests: " + std::to_string(counts["in tests"]) +
                          "; not: " + std::to_string(counts["no"]) + ".\n";
  const std::string after = before.substr(0, before.find(marker)) + marker + sum + table;
  if (std::getenv("TAKT_WRITE_TABLES") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream{page} << after;
    return;
  }
  CHECK(before == after);
  CHECK(counts["always"] > 100);
}

TEST_CASE("the search for preconditions reads functions, constructors and types") {
  const auto one = [](const std::string& text) {
    const auto found = preconditions_of(text);
    REQUIRE(found.size() == 1);
    return found[0];
  };
  const auto checked = one(
      "/// Its root. Pre: x >= 0. Cost: one.\ntemplate <class T>\n  requires(sizeof(T) > 1)\nconstexpr auto root(T x) -> T {\n"
      "  TAKT_EXPECTS(x >= 0);\n  return x;\n}\n");
  CHECK(checked.function == "root");
  CHECK(checked.says == "x >= 0");
  CHECK(checked.checked == "always");

  // The check of the function behind it is another's.
  CHECK(one("/// Pre: a.\nvoid f(int a) { g(); }\nvoid h() { TAKT_EXPECTS(true); }\n").checked == "no");
  CHECK(one("/// Pre: a.\nvoid f(int a);\nvoid h() { TAKT_EXPECTS(true); }\n").checked == "no");
  CHECK(one("/// Pre: a.\nvoid f(int a) {\n  // TAKT_EXPECTS(a);\n}\n").checked == "no");
  CHECK(one("/// Pre: a.\nvoid f(int a) { TAKT_EXPECTS_IN_TESTS(a); }\n").checked == "in tests");

  const auto constructor = one("/// Pre: a.\nexplicit(true) box(int a) : a_{a}, b_{}\n{ TAKT_EXPECTS(a > 0); }\n");
  CHECK(constructor.function == "box");
  CHECK(constructor.checked == "always");
  CHECK(one("/// Pre: it outlives\n/// the other.\nclass view {\n  int x;\n};\n").function == "view");
  CHECK(one("/// Pre: it outlives\n/// the other.\nclass view {\n  int x;\n};\n").says == "it outlives the other");
  CHECK(one("/// Pre: b.\ntemplate <int N, class Board>\nauto f(Board b) { return b; }\n").function == "f");
  CHECK(one("/// Pre: i.\nauto operator[](int i) const -> int { return i; }\n").function == "operator[]");
}
