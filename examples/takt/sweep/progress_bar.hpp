// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace takt::program::sweep {

/// How far a sweep is, on standard error: a bar in one line of a terminal; elsewhere a plain line every ten seconds,
/// and a last one.
class progress_bar {
 public:
  /// `known` units are there before anything is done, and say nothing about the speed.
  progress_bar(std::string_view name, std::size_t known, std::size_t units);

  void show(std::size_t known);
  /// The last line: how many units are there, whether or not that is all of them.
  void finish(std::size_t known);

 private:
  using clock = std::chrono::steady_clock;
  [[nodiscard]] auto line(std::size_t known, clock::time_point now) const -> std::string;

  std::string_view name_;
  std::size_t at_start_;
  std::size_t units_;
  bool terminal_;
  clock::time_point start_ = clock::now();
  clock::time_point next_;
};

}  // namespace takt::program::sweep
