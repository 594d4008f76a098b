// SPDX-License-Identifier: Apache-2.0
#include "live.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <takt/model/task_progress.hpp>
#include <takt/report/live_words.hpp>
#include <takt/report/table.hpp>
#include <takt/report/utf8.hpp>

#include "../standard_error.hpp"

namespace takt::program {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto between_tables = 200ms;
constexpr auto between_lines = 2s;

[[nodiscard]] auto seen_by(const runtime::run_watch& watch) -> std::vector<task_progress> {
  std::vector<task_progress> out;
  for (std::size_t i = 0; i < watch.size(); ++i) { out.push_back(watch.row(i)); }
  return out;
}

/// Lines, and columns of each, that a terminal has room for.
[[nodiscard]] auto room() -> std::pair<std::size_t, std::size_t> {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) { return {24, 80}; }
  return {size.ws_row, size.ws_col};
}

}  // namespace

live_report::live_report(const runtime::run_watch& watch, const report::verdict_summary& proven)
    : watch_{&watch}, proven_{&proven}, is_terminal_{isatty(STDERR_FILENO) == 1} {
  // Signals are for the thread that runs.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[this] { show(); }};
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

live_report::~live_report() {
  {
    const std::lock_guard lock{mutex_};
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (shown_ > 0) { say_aside("\x1b[{}A\r\x1b[J", shown_); }
}

void live_report::show() {
  const auto start = clock::now();
  auto next = start;
  std::unique_lock lock{mutex_};
  while (true) {
    next += is_terminal_ ? clock::duration{between_tables} : clock::duration{between_lines};
    if (changed_.wait_until(lock, next, [this] { return over_; })) { return; }
    const ticks passed = std::chrono::nanoseconds{clock::now() - start}.count();
    if (is_terminal_) {
      rewrite(passed);
    } else {
      say_aside("{}\n", report::live_line(passed, seen_by(*watch_), *proven_));
    }
  }
}

void live_report::rewrite(ticks passed) {
  const auto seen = seen_by(*watch_);
  const std::string text =
      report::live_line(passed, seen, *proven_) + "\n" + report::text_of(report::live_table(seen, *proven_));
  const auto [lines, columns] = room();
  std::string out = shown_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", shown_) : "";
  shown_ = 0;
  for (std::string_view rest = text; !rest.empty() && shown_ + 1 < std::max<std::size_t>(lines, 2); ++shown_) {
    const auto end = rest.find('\n');
    out += report::elided(rest.substr(0, end), columns) + "\n";
    rest.remove_prefix(end + 1);
  }
  say_aside("{}", out);
}

}  // namespace takt::program
