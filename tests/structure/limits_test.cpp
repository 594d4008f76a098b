// SPDX-License-Identifier: Apache-2.0
// Holds the documentation to what it has to admit.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

/// The part of a text under a heading of the second level; empty if there is none.
auto section(const std::string& text, std::string_view title) -> std::string {
  const std::string heading = "\n## " + std::string{title} + "\n";
  const auto begin = text.find(heading);
  if (begin == std::string::npos) { return {}; }
  const auto end = text.find("\n## ", begin + heading.size());
  return text.substr(begin + heading.size(), end - begin - heading.size());
}

auto contains(std::string_view text, std::string_view words) -> bool {
  return text.find(words) != std::string_view::npos;
}

}  // namespace

TEST_CASE("a section ends at the next heading, and one that is not there is empty") {
  const std::string text = "# Title\n\n## Limits\n\nfew\n\n### Part\n\nmore\n\n## Cost\n\nmuch\n";
  CHECK(contains(section(text, "Limits"), "few"));
  CHECK(contains(section(text, "Limits"), "more"));
  CHECK_FALSE(contains(section(text, "Limits"), "much"));
  CHECK(contains(section(text, "Cost"), "much"));
  CHECK(section(text, "Limit").empty());
}

TEST_CASE("WAMP-49 the documentation states the limits of predicted shares: fixed sets, one type of GPU per model") {
  std::ifstream in{std::string{TAKT_SOURCE_DIR} + "/docs/reproduction/wamp2s.md"};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const std::string limits = section(text, "Limits");
  CHECK(contains(limits, "Fixed sets of applications"));
  CHECK(contains(limits, "One type of GPU per trained model"));
}
