// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace takt::program {

/// A line on standard error that says how far something is, if a person is there to read it: nothing within the first
/// half second, and nothing when standard error is no terminal. Taken away at the end of the scope.
class progress {
 public:
  explicit progress(std::string_view what);
  progress(const progress&) = delete;
  auto operator=(const progress&) -> progress& = delete;
  progress(progress&&) = delete;
  auto operator=(progress&&) -> progress& = delete;
  ~progress();

  /// `of` 0: the end is not known.
  void show(std::uint64_t done, std::uint64_t of = 0);

 private:
  std::string_view what_;
  bool watched_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace takt::program
