// SPDX-License-Identifier: Apache-2.0
#include "progress_bar.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace takt::program::sweep {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t bar_width = 30;

[[nodiscard]] auto clock_text(double seconds) -> std::string {
  const auto whole = std::llround(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

[[nodiscard]] auto seconds_of(std::chrono::steady_clock::duration d) -> double {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

progress_bar::progress_bar(std::string_view name, std::size_t known, std::size_t units)
    : name_{name},
      at_start_{known},
      units_{units},
      terminal_{isatty(STDERR_FILENO) == 1},
      next_{start_ + (terminal_ ? clock::duration{200ms} : clock::duration{10s})} {}

void progress_bar::show(std::size_t known) {
  const auto now = clock::now();
  if (now < next_) { return; }
  next_ = now + (terminal_ ? clock::duration{100ms} : clock::duration{10s});
  if (terminal_) {
    const std::size_t filled = known * bar_width / units_;
    fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {}\x1b[K", name_, "", filled, "", bar_width - filled, line(known, now));
    (void)std::fflush(stderr);
  } else {
    fmt::print(stderr, "{}: {}\n", name_, line(known, now));
  }
}

void progress_bar::finish(std::size_t known) {
  fmt::print(stderr, "{}{}: {} of {} units in {}{}\n", terminal_ ? "\r" : "", name_, known, units_,
             clock_text(seconds_of(clock::now() - start_)), terminal_ ? "\x1b[K" : "");
}

auto progress_bar::line(std::size_t known, clock::time_point now) const -> std::string {
  const double seconds = seconds_of(now - start_);
  const auto done = static_cast<double>(known - at_start_);
  std::string head = fmt::format("{:3} %, {} of {} units", known * 100 / units_, known, units_);
  if (done < 1 || seconds <= 0) { return head; }
  const double rate = done / seconds;
  return fmt::format("{}, {:.3g}/s, {} left", head, rate, clock_text(static_cast<double>(units_ - known) / rate));
}

}  // namespace takt::program::sweep
