// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <unistd.h>

#include <takt/report/text.hpp>
#include <takt/study/tally.hpp>

namespace takt::inline TAKT_ABI::studies::detail {

/// Shows how far a sweep is, on standard error: a bar in one line of a terminal; elsewhere a plain line every ten
/// seconds, and a last one.
class progress_bar {
 public:
  /// Starts a bar. Units that are known before anything is done say nothing about the speed.
  progress_bar(std::string_view name, const tally& counts)
      : name_{name}, counts_{&counts}, at_start_{counts.known_units()} {}

  void show() {
    const auto now = clock::now();
    if (now < next_) { return; }
    next_ = now + (terminal_ ? std::chrono::milliseconds{100} : std::chrono::seconds{10});
    const std::size_t known = counts_->known_units();
    const std::size_t units = counts_->units();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::string line = report::text(report::right_aligned(std::to_string(known * 100 / units), 3), " %, ", known,
                                    " of ", units, " units");
    if (known > at_start_ && seconds > 0) {
      const double rate = static_cast<double>(known - at_start_) / seconds;
      line += report::text(", ", report::rounded(rate, 3), "/s, ", text_of(static_cast<double>(units - known) / rate),
                           " left");
    }
    const std::size_t filled = known * bar_width / units;
    const std::string bar = " [" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] ";
    print(terminal_ ? bar : ": ", line);
  }
  /// Writes the last line: how many units are there, whether or not that is all of them.
  void finish() const {
    const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
    print(": ", report::text(counts_->known_units(), " of ", counts_->units(), " units in ", text_of(seconds)));
    if (terminal_) { (void)std::fputs("\n", stderr); }
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t bar_width = 30;

  void print(std::string_view between, std::string_view line) const {
    const std::string all = report::text(terminal_ ? "\r" : "", name_, between, line, terminal_ ? "\x1b[K" : "\n");
    (void)std::fputs(all.c_str(), stderr);
    (void)std::fflush(stderr);
  }
  [[nodiscard]] static auto text_of(double seconds) -> std::string {
    const auto two_digits = [](std::int64_t n) { return report::right_aligned(std::to_string(n), 2, '0'); };
    const auto whole = std::int64_t{std::llround(seconds)};
    const std::string rest = ":" + two_digits(whole % 60);
    return whole < 3600 ? report::text(whole / 60, rest)
                        : report::text(whole / 3600, ":", two_digits(whole / 60 % 60), rest);
  }

  std::string_view name_;
  const tally* counts_;
  std::size_t at_start_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  clock::time_point start_ = clock::now();
  clock::time_point next_ = start_ + (terminal_ ? std::chrono::milliseconds{200} : std::chrono::seconds{10});
};

}  // namespace takt::inline TAKT_ABI::studies::detail
