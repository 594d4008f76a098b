// SPDX-License-Identifier: Apache-2.0
// Keeps docs/requirements.md consistent with the files that it names and with the test cases, which name its rows by
// the decorator of support/traces.hpp. TAKT_WRITE_TABLES=1 writes the column of tests.
//
// Every check is a function from data to a list of complaints, so that the checks themselves are tested
// on small tables with planted defects before they are trusted with the real one.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
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

// The IDs with which a text begins: "RTGPU-13 RTGPU-14 bus" gives two.
std::vector<std::string> leading_ids(std::string_view text) {
  std::vector<std::string> ids;
  while (!text.empty()) {
    auto const end = std::min(text.find(' '), text.size());
    if (!looks_like_id(text.substr(0, end))) { break; }
    ids.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
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
// Which files check which requirements.

// Files of tests by the IDs that they trace.
using traced_files = std::map<std::string, name_set, std::less<>>;

// The IDs that a line of a test traces: in the decorator of a test case, or behind a mark where only the compiler runs
// the test.
std::vector<std::string> traced_ids(std::string_view line) {
  constexpr std::string_view mark = "// TAKT-TEST: ";
  constexpr std::string_view decorator = "takt_tests::traces(\"";
  line = trimmed(line);
  if (line.starts_with(mark)) { return leading_ids(line.substr(mark.size())); }
  auto const at = line.find(decorator);
  if (at == std::string_view::npos || line.starts_with("//")) { return {}; }
  line.remove_prefix(at + decorator.size());
  std::istringstream words{std::string{line.substr(0, line.find('"'))}};  // a word that is no ID has no row
  return {std::istream_iterator<std::string>{words}, {}};
}

void add_traces(traced_files& all, std::string const& file, std::string_view text) {
  for (auto const& line : lines_of(text)) {
    for (auto const& id : traced_ids(line)) { all[id].insert(file); }
  }
}

std::string code_list(name_set const& names) {
  std::string list;
  for (auto const& name : names) { list += (list.empty() ? "`" : ", `") + name + "`"; }
  return list;
}

// A section as the Test cell names it, `docs/page.md#section`.
bool is_section(std::string_view name) { return name.starts_with("docs/") && name.find(".md#") != name.npos; }

// The part of a link that leads to a heading.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (auto const character : heading) {
    if (is_word(character) || character == '-') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    } else if (character == ' ') {
      anchor += '-';
    }
  }
  return anchor;
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

// A done row rests on test cases, or on sections of pages where it asks for text alone.
complaints check_evidence(requirement_table const& table, traced_files const& traced,
                          file_predicate const& section_exists) {
  complaints found;
  for (auto const& row : table.rows) {
    auto const& cell = row[column::test];
    auto const tests = traced.find(row.id());
    if (tests == traced.end()) {
      if (!row.done()) { continue; }
      auto const sections = code_spans(cell);
      if (!is_code_list(cell) || !std::ranges::all_of(sections, is_section)) {
        found.push_back(row.id() + ": done, but no test case traces it, and the Test cell is no list of `sections`");
        continue;
      }
      for (auto const& section : sections) {
        if (!section_exists(section)) { found.push_back(row.id() + ": there is no section " + section); }
      }
    } else if (!row.done()) {
      found.push_back(row.id() + ": a test case traces it, but its row is not done: " + *tests->second.begin());
    } else if (std::ranges::all_of(tests->second, [](auto const& file) { return file.starts_with("tests/cuda/"); })) {
      found.push_back(row.id() + ": only tests that need a GPU trace it");
    } else if (cell != code_list(tests->second)) {
      found.push_back(row.id() + ": the Test cell is not " + code_list(tests->second) +
                      "; TAKT_WRITE_TABLES=1 writes it");
    }
  }
  return found;
}

complaints check_traced_ids(requirement_table const& table, traced_files const& traced) {
  name_set known;
  for (auto const& row : table.rows) { known.insert(row.id()); }
  complaints found;
  for (auto const& [id, files] : traced) {
    if (!known.contains(id)) { found.push_back(id + ": traced, but there is no such row: " + *files.begin()); }
  }
  return found;
}

