// SPDX-License-Identifier: Apache-2.0
// Holds the test cases that carry the ID of a requirement to being evidence: each has a body that checks something,
// runs in every build, and does not end early without saying so. Waits for other threads have a limit.
//
// As in traceability_test.cpp every check is a function from text to complaints, tested on small texts first.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

using complaints = std::vector<std::string>;
using name_set = std::set<std::string, std::less<>>;

/// The end of a literal or comment that begins at `at`, or `at` itself.
auto end_of_quiet(std::string_view text, std::size_t at) -> std::size_t {
  const auto past = [&](std::string_view token, std::size_t from) {
    const auto found = text.find(token, from);
    return found == std::string_view::npos ? text.size() : found + token.size();
  };
  const auto rest = text.substr(at);
  const auto before = at == 0 ? ' ' : text[at - 1];
  if (rest.starts_with("//")) { return std::min(text.find('\n', at), text.size()); }
  if (rest.starts_with("/*")) { return past("*/", at + 2); }
  if (rest.starts_with('"') && before == 'R') {
    const auto open = std::min(text.find('(', at), text.size());
    return past(")" + std::string{text.substr(at + 1, open - at - 1)} + "\"", open);
  }
  const bool is_separator = std::isalnum(static_cast<unsigned char>(before)) != 0;
  if (rest.starts_with('"') || (rest.starts_with('\'') && !is_separator)) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at]) { end += text[end] == '\\' ? 2U : 1U; }
    return std::min(end + 1, text.size());
  }
  return at;
}

/// The same text with blanks in the place of comments and the contents of literals.
auto code_of(std::string_view text) -> std::string {
  std::string out{text};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_quiet(text, at);
    const bool literal = text[at] == '"' || text[at] == '\'';
    for (std::size_t i = at; i < end; ++i) {
      const bool edge = literal && (i == at || i + 1 == end);
      if (out[i] != '\n' && !edge) { out[i] = ' '; }
    }
    at = std::max(end, at + 1);
  }
  return out;
}

/// The position of what closes the bracket at `open`.
auto partner_of(std::string_view code, std::size_t open) -> std::size_t {
  const char opening = code[open];
  const char closing = opening == '(' ? ')' : '}';
  std::size_t depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    depth += code[at] == opening ? 1U : 0U;
    if (code[at] == closing && --depth == 0) { return at; }
  }
  return code.size();
}

struct test_case {
  std::string name;
  std::string decorators;
  std::string body;  ///< without comments and contents of literals
  bool conditional = false;
};

auto joined_literals(std::string_view head) -> std::string {
  std::string out;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = end_of_quiet(head, at);
    if (head[at] == '"') {
      for (std::size_t i = at + 1; i + 1 < end; ++i) {
        const bool escape = head[i] == '\\' && (head[i + 1] == '"' || head[i + 1] == '\\');
        if (escape) { ++i; }
        out += head[i];
      }
    }
    at = std::max(end, at + 1);
  }
  return out;
}

/// Conditions of the preprocessor that begin in a text and do not end there.
auto open_conditions(std::string_view code) -> std::ptrdiff_t {
  std::ptrdiff_t open = 0;
  for (std::size_t at = code.find('#'); at != std::string_view::npos; at = code.find('#', at + 1)) {
    const auto before = code.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (at > 0 && before != std::string_view::npos && code[before] != '\n') { continue; }
    const auto word = code.substr(std::min(code.find_first_not_of(" \t", at + 1), code.size()));
    open += word.starts_with("if") ? 1 : 0;
    open -= word.starts_with("endif") ? 1 : 0;
  }
  return open;
}

auto cases_of(std::string_view text) -> std::vector<test_case> {
  static const std::regex macro{R"(\bTEST_CASE(_FIXTURE|_TEMPLATE|_TEMPLATE_DEFINE)?\s*\()"};
  const std::string code = code_of(text);
  std::vector<test_case> out;
  for (std::sregex_iterator m{code.begin(), code.end(), macro}, end; m != end; ++m) {
    const auto open = static_cast<std::size_t>(m->position()) + m->str().size() - 1;
    const std::size_t close = partner_of(code, open);
    const std::size_t body = code.find('{', close);
    if (body == std::string::npos) { continue; }
    out.push_back({joined_literals(text.substr(open + 1, close - open - 1)), code.substr(open + 1, close - open - 1),
                   code.substr(body + 1, partner_of(code, body) - body - 1),
                   open_conditions(code.substr(0, open)) != 0});
  }
  return out;
}

auto carries_id(const std::string& name) -> bool {
  static const std::regex id{R"(^(RTGPU|AP|WAMP|GSD|GSA|OVX)-X?[0-9]+[ :,])"};
  return std::regex_search(name, id);
}

auto has_checks(const std::string& code) -> bool {
  static const std::regex check{R"(\b((CHECK|REQUIRE|FAIL)(_[A-Z_]+)?|static_assert)\s*\()"};
  return std::regex_search(code, check);
}

