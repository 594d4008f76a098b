// Keeps docs/requirements.md, the files it names and the names of the test cases consistent.
//
// Every check is a function from data to a list of complaints, so that the checks themselves are tested
// on small tables with planted defects before they are trusted with the real one.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

using complaints = std::vector<std::string>;
using name_set = std::set<std::string, std::less<>>;
using file_predicate = std::function<bool(std::string_view)>;

// ---------------------------------------------------------------------------------------------------------
// The numbering of the requirements: which IDs exist, in which order.

struct id_series {
  std::string_view stem;  // everything before the number: "AP-", "AP-X"
  int last;               // numbers run from 1 to last
  std::size_t digits;     // zero-padded width
};

constexpr std::array<id_series, 8> published_series{{
    {"RTGPU-", 53, 1},
    {"AP-", 35, 2},
    {"AP-X", 11, 2},
    {"WAMP-", 56, 2},
    {"GSD-", 94, 2},
    {"GSA-", 52, 1},
    {"OVX-", 37, 2},
    {"OVX-X", 8, 1},
}};

std::string numbered_id(id_series const& series, int number) {
  auto digits = std::to_string(number);
  if (digits.size() < series.digits) { digits.insert(0, series.digits - digits.size(), '0'); }
  return std::string{series.stem} + digits;
}

std::vector<std::string> ids_of(std::span<id_series const> all_series) {
  std::vector<std::string> ids;
  for (auto const& series : all_series) {
    for (int number = 1; number <= series.last; ++number) { ids.push_back(numbered_id(series, number)); }
  }
  return ids;
}

bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }

bool is_word(char character) { return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_'; }

// The letters before the dash: the unit in which rows are counted ("AP" for AP-01 and AP-X01).
std::string_view prefix_of(std::string_view id) { return id.substr(0, id.find('-')); }

bool is_known_prefix(std::string_view prefix) {
  return std::ranges::any_of(published_series,
                             [&](id_series const& series) { return prefix_of(series.stem) == prefix; });
}

// PREFIX-number with a prefix of the table; the number itself may be unknown.
bool looks_like_id(std::string_view token) {
  auto const dash = token.find('-');
  if (dash == std::string_view::npos || !is_known_prefix(token.substr(0, dash))) { return false; }
  auto number = token.substr(dash + 1);
  if (number.starts_with('X')) { number.remove_prefix(1); }
  return !number.empty() && std::ranges::all_of(number, is_digit);
}

// The IDs with which a test name begins: "RTGPU-13, RTGPU-14: bus" gives two.
std::vector<std::string> leading_ids(std::string_view name) {
  std::vector<std::string> ids;
  while (!name.empty()) {
    auto const end = std::min(name.find(' '), name.size());
    auto token = name.substr(0, end);
    while (token.ends_with(':') || token.ends_with(',')) { token.remove_suffix(1); }
    if (!looks_like_id(token)) { break; }
    ids.emplace_back(token);
    name.remove_prefix(std::min(name.find_first_not_of(' ', end), name.size()));
  }
  return ids;
}

// ---------------------------------------------------------------------------------------------------------
// Parsing docs/requirements.md.

enum class column : std::uint8_t { id, requirement, source, status, implementation, test };

constexpr std::array<std::string_view, 6> column_titles{"ID",     "Requirement",    "Source",
                                                        "Status", "Implementation", "Test"};

struct table_row {
  std::array<std::string, column_titles.size()> cells;
  std::size_t line = 0;

  [[nodiscard]] std::string const& operator[](column which) const { return cells[static_cast<std::size_t>(which)]; }
  [[nodiscard]] std::string const& id() const { return (*this)[column::id]; }
  [[nodiscard]] bool done() const { return (*this)[column::status] == "done"; }
};

struct requirement_table {
  std::vector<table_row> rows;
  complaints defects;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) { return {}; }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The cells of "| a | b \| c |", that is "a" and "b | c"; nothing for a line that is no table row.
std::optional<std::vector<std::string>> cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 2 || !line.starts_with('|') || !line.ends_with('|')) { return std::nullopt; }
  std::vector<std::string> cells(1);
  for (std::size_t at = 1; at + 1 < line.size(); ++at) {
    if (line[at] == '\\' && line[at + 1] == '|' && at + 2 < line.size()) {
      cells.back() += line[++at];
    } else if (line[at] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[at];
    }
  }
  for (auto& cell : cells) { cell = std::string{trimmed(cell)}; }
  return cells;
}

