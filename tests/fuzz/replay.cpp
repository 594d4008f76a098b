// SPDX-License-Identifier: Apache-2.0
// Gives each file of some folders to a target, so that what was found once stays fixed, with any compiler.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "target.hpp"

namespace {

[[nodiscard]] auto files_of(std::span<char* const> folders) -> std::vector<std::filesystem::path> {
  std::vector<std::filesystem::path> out;
  for (const std::filesystem::path folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      if (entry.is_regular_file()) { out.push_back(entry.path()); }
    }
  }
  return out;
}

}  // namespace

auto main(int count, char** arguments) -> int try {
  const auto files = files_of(std::span{arguments, static_cast<std::size_t>(count)}.subspan(1));
  for (const auto& path : files) {
    // Ahead of a crash, which says nothing of the file.
    std::printf("%s\n", path.c_str());
    (void)std::fflush(stdout);
    std::ifstream in{path, std::ios::binary};
    const std::vector<char> bytes{std::istreambuf_iterator<char>{in}, {}};
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  return files.empty() ? 1 : 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "takt-fuzz: %s\n", e.what());
  return 1;
}
