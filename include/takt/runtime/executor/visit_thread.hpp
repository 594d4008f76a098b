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

namespace takt::inline TAKT_ABI::runtime {

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

  void assign(const errand& e) override {
    const std::lock_guard lock{mutex_};
    errand_ = e;
    has_errand_ = true;
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
    reports_.paused(errand_.visit);
    return wait();
  }

  void serve() {
    for (;;) {
      {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return closing_ || (has_errand_ && may_run_); });
        if (closing_) { return; }
        has_errand_ = false;
      }
      if (errand_.body != nullptr) {
        (*errand_.body)(errand_.job, *this);
      } else if (errand_.code != nullptr) {
        (*errand_.code)(errand_.job);
      } else if (!burn()) {
        return;
      }
      reports_.done(errand_.visit, now());
    }
  }
  /// Returns false where the run ended first.
  auto burn() -> bool {
    const ticks target = later(thread_time(), errand_.length);
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
  errand errand_{};  ///< read without the mutex by the thread that has taken it: the next one comes when it is done
  bool has_errand_ = false;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> may_run_ = false;
  std::atomic<std::int32_t> unit_ = 0;
  thread thread_;
};

}  // namespace takt::inline TAKT_ABI::runtime