bool is_ruler(std::span<std::string const> cells) {
  return std::ranges::all_of(cells, [](std::string const& cell) {
    return !cell.empty() && cell.find_first_not_of("-:") == std::string::npos;
  });
}

std::string at_line(std::size_t line) { return "line " + std::to_string(line); }

void add_row(requirement_table& table, std::span<std::string const> cells, std::size_t line) {
  if (cells.size() != column_titles.size()) {
    table.defects.push_back(at_line(line) + ": a row needs " + std::to_string(column_titles.size()) + " cells, found " +
                            std::to_string(cells.size()) + " (" + cells.front() + ")");
    return;
  }
  table_row row;
  std::ranges::copy(cells, row.cells.begin());
  row.line = line;
  table.rows.push_back(std::move(row));
}

// Reads the tables whose header is exactly the six columns; other tables are left alone.
requirement_table parse_requirements(std::string_view text) {
  requirement_table table;
  bool inside = false;
  std::size_t number = 0;
  for (auto const& line : lines_of(text)) {
    ++number;
    auto const cells = cells_of(line);
    if (!cells) {
      if (inside && !trimmed(line).empty()) {
        table.defects.push_back(at_line(number) + ": a table must end with an empty line");
      }
      inside = false;
    } else if (std::ranges::equal(*cells, column_titles)) {
      inside = true;
    } else if (inside && !is_ruler(*cells)) {
      add_row(table, *cells, number);
    }
  }
  return table;
}

// The spans in backticks: "`a.hpp`, `b.hpp`" gives both names.
std::vector<std::string> code_spans(std::string_view cell) {
  std::vector<std::string> spans;
  for (auto open = cell.find('`'); open != std::string_view::npos; open = cell.find('`')) {
    cell.remove_prefix(open + 1);
    auto const close = cell.find('`');
    if (close == std::string_view::npos) { break; }
    spans.emplace_back(cell.substr(0, close));
    cell.remove_prefix(close + 1);
  }
  return spans;
}

// True for "`a`, `b`" and for nothing looser, so that no name can slip past code_spans.
bool is_code_list(std::string_view cell) {
  std::string rebuilt;
  for (auto const& span : code_spans(cell)) { rebuilt += (rebuilt.empty() ? "`" : ", `") + span + "`"; }
  return !rebuilt.empty() && rebuilt == cell;
}

// ---------------------------------------------------------------------------------------------------------
// Collecting the names of test cases from source text.

struct cursor {
  std::string_view text;
  std::size_t at = 0;

  [[nodiscard]] bool done() const { return at >= text.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text[at]; }
  [[nodiscard]] bool sees(std::string_view token) const { return !done() && text.substr(at).starts_with(token); }
  void skip_past(std::string_view token) {
    auto const found = text.find(token, at);
    at = found == std::string_view::npos ? text.size() : found + token.size();
  }
};

bool skip_comment(cursor& source) {
  if (source.sees("//")) {
    source.skip_past("\n");
    return true;
  }
  if (source.sees("/*")) {
    source.at += 2;
    source.skip_past("*/");
    return true;
  }
  return false;
}

void skip_blanks_and_comments(cursor& source) {
  while (!source.done()) {
    if (std::isspace(static_cast<unsigned char>(source.peek())) != 0) {
      ++source.at;
    } else if (!skip_comment(source)) {
      return;
    }
  }
}

// Reads the literal that begins with `quote` at the cursor; escapes other than quotes and backslashes stay as
// they are.
std::string read_quoted(cursor& source, char quote) {
  std::string content;
  for (++source.at; !source.done() && source.peek() != quote && source.peek() != '\n'; ++source.at) {
    if (source.peek() == '\\') {
      ++source.at;
      if (source.peek() != quote && source.peek() != '\\') { content += '\\'; }
    }
    if (!source.done()) { content += source.peek(); }
  }
  ++source.at;
  return content;
}

void skip_raw_string(cursor& source) {
  source.at += 2;  // R"
  auto const open = std::min(source.text.find('(', source.at), source.text.size());
  auto const delimiter = std::string{source.text.substr(source.at, open - source.at)};
  source.at = open;
  source.skip_past(")" + delimiter + "\"");
}

std::string_view read_identifier(cursor& source) {
  auto const start = source.at;
  while (!source.done() && is_word(source.peek())) { ++source.at; }
  return source.text.substr(start, source.at - start);
}

