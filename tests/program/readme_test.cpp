// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"

namespace {

using takt::test::read;
using takt::test::scratch;

auto in_source(const std::string& path) -> std::string { return std::string{TAKT_SOURCE_DIR} + "/" + path; }

/// A comparison that the README shows: its file, and the lines below its mark.
struct shown {
  std::string file;
  std::string text;
};

auto shown_comparisons() -> std::vector<shown> {
  constexpr std::string_view head = "<!-- takt compare ";
  constexpr std::string_view foot = "<!-- end of takt compare -->";
  const std::string readme = read(in_source("README.md"));
  std::vector<shown> out;
  for (std::size_t at = readme.find(head); at != std::string::npos; at = readme.find(head, at + 1)) {
    const std::size_t name = at + head.size();
    const std::size_t line = readme.find('\n', at) + 1;
    out.push_back(
        {readme.substr(name, readme.find(" -->", name) - name), readme.substr(line, readme.find(foot, line) - line)});
  }
  return out;
}

auto stem(const std::string& file) -> std::string {
  const std::size_t from = file.rfind('/') + 1;
  return file.substr(from, file.rfind('.') - from);
}

}  // namespace

TEST_CASE("program: tables and pictures of comparisons in the README are what compare says") {
  const auto all = shown_comparisons();
  CHECK(all.size() == 3);
  for (const shown& s : all) {
    CAPTURE(s.file);
    INFO("`scripts/figures comparisons` makes them anew");
    const std::string picture = scratch("compared.svg");
    const auto o = takt::test::takt("compare " + in_source(s.file) + " --svg " + picture);
    CHECK(o.code <= 2);
    CHECK("```text\n" + o.out + "```\n" == s.text);
    CHECK(read(picture) == read(in_source("docs/pictures/compare-" + stem(s.file) + ".svg")));
  }
}
