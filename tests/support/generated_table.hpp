// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace takt_tests {

/// Expects that a document ends with these lines after its marker, or makes it so where TAKT_WRITE_TABLES is set.
/// `path` is within the source tree.
inline void expect_table(const std::string& path, std::string_view marker, const std::string& lines) {
  const std::string file = std::string{TAKT_SOURCE_DIR} + "/" + path;
  std::ifstream in{file};
  const std::string text{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  const auto at = text.find(marker);
  REQUIRE(at != std::string::npos);
  if (std::getenv("TAKT_WRITE_TABLES") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream{file} << text.substr(0, at) << marker << lines;
    return;
  }
  CHECK(text.substr(at + marker.size()) == lines);
}

}  // namespace takt_tests