// The same text with the Test cells of done rows that test cases trace.
std::string with_tests(std::string_view text, traced_files const& traced) {
  std::string out;
  for (auto line : lines_of(text)) {
    auto const cells = cells_of(line);
    bool const is_done = cells && cells->size() == column_titles.size() && (*cells)[3] == "done";
    if (is_done && traced.contains(cells->front())) {
      line.resize(line.rfind('|', line.rfind('|') - 1) + 1);  // names of files have no bars
      line += " " + code_list(traced.find(cells->front())->second) + " |";
    }
    out += line + "\n";
  }
  return out;
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

traced_files const& traced_in_tests() {
  static auto const all = [] {
    traced_files traced;
    for (auto const& entry : fs::recursive_directory_iterator{source_root() / "tests"}) {
      if (!entry.is_regular_file() || !is_cpp_source(entry.path())) { continue; }
      if (entry.path().filename() == "traceability_test.cpp") { continue; }  // its small texts trace nothing
      add_traces(traced, fs::relative(entry.path(), source_root()).generic_string(), content_of(entry.path()));
    }
    return traced;
  }();
  return all;
}

bool section_exists(std::string_view name) {
  auto const hash = name.find('#');
  auto const page = source_root() / name.substr(0, hash);
  if (hash == std::string_view::npos || !fs::is_regular_file(page)) { return false; }
  return std::ranges::any_of(lines_of(content_of(page)), [&](std::string_view line) {
    auto const level = line.find_first_not_of('#');
    return level != 0 && level != line.npos && anchor_of(trimmed(line.substr(level))) == name.substr(hash + 1);
  });
}

// A name in the Implementation cell: a path from the root of the source tree, or a header below include.
bool exists_in_tree(std::string_view name) {
  auto const path = fs::path{name}.lexically_normal();
  if (path.is_absolute() || *path.begin() == "..") { return false; }
  return fs::is_regular_file(source_root() / path) || fs::is_regular_file(source_root() / "include" / path);
}

fs::path const& published_page() {
  static fs::path const page = source_root() / "docs" / "requirements.md";
  return page;
}

requirement_table const& published_table() {
  static auto const table = parse_requirements(content_of(published_page()));
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
    "| GSA-1 | One. | [X] 1 | done | `takt/a.hpp`, `examples/b.cpp` | `tests/one.cpp` |\n"
    "| GSA-2 | Two. | [X] 2 | open | - | open: graphs |\n";

bool small_tree_has(std::string_view file) { return file == "takt/a.hpp" || file == "examples/b.cpp"; }

traced_files small_tree_traces() { return {{"GSA-1", {"tests/one.cpp"}}}; }

bool small_tree_has_section(std::string_view section) { return section == "docs/a.md#limits"; }

complaints check_all(requirement_table const& table, traced_files const& traced) {
  complaints all;
  for (auto const& part : {check_numbering(table, two_rows), check_cells(table), check_open_rows(table),
                           check_implementations(table, small_tree_has),
                           check_evidence(table, traced, small_tree_has_section), check_traced_ids(table, traced)}) {
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

TEST_CASE("every done requirement names the files whose test cases trace it, or the section that it asks for") {
  if (std::getenv("TAKT_WRITE_TABLES") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    auto const page = with_tests(content_of(published_page()), traced_in_tests());
    std::ofstream{published_page(), std::ios::binary} << page;
    CHECK(content_of(published_page()) == page);
    return;
  }
  require_none(check_evidence(published_table(), traced_in_tests(), section_exists));
}

TEST_CASE("every ID that a test case traces has a row") {
  CHECK(traced_in_tests().size() > 300);
  require_none(check_traced_ids(published_table(), traced_in_tests()));
}

// ---------------------------------------------------------------------------------------------------------
// The checks can fail.

TEST_CASE("traceability checks accept a sound table") {
  CHECK(check_all(parsed(sound_body), small_tree_traces()).empty());
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
    return check_implementations(parsed("| GSA-1 | One. | [X] | done | " + cell + " | `tests/one.cpp` |\n"),
                                 small_tree_has);
  };
  CHECK(implementations("`takt/a.hpp`").empty());
  require_only(implementations("`takt/a.hpp`, `takt/lost.hpp`"), "GSA-1: the file takt/lost.hpp does not exist");
  require_only(implementations("-"), "GSA-1: done, but the Implementation cell is no list");
  require_only(implementations("`takt/a.hpp` and more"), "GSA-1: done, but the Implementation cell is no list");
}

TEST_CASE("traceability checks find rows without evidence, and evidence of rows that are open") {
  auto const evidence = [](std::string const& status, std::string const& cell, traced_files const& traced) {
    auto const row = "| GSA-2 | Two. | [X] | " + status + " | `takt/a.hpp` | " + cell + " |\n";
    return check_evidence(parsed(row), traced, small_tree_has_section);
  };
  traced_files const two{{"GSA-2", {"tests/a.cpp", "tests/cuda/b.cu"}}};
  CHECK(evidence("done", "`tests/a.cpp`, `tests/cuda/b.cu`", two).empty());
  CHECK(evidence("done", "`docs/a.md#limits`", {}).empty());
  CHECK(evidence("open", "open: graphs", {}).empty());
  require_only(evidence("done", "`tests/a.cpp`", two), "GSA-2: the Test cell is not `tests/a.cpp`, `tests/cuda/b.cu`");
  require_only(evidence("done", "`tests/a.cpp`", {}), "GSA-2: done, but no test case traces it");
  require_only(evidence("done", "-", {}), "GSA-2: done, but no test case traces it");
  require_only(evidence("done", "`docs/a.md#lost`", {}), "GSA-2: there is no section docs/a.md#lost");
  require_only(evidence("open", "open: graphs", two), "GSA-2: a test case traces it, but its row is not done");
  require_only(evidence("done", "`tests/cuda/b.cu`", {{"GSA-2", {"tests/cuda/b.cu"}}}), "GSA-2: only tests that need");
  require_only(check_traced_ids(parsed(sound_body), {{"GSA-99", {"tests/a.cpp"}}}), "GSA-99: traced, but there is no");
}

TEST_CASE("the column of tests is written in done rows that test cases trace, and nothing else is changed") {
  auto const before = small_table(sound_body) + "\ntext | GSA-1 |\n";
  auto const written = with_tests(before, {{"GSA-1", {"tests/b.cpp", "tests/a.cpp"}}, {"GSA-2", {"tests/a.cpp"}}});
  CHECK(written.find("`examples/b.cpp` | `tests/a.cpp`, `tests/b.cpp` |\n| GSA-2") != std::string::npos);
  CHECK(with_tests(written, small_tree_traces()) == before);
}

TEST_CASE("leading IDs of a text end at the first other word") {
  using ids = std::vector<std::string>;
  CHECK(leading_ids("RTGPU-13 RTGPU-14 bus") == ids{"RTGPU-13", "RTGPU-14"});
  CHECK(leading_ids("AP-X01 AP-01 response like RTGPU-7") == ids{"AP-X01", "AP-01"});
  CHECK(leading_ids("OVX-X1") == ids{"OVX-X1"});
  CHECK(leading_ids("GSA-1b is none").empty());
  CHECK(leading_ids("").empty());
}

TEST_CASE("traced IDs are read from decorators and from the marks of compile-time tests") {
  using ids = std::vector<std::string>;
  CHECK(traced_ids(R"(TEST_CASE("a" * takt_tests::traces("GSA-1 AP-X01") * doctest::skip()) {)") ==
        ids{"GSA-1", "AP-X01"});
  CHECK(traced_ids(R"(TEST_CASE("a" * takt_tests::traces("GSA-1 GAS-2")) {)") == ids{"GSA-1", "GAS-2"});
  CHECK(traced_ids(R"(          takt_tests::traces("OVX-X1")) {)") == ids{"OVX-X1"});
  CHECK(traced_ids("// TAKT-TEST: GSA-1 zero is refused") == ids{"GSA-1"});
  CHECK(traced_ids(R"(// TEST_CASE("a" * takt_tests::traces("GSA-1")) {)").empty());
  CHECK(traced_ids(R"(TEST_CASE("GSA-1 a") {)").empty());
}

TEST_CASE("a heading is found by the anchor of its link") {
  CHECK(anchor_of("Networks, Fig. 9 to 11 and 16") == "networks-fig-9-to-11-and-16");
  CHECK(section_exists("docs/requirements.md#how-to-read-the-table"));
  CHECK_FALSE(section_exists("docs/requirements.md#how-to-write-the-table"));
  CHECK_FALSE(section_exists("docs/no_such_page.md#limits"));
}
