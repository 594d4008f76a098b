// SPDX-License-Identifier: Apache-2.0
// Examples of one idea are short, and the list that builds and runs them names folders that are there.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path examples = fs::path{TAKT_SOURCE_DIR} / "examples";
constexpr std::ptrdiff_t most_lines = 49;

[[nodiscard]] auto text_of(const fs::path& file) -> std::string {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The names in examples.cmake, and the one that the preset `arm` builds.
[[nodiscard]] auto listed() -> std::vector<std::string> {
  const std::string text = text_of(examples / "examples.cmake");
  const std::regex entry{R"(\n  "([a-z_]+)\|[a-z_ ]+\|[^"]+")"};
  std::vector<std::string> out{"bare_metal"};
  for (std::sregex_iterator at{text.begin(), text.end(), entry}, end; at != end; ++at) { out.push_back((*at)[1]); }
  return out;
}

}  // namespace

TEST_CASE("every example of one idea is listed, there, and under fifty lines") {
  const auto names = listed();
  CHECK(names.size() >= 24);
  for (const std::string& name : names) {
    CAPTURE(name);
    const std::string text = text_of(examples / name / "main.cpp");
    REQUIRE_FALSE(text.empty());
    CHECK(std::ranges::count(text, '\n') <= most_lines);
    CHECK(text.starts_with("// SPDX-License-Identifier: Apache-2.0\n// "));
  }
  CHECK(std::ranges::count(text_of(examples / "examples.cmake"), '|') == 2 * (std::ssize(names) - 1));
}