// Adjacent string literals after the cursor, joined as the compiler joins them.
std::string read_joined_strings(cursor& source) {
  std::string joined;
  skip_blanks_and_comments(source);
  while (source.peek() == '"') {
    joined += read_quoted(source, '"');
    skip_blanks_and_comments(source);
  }
  return joined;
}

// The name in the parentheses behind a doctest macro; a fixture's type comes before the name.
std::optional<std::string> read_case_name(cursor& source, bool with_fixture) {
  skip_blanks_and_comments(source);
  if (source.peek() != '(') { return std::nullopt; }
  ++source.at;
  if (with_fixture) { source.skip_past(","); }
  auto name = read_joined_strings(source);
  return name.empty() ? std::nullopt : std::optional{std::move(name)};
}

bool is_case_macro(std::string_view identifier) {
  return identifier == "TEST_CASE" || identifier == "TEST_CASE_TEMPLATE" || identifier == "TEST_CASE_TEMPLATE_DEFINE" ||
         identifier == "TEST_CASE_FIXTURE";
}

// Names of TEST_CASEs in code; those in comments and in string literals do not count.
std::vector<std::string> test_case_names(std::string_view text) {
  std::vector<std::string> names;
  cursor source{text};
  while (!source.done()) {
    if (skip_comment(source)) { continue; }
    if (source.sees("R\"")) {
      skip_raw_string(source);
    } else if (source.peek() == '"' || source.peek() == '\'') {
      (void)read_quoted(source, source.peek());
    } else if (is_digit(source.peek())) {
      while (is_word(source.peek()) || source.peek() == '\'') {  // digit separators are no quotes
        ++source.at;
      }
    } else if (is_word(source.peek())) {
      auto const identifier = read_identifier(source);
      if (source.peek() == '"' && identifier.ends_with('R')) {  // u8R"( and its like
        --source.at;
      } else if (is_case_macro(identifier)) {
        if (auto name = read_case_name(source, identifier == "TEST_CASE_FIXTURE")) {
          names.push_back(std::move(*name));
        }
      }
    } else {
      ++source.at;
    }
  }
  return names;
}

// Names given by comments "// TAKT-TEST: name" in tests that only the compiler runs.
std::vector<std::string> commented_test_names(std::string_view text) {
  constexpr std::string_view marker = "// TAKT-TEST:";
  std::vector<std::string> names;
  for (auto const& line : lines_of(text)) {
    auto const content = trimmed(line);
    if (content.starts_with(marker)) { names.emplace_back(trimmed(content.substr(marker.size()))); }
  }
  return names;
}

// ---------------------------------------------------------------------------------------------------------
// The checks.

complaints check_numbering(requirement_table const& table, std::span<id_series const> all_series) {
  auto found = table.defects;
  auto const expected = ids_of(all_series);
  name_set const known(expected.begin(), expected.end());
  name_set seen;
  std::vector<std::string> order;
  for (auto const& row : table.rows) {
    if (!known.contains(row.id())) {
      found.push_back(row.id() + ": no such requirement (" + at_line(row.line) + ")");
    } else if (!seen.insert(row.id()).second) {
      found.push_back(row.id() + ": more than one row (" + at_line(row.line) + ")");
    } else {
      order.push_back(row.id());
    }
  }
  for (auto const& id : expected) {
    if (!seen.contains(id)) { found.push_back(id + ": no row"); }
  }
  if (order.size() == expected.size() && order != expected) {
    auto const differing = std::ranges::mismatch(order, expected);
    found.push_back(*differing.in1 + ": out of order, expected " + *differing.in2);
  }
  return found;
}

complaints check_cells(requirement_table const& table) {
  complaints found;
  for (auto const& row : table.rows) {
    for (std::size_t index = 0; index < column_titles.size(); ++index) {
      if (row.cells[index].empty()) {
        found.push_back(row.id() + ": the cell " + std::string{column_titles[index]} + " is empty");
      }
    }
    auto const& status = row[column::status];
    if (status != "done" && status != "open") {
      found.push_back(row.id() + ": the status is neither done nor open but \"" + status + "\"");
    }
  }
  return found;
}

complaints check_open_rows(requirement_table const& table) {
  complaints found;
  for (auto const& row : table.rows) {
    auto const& reason = row[column::test];
    if (row[column::status] == "open" && (reason.empty() || reason == "-" || reason == "open:")) {
      found.push_back(row.id() + ": open, but the Test cell gives no reason");
    }
  }
  return found;
}

