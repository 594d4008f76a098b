// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// What libFuzzer calls, and `replay.cpp` with the files of the corpus.
extern "C" auto LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) -> int;

namespace takt::fuzz {

[[nodiscard]] inline auto text_of(const std::uint8_t* data, std::size_t size) -> std::string_view {
  return size == 0 ? std::string_view{} : std::string_view{reinterpret_cast<const char*>(data), size};
}

/// Ends the process, so that the input counts as a crash.
[[noreturn]] inline void fail(std::string_view what, std::string_view about) {
  std::fprintf(stderr, "takt-fuzz: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(about.size()), about.data());
  std::abort();
}

}  // namespace takt::fuzz