auto called_in(const std::string& code) -> name_set {
  static const std::regex call{R"(([A-Za-z_]\w*)\s*(<[^;{}()]*>)?\s*\()"};
  name_set out;
  for (std::sregex_iterator m{code.begin(), code.end(), call}, end; m != end; ++m) { out.insert((*m)[1].str()); }
  return out;
}

auto meet(const name_set& called, const name_set& functions) -> bool {
  return std::ranges::any_of(called, [&](const std::string& name) { return functions.contains(name); });
}

/// The functions of a text, by name, each with its body.
auto functions_of(const std::string& code) -> std::vector<std::pair<std::string, std::string>> {
  static const std::regex head{R"(\b([A-Za-z_]\w*)\s*\()"};
  static const std::regex tail{R"(^\)(\s|const|noexcept|mutable|->[^;{}()]*(\([^;{}()]*\))?)*\{)"};
  static const name_set words{"if", "for", "while", "switch", "catch"};
  std::vector<std::pair<std::string, std::string>> out;
  for (std::sregex_iterator m{code.begin(), code.end(), head}, end; m != end; ++m) {
    const std::string name = (*m)[1].str();
    const std::size_t close = partner_of(code, static_cast<std::size_t>(m->position()) + m->str().size() - 1);
    const std::size_t body = close < code.size() ? code.find('{', close) : std::string::npos;
    if (body == std::string::npos || words.contains(name) || body - close > 200) { continue; }
    if (!std::regex_search(code.substr(close, body - close + 1), tail)) { continue; }
    out.emplace_back(name, code.substr(body, partner_of(code, body) - body));
  }
  return out;
}

/// Functions that check, or that call such.
auto checking_functions(const std::vector<std::pair<std::string, std::string>>& all) -> name_set {
  name_set out;
  std::vector<std::pair<std::string, name_set>> others;
  for (const auto& [name, body] : all) {
    if (has_checks(body)) {
      out.insert(name);
    } else {
      others.emplace_back(name, called_in(body));
    }
  }
  for (std::size_t before = 0; before != out.size();) {
    before = out.size();
    for (const auto& [name, called] : others) {
      if (meet(called, out)) { out.insert(name); }
    }
  }
  return out;
}

/// Whether it can end before its last line, other than by a failed check or in a lambda.
auto ends_early(const std::string& body) -> bool {
  static const std::regex lambda{R"(\]\s*(\([^;{}]*\))?\s*(mutable|noexcept|\s)*(->[^;{}]*)?$)"};
  std::vector<bool> lambdas;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] == '{') {
      const auto from = body.find_last_of(";{}", at == 0 ? 0 : at - 1);
      const std::size_t begin = from == std::string::npos || from >= at ? 0 : from + 1;
      lambdas.push_back(std::regex_search(body.substr(begin, at - begin), lambda));
    }
    if (body[at] == '}' && !lambdas.empty()) { lambdas.pop_back(); }
    const bool word = at == 0 || std::isalnum(static_cast<unsigned char>(body[at - 1])) == 0;
    if (word && std::string_view{body}.substr(at).starts_with("return;") && std::ranges::count(lambdas, true) == 0) {
      return true;
    }
  }
  return false;
}

auto complaints_about(const test_case& t, const name_set& checking) -> complaints {
  static const std::regex always{R"(doctest::skip\s*\(\s*(true|1)?\s*\))"};
  complaints out;
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  if (std::ranges::all_of(t.body, blank)) {
    out.push_back("is empty: " + t.name);
  } else if (!has_checks(t.body) && !meet(called_in(t.body), checking)) {
    out.push_back("checks nothing: " + t.name);
  }
  if (std::regex_search(t.decorators, always)) { out.push_back("is always skipped: " + t.name); }
  if (t.conditional) { out.push_back("is not in every build: " + t.name); }
  if (ends_early(t.body)) { out.push_back("may end early, and still pass; let doctest::skip say so: " + t.name); }
  return out;
}

auto endless_waits(std::string_view text) -> complaints {
  static const std::regex wait{R"(while\s*\(([^;{}]*)\)\s*\{\s*[^;{}]*(yield|sleep_for|sleep_until)\s*\([^;]*;\s*\})"};
  const std::string code = code_of(text);
  complaints out;
  for (std::sregex_iterator m{code.begin(), code.end(), wait}, end; m != end; ++m) {
    const std::string condition = (*m)[1].str();
    if (condition.find("now()") == std::string::npos) { out.push_back(condition); }
  }
  return out;
}

template <class Visit>
void for_each_test_source(Visit visit) {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "tests";
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    const auto extension = entry.path().extension();
    if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp" && extension != ".cu")) { continue; }
    std::ifstream in{entry.path(), std::ios::binary};
    REQUIRE(in.good());
    visit(fs::relative(entry.path(), root), std::string{std::istreambuf_iterator<char>{in}, {}});
  }
}

/// Whether a row of the table of requirements rests on it.
auto is_named(const std::string& requirements, const std::string& name) -> bool {
  return requirements.find('`' + std::regex_replace(name, std::regex{R"(\|)"}, "\\|") + '`') != std::string::npos;
}

