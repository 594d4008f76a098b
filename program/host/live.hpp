// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include <takt/core/duration.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/runtime/run_watch.hpp>

namespace takt::program {

/// What a run has seen so far, on standard error for as long as it lives: a table that is rewritten in place where that
/// is a terminal, and a line every few seconds where it is none.
class live_report {
 public:
  /// Pre: both outlive it, and have as many tasks.
  live_report(const runtime::run_watch& watch, const report::verdict_summary& proven);
  live_report(const live_report&) = delete;
  auto operator=(const live_report&) -> live_report& = delete;
  live_report(live_report&&) = delete;
  auto operator=(live_report&&) -> live_report& = delete;
  ~live_report();

 private:
  void show();
  void rewrite(ticks passed);

  const runtime::run_watch* watch_;
  const report::verdict_summary* proven_;
  bool is_terminal_;
  std::size_t shown_ = 0;  ///< lines of the table that is there
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace takt::program