complaints check_implementations(requirement_table const& table, file_predicate const& file_exists) {
  complaints found;
  for (auto const& row : table.rows) {
    auto const& cell = row[column::implementation];
    if (row.done() && !is_code_list(cell)) {
      found.push_back(row.id() + ": done, but the Implementation cell is no list of `files`: " + cell);
    }
    for (auto const& file : code_spans(cell)) {
      if (!file_exists(file)) { found.push_back(row.id() + ": the file " + file + " does not exist"); }
    }
  }
  return found;
}

complaints check_named_tests(requirement_table const& table, name_set const& test_names) {
  complaints found;
  for (auto const& row : table.rows) {
    if (!row.done()) { continue; }
    auto const& cell = row[column::test];
    if (!is_code_list(cell)) {
      found.push_back(row.id() + ": done, but the Test cell is no list of `test names`: " + cell);
    }
    for (auto const& name : code_spans(cell)) {
      if (std::ranges::count(leading_ids(name), row.id()) == 0) {
        found.push_back(row.id() + ": the name of its test does not begin with the ID: " + name);
      }
      if (!test_names.contains(name)) { found.push_back(row.id() + ": no test case has the name: " + name); }
    }
  }
  return found;
}

complaints check_claimed_ids(requirement_table const& table, name_set const& test_names) {
  complaints found;
  std::map<std::string, bool, std::less<>> done_by_id;
  for (auto const& row : table.rows) { done_by_id[row.id()] = row.done(); }
  for (auto const& name : test_names) {
    for (auto const& id : leading_ids(name)) {
      auto const row = done_by_id.find(id);
      if (row == done_by_id.end()) {
        found.push_back(id + ": a test case carries this ID, but there is no such row: " + name);
      } else if (!row->second) {
        found.push_back(id + ": a test case carries this ID, but its row is not done: " + name);
      }
    }
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------
// The source tree.

fs::path const& source_root() {
  static fs::path const root{TAKT_SOURCE_DIR};
  return root;
}

std::string content_of(fs::path const& file) {
  std::ifstream stream{file, std::ios::binary};
  REQUIRE_MESSAGE(stream.good(), "cannot read " << file.string());
  return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
}

bool is_cpp_source(fs::path const& file) {
  constexpr std::array<std::string_view, 6> extensions{".cpp", ".hpp", ".h", ".cu", ".cuh", ".cc"};
  return std::ranges::count(extensions, file.extension().string()) > 0;
}

// Calls visit(text) for each C++ source file below the folder; a folder that is not there has no files.
template <typename Visit>
void for_each_source_text(fs::path const& folder, Visit visit) {
  if (!fs::is_directory(folder)) { return; }
  for (auto const& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.is_regular_file() && is_cpp_source(entry.path())) { visit(content_of(entry.path())); }
  }
}

name_set names_in_tests() {
  name_set names;
  auto const tests = source_root() / "tests";
  for_each_source_text(tests, [&](std::string const& text) {
    std::ranges::copy(test_case_names(text), std::inserter(names, names.end()));
  });
  for (auto const* compile_time : {"static", "fail"}) {
    for_each_source_text(tests / compile_time, [&](std::string const& text) {
      std::ranges::copy(commented_test_names(text), std::inserter(names, names.end()));
    });
  }
  return names;
}

// A name in the Implementation cell: a path from the root of the source tree, or a header below include.
bool exists_in_tree(std::string_view name) {
  auto const path = fs::path{name}.lexically_normal();
  if (path.is_absolute() || *path.begin() == "..") { return false; }
  return fs::is_regular_file(source_root() / path) || fs::is_regular_file(source_root() / "include" / path);
}

requirement_table const& published_table() {
  static auto const table = parse_requirements(content_of(source_root() / "docs" / "requirements.md"));
  return table;
}

void require_none(complaints const& found) {
  for (auto const& complaint : found) {
    INFO("docs/requirements.md: ", complaint);
    CHECK(complaint.empty());
  }
  CHECK(found.empty());
}

// ---------------------------------------------------------------------------------------------------------
// Small tables for the tests of the checks.

constexpr std::array<id_series, 1> two_rows{{{"GSA-", 2, 1}}};

std::string small_table(std::string_view body) {
  return "| ID | Requirement | Source | Status | Implementation | Test |\n"
         "| --- | --- | --- | --- | --- | --- |\n" +
         std::string{body};
}

requirement_table parsed(std::string_view body) { return parse_requirements(small_table(body)); }

constexpr std::string_view sound_body =
    "| GSA-1 | One. | [X] 1 | done | `takt/a.hpp`, `examples/b.cpp` | `GSA-1 does one` |\n"
    "| GSA-2 | Two. | [X] 2 | open | - | open: graphs |\n";

bool small_tree_has(std::string_view file) { return file == "takt/a.hpp" || file == "examples/b.cpp"; }

name_set small_tree_tests() { return {"GSA-1 does one", "parser"}; }

complaints check_all(requirement_table const& table, name_set const& tests) {
  complaints all;
  for (auto const& part : {check_numbering(table, two_rows), check_cells(table), check_open_rows(table),
                           check_implementations(table, small_tree_has), check_named_tests(table, tests),
                           check_claimed_ids(table, tests)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Exactly one complaint, which contains the text.
void require_only(complaints const& found, std::string_view text) {
  CAPTURE(text);
  for (auto const& complaint : found) {
    INFO("complaint: ", complaint);
    CHECK(complaint.find(text) != std::string::npos);
  }
  CHECK(found.size() == 1);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------
// The real table.

TEST_CASE("the requirements table has every row of the six tables once and in order") {
  require_none(check_numbering(published_table(), published_series));
}

TEST_CASE("the requirements table has the known number of rows per table") {
  std::map<std::string, int, std::less<>> rows_by_prefix;
  for (auto const& row : published_table().rows) { ++rows_by_prefix[std::string{prefix_of(row.id())}]; }
  std::map<std::string, int, std::less<>> const expected{{"RTGPU", 53}, {"AP", 46},  {"WAMP", 56},
                                                         {"GSD", 94},   {"GSA", 52}, {"OVX", 45}};
  for (auto const& [prefix, count] : expected) {
    CAPTURE(prefix);
    CHECK(rows_by_prefix[prefix] == count);
  }
  CHECK(rows_by_prefix.size() == expected.size());
  CHECK(published_table().rows.size() == 346);
}

TEST_CASE("every requirement has filled cells and the status done or open") {
  require_none(check_cells(published_table()));
}

TEST_CASE("every open requirement says what will deliver it") { require_none(check_open_rows(published_table())); }

TEST_CASE("every done requirement names files that exist") {
  require_none(check_implementations(published_table(), exists_in_tree));
}

TEST_CASE("every done requirement names a test case that exists and carries its ID") {
  require_none(check_named_tests(published_table(), names_in_tests()));
}

TEST_CASE("every test case that carries an ID belongs to a done requirement") {
  require_none(check_claimed_ids(published_table(), names_in_tests()));
}

// ---------------------------------------------------------------------------------------------------------
// The checks can fail.

TEST_CASE("traceability checks accept a sound table") {
  CHECK(check_all(parsed(sound_body), small_tree_tests()).empty());
}

TEST_CASE("traceability checks find a missing, a doubled, an unknown and a misplaced row") {
  constexpr std::string_view first = "| GSA-1 | One. | [X] 1 | open | - | open: graphs |\n";
  constexpr std::string_view second = "| GSA-2 | Two. | [X] 2 | open | - | open: graphs |\n";
  auto const numbering = [](std::string const& body) { return check_numbering(parsed(body), two_rows); };
  auto const one = std::string{first};
  auto const two = std::string{second};
  CHECK(numbering(one + two).empty());
  require_only(numbering(one), "GSA-2: no row");
  require_only(numbering(one + two + one), "GSA-1: more than one row (line 5)");
  require_only(numbering(one + two + "| GSA-3 | Three. | [X] | open | - | open: graphs |\n"),
               "GSA-3: no such requirement");
  require_only(numbering(two + one), "GSA-2: out of order, expected GSA-1");
}

TEST_CASE("traceability checks find malformed rows and cells") {
  require_only(parsed("| GSA-1 | One. | open | - | open: graphs |\n").defects, "6 cells, found 5 (GSA-1)");
  require_only(parsed("| GSA-1 | a | b | open | - | open: graphs |\nstray\n").defects, "must end with an empty line");
  require_only(check_cells(parsed("| GSA-1 | | [X] | open | - | open: graphs |\n")),
               "GSA-1: the cell Requirement is empty");
  require_only(check_cells(parsed("| GSA-1 | One. | [X] | Done | - | - |\n")),
               "GSA-1: the status is neither done nor open");
}

TEST_CASE("traceability checks find an open row without a reason") {
  for (auto const* cell : {"-", "open:"}) {
    auto const row = std::string{"| GSA-1 | One. | [X] | open | - | "} + cell + " |\n";
    require_only(check_open_rows(parsed(row)), "GSA-1: open, but");
  }
}

TEST_CASE("traceability checks find files that are unknown or not named") {
  auto const implementations = [](std::string const& cell) {
    return check_implementations(parsed("| GSA-1 | One. | [X] | done | " + cell + " | `GSA-1 a` |\n"), small_tree_has);
  };
  CHECK(implementations("`takt/a.hpp`").empty());
  require_only(implementations("`takt/a.hpp`, `takt/lost.hpp`"), "GSA-1: the file takt/lost.hpp does not exist");
  require_only(implementations("-"), "GSA-1: done, but the Implementation cell is no list");
  require_only(implementations("`takt/a.hpp` and more"), "GSA-1: done, but the Implementation cell is no list");
}

TEST_CASE("traceability checks find tests that are missing, misnamed or not named") {
  auto const tests = [](std::string const& cell) {
    return check_named_tests(parsed("| GSA-2 | Two. | [X] | done | `takt/a.hpp` | " + cell + " |\n"),
                             {"GSA-1 GSA-2 both", "GSA-1 does one", "GSA-2, with a | in it"});
  };
  CHECK(tests("`GSA-1 GSA-2 both`").empty());
  CHECK(tests(R"(`GSA-2, with a \| in it`)").empty());
  require_only(tests("`GSA-2 is lost`"), "GSA-2: no test case has the name");
  require_only(tests("`GSA-1 does one`"), "GSA-2: the name of its test does not begin with the ID");
  require_only(tests("-"), "GSA-2: done, but the Test cell is no list");
}

TEST_CASE("traceability checks find test cases whose row is open or does not exist") {
  auto const table = parsed(sound_body);
  CHECK(check_claimed_ids(table, {"GSA-1 does one", "GPU-9 is no requirement", "a note on GSA-2"}).empty());
  require_only(check_claimed_ids(table, {"GSA-1 GSA-2: both"}), "GSA-2: a test case carries this ID, but its row");
  require_only(check_claimed_ids(table, {"GSA-99 unheard of"}), "GSA-99: a test case carries this ID, but there");
}

TEST_CASE("leading IDs of a test name end at the first other word") {
  using ids = std::vector<std::string>;
  CHECK(leading_ids("RTGPU-13 RTGPU-14 bus") == ids{"RTGPU-13", "RTGPU-14"});
  CHECK(leading_ids("AP-X01, AP-01: response like RTGPU-7") == ids{"AP-X01", "AP-01"});
  CHECK(leading_ids("OVX-X1") == ids{"OVX-X1"});
  CHECK(leading_ids("GSA-1b is none").empty());
  CHECK(leading_ids("").empty());
}

TEST_CASE("test case names are read from code but not from comments and strings") {
  constexpr std::string_view text = R"code(
        // TEST_CASE("in a line comment")
        /* TEST_CASE("in a block comment") */
        auto a = "TEST_CASE(\"in a string\")"; auto b = '"'; auto c = 1'000'000;
        auto d = R"x(TEST_CASE("in a raw string"))x"; auto e = u8R"(TEST_CASE("in another"))";
        TEST_CASE("plain") {}
        TEST_CASE( /* why */ "joined "
                  "from two" * doctest::skip()) {}
        TEST_CASE("with \"quotes\" and \\") {}
        TEST_CASE_TEMPLATE("typed", T, int, long) {}
        TEST_CASE_FIXTURE(fixture<int>, "fixed") {}
        MY_TEST_CASE("of another macro") {}
    )code";
  std::vector<std::string> const expected{"plain", "joined from two", R"(with "quotes" and \)", "typed", "fixed"};
  CHECK(test_case_names(text) == expected);
}

TEST_CASE("names of compile-time tests are read from their comments") {
  constexpr std::string_view text = "  // TAKT-TEST: GSA-1 refuses zero \nint x; // TAKT-TEST: not at the start\n";
  CHECK(commented_test_names(text) == std::vector<std::string>{"GSA-1 refuses zero"});
}
