// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include <pthread.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// A thread that does one visit after the other, and only while it may. Time of a processor is consumed then, and code
/// of other units waits at its pause points. Code of processors goes on meanwhile.
class visit_thread final : public visit_worker, private pause_point {
 public:
  /// Reports visits that are done until `end`, an instant, has come.
  visit_thread(worker_reports reports, const std::atomic<ticks>& end)
      : reports_{std::move(reports)}, end_{&end}, thread_{[this] { serve(); }} {}
  ~visit_thread() override { close(); }

  [[nodiscard]] auto started() const noexcept -> bool { return thread_.started(); }
  [[nodiscard]] auto handle() const noexcept -> pthread_t { return thread_.native_handle(); }

  void assign(const dispatched_visit& e) override {
    const std::lock_guard lock{mutex_};
    visit_ = e;
    has_visit_ = true;
    changed_.notify_all();
  }
  void start(const held_unit& where) override {
    const std::lock_guard lock{mutex_};
    unit_ = where.unit;
    may_run_ = true;
    changed_.notify_all();
  }
  void stop() override {
    const std::lock_guard lock{mutex_};
    may_run_ = false;
  }
  void close() override {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

 private:
  [[nodiscard]] auto is_wanted() const noexcept -> bool override { return !may_run_; }
  [[nodiscard]] auto unit() const noexcept -> std::int32_t override { return unit_; }
  auto pass() -> bool override {
    if (may_run_) { return !closing_; }
    reports_.paused(visit_.visit);
    return wait();
  }

  void serve() {
    for (;;) {
      {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return closing_ || (has_visit_ && may_run_); });
        if (closing_) { return; }
        has_visit_ = false;
      }
      if (visit_.body != nullptr) {
        (*visit_.body)(visit_.job, *this);
      } else if (visit_.code != nullptr) {
        (*visit_.code)(visit_.job);
      } else if (!burn()) {
        return;
      }
      reports_.done(visit_.visit, now());
    }
  }
  /// Returns false where the run ended first.
  auto burn() -> bool {
    const ticks target = later(thread_time(), visit_.length);
    while (thread_time() < target) {
      if (end_->load() <= now()) { return false; }
      if (!may_run_ && !wait()) { return false; }
    }
    return true;
  }
  /// Waits until it may run; returns false when it is to end.
  auto wait() -> bool {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return closing_ || may_run_; });
    return !closing_;
  }

  worker_reports reports_;
  const std::atomic<ticks>* end_;
  inheriting_mutex mutex_;
  condition changed_;
  dispatched_visit
      visit_{};  ///< read without the mutex by the thread that has taken it: the next one comes when it is done
  bool has_visit_ = false;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> may_run_ = false;
  std::atomic<std::int32_t> unit_ = 0;
  thread thread_;
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