auto only_case(std::string_view text) -> test_case {
  const auto all = cases_of(text);
  REQUIRE(all.size() == 1);
  return all.front();
}

void require_only(const complaints& found, std::string_view what) {
  CAPTURE(what);
  REQUIRE(found.size() == 1);
  CHECK(found.front().starts_with(what));
}

}  // namespace

TEST_CASE("every test case with the ID of a requirement checks something, in every build, to its end") {
  std::ifstream in{std::string{TAKT_SOURCE_DIR} + "/docs/requirements.md"};
  const std::string requirements{std::istreambuf_iterator<char>{in}, {}};
  std::vector<std::pair<std::string, std::string>> functions;
  std::vector<std::pair<fs::path, test_case>> cases;
  for_each_test_source([&](const fs::path& file, const std::string& text) {
    if (*file.begin() == "fail" || *file.begin() == "structure") { return; }
    std::ranges::move(functions_of(code_of(text)), std::back_inserter(functions));
    for (test_case& t : cases_of(text)) {
      t.conditional = (t.conditional || *file.begin() == "cuda") && is_named(requirements, t.name);
      if (carries_id(t.name)) { cases.emplace_back(file, std::move(t)); }
    }
  });
  CHECK(cases.size() > 300);
  const name_set checking = checking_functions(functions);
  for (const auto& [file, t] : cases) {
    for (const std::string& complaint : complaints_about(t, checking)) {
      INFO(file.string(), ": a test case ", complaint);
      CHECK(complaint.empty());
    }
  }
}

TEST_CASE("waits in tests have a limit") {
  for_each_test_source([&](const fs::path& file, const std::string& text) {
    if (file.filename() == "limited_wait.hpp" || *file.begin() == "structure") { return; }
    for (const std::string& condition : endless_waits(text)) {
      INFO(file.string(), ": waits for ever while ", condition, "; use takt_tests::await");
      CHECK(condition.empty());
    }
  });
}

TEST_CASE("a test case that is no evidence is found out") {
  const auto about = [](std::string_view text) { return complaints_about(only_case(text), {"check_it"}); };
  CHECK(about("TEST_CASE(\"GSA-1 a\") { CHECK(true); }").empty());
  CHECK(about("TEST_CASE(\"GSA-1 a\") { check_it(3); }").empty());
  CHECK(about("TEST_CASE(\"GSA-1 a\") { check_it<int>(3); }").empty());
  CHECK(about("TEST_CASE(\"GSA-1 a\" * doctest::skip(!rights())) { REQUIRE_FALSE(x); }").empty());
  require_only(about("TEST_CASE(\"GSA-1 a\") { /* CHECK(true); */ }"), "is empty");
  require_only(about("TEST_CASE(\"GSA-1 a\") { look(\"CHECK(1)\"); }"), "checks nothing");
  require_only(about("TEST_CASE(\"GSA-1 a\" * doctest::skip()) { CHECK(true); }"), "is always skipped");
  require_only(about("#ifdef HAVE\nTEST_CASE(\"GSA-1 a\") { CHECK(true); }\n#endif\n"), "is not in every build");
  require_only(about("TEST_CASE(\"GSA-1 a\") { if (!can()) { return; } CHECK(true); }"), "may end early");
  CHECK(about("#if 1\n#endif\nTEST_CASE(\"GSA-1 a\") { f([&](int x) -> bool { if (x) { return; } }); CHECK(true); }")
            .empty());
}

TEST_CASE("a test case is named where its whole name is in a row") {
  CHECK(is_named("| GSA-1 | `GSA-1 a \\| b`, `GSA-1 c` |", "GSA-1 a | b"));
  CHECK(is_named("| GSA-1 | `GSA-1 a`, `GSA-1 c` |", "GSA-1 c"));
  CHECK_FALSE(is_named("| GSA-1 | `GSA-1 ab` |", "GSA-1 a"));
}

TEST_CASE("functions that check are known through functions that call them") {
  const std::string code =
      "void one(int x) { CHECK(x); } auto two() -> int { one(3); } void three() { if (x) { y(); } }";
  CHECK(checking_functions(functions_of(code)) == name_set{"one", "two"});
}

TEST_CASE("a wait without a limit is found out") {
  CHECK(endless_waits("while (x) { y(); }").empty());
  CHECK(endless_waits("// while (!done) { yield(); }").empty());
  CHECK(endless_waits("while (!done && now() < end) { yield(); }").empty());
  CHECK(endless_waits("while (left > 0) { sleep_for(left); left -= 2; }").empty());
  CHECK(endless_waits("while (!done()) { std::this_thread::yield(); }") == complaints{"!done()"});
}

TEST_CASE("names are joined, and literals and comments are no code") {
  const test_case t = only_case("TEST_CASE(\n  \"GSA-1 a \\\"b\\\" \"\n  \"c\") { f('{', R\"(})\", 1'000); }");
  CHECK(t.name == "GSA-1 a \"b\" c");
  CHECK(carries_id(t.name));
  CHECK_FALSE(carries_id("rows of GSA-1"));
  CHECK(t.body.find("1'000") != std::string::npos);
}
