// SPDX-License-Identifier: Apache-2.0
// Every trace that a test writes goes through the checker of trace-event rules.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

/// Whether a test of this name, by its text, writes traces that nobody checks. Those that call the program go through
/// `takt::test::takt`, which looks for `--trace`.
auto writes_unchecked(std::string_view file, std::string_view text) -> bool {
  if (file == "support/written_trace.hpp" || file == "structure/traces_test.cpp") { return false; }
  for (const std::string_view shells : {"first_steps", "written_files"}) {  // what these start themselves
    if (file == "program/" + std::string{shells} + "_test.cpp") { return false; }
  }
  if (text.find("write_chrome_trace") != std::string_view::npos) { return true; }
  const bool starts_programs = text.find("std::system(") != std::string_view::npos;
  return starts_programs && text.find("--trace") != std::string_view::npos &&
         text.find("check_traces(") == std::string_view::npos;
}

}  // namespace

TEST_CASE("traces are written by tests through the checker of their format only") {
  const fs::path root = fs::path{TAKT_SOURCE_DIR} / "tests";
  for (const auto& entry : fs::recursive_directory_iterator{root}) {
    const auto extension = entry.path().extension();
    if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp" && extension != ".cu")) { continue; }
    std::ifstream in{entry.path(), std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const std::string name = fs::relative(entry.path(), root).generic_string();
    INFO(name, " writes a trace that is not checked; use takt_tests::written_trace, or takt::test::takt");
    CHECK_FALSE(writes_unchecked(name, text));
  }
}

TEST_CASE("a trace that a test writes past the checker is found out") {
  CHECK(writes_unchecked("unit/a_test.cpp", "takt::report::write_chrome_trace(out, view);"));
  CHECK(writes_unchecked("program/a.cpp", "std::system(\"takt simulate --trace x\")"));
  CHECK_FALSE(writes_unchecked("program/program.cpp", "std::system(call); /* --trace */ check_traces(call);"));
  CHECK_FALSE(writes_unchecked("unit/a_test.cpp", "takt_tests::written_trace(view);"));
}
