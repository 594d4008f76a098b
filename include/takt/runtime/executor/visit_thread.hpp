// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include <pthread.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// A visit of a job as work for a thread: CPU time to consume, or code to call.
struct errand {
  std::uint32_t visit = 0;
  std::uint64_t job = 0;
  ticks length = 0;
  const std::function<void(std::uint64_t)>* code = nullptr;
};

/// A thread that does one errand after the other and consumes CPU time only while it may: whoever schedules it says
/// when. Code that was called goes on meanwhile, since nothing can stop it but the operating system.
class visit_thread {
 public:
  /// `done(visit)` is called by the thread itself at the end of each errand, until `stop`, an instant, has come.
  visit_thread(std::function<void(std::uint32_t)> done, const std::atomic<ticks>& stop)
      : done_{std::move(done)}, stop_{&stop}, thread_{[this] { serve(); }} {}
  visit_thread(const visit_thread&) = delete;
  auto operator=(const visit_thread&) -> visit_thread& = delete;
  ~visit_thread() { close(); }

  [[nodiscard]] auto started() const noexcept -> bool { return thread_.started(); }
  [[nodiscard]] auto handle() const noexcept -> pthread_t { return thread_.native_handle(); }

  /// Pre: the errand before is done.
  void assign(const errand& e) {
    const std::lock_guard lock{mutex_};
    errand_ = e;
    has_errand_ = true;
    changed_.notify_all();
  }
  void let(bool run) {
    const std::lock_guard lock{mutex_};
    may_run_ = run;
    if (run) { changed_.notify_all(); }
  }
  /// Ends the thread behind the code that it is in.
  void close() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

 private:
  void serve() {
    for (;;) {
      {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return closing_ || (has_errand_ && may_run_); });
        if (closing_) { return; }
        has_errand_ = false;
      }
      if (errand_.code != nullptr) {
        (*errand_.code)(errand_.job);
      } else if (!burn()) {
        return;
      }
      done_(errand_.visit);
    }
  }
  /// False where the run ended first.
  auto burn() -> bool {
    const ticks target = later(thread_time(), errand_.length);
    while (thread_time() < target) {
      if (stop_->load() <= now()) { return false; }
      if (may_run_) { continue; }
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return closing_ || may_run_; });
      if (closing_) { return false; }
    }
    return true;
  }

  std::function<void(std::uint32_t)> done_;
  const std::atomic<ticks>* stop_;
  inheriting_mutex mutex_;
  condition changed_;
  errand errand_{};
  bool has_errand_ = false;
  bool closing_ = false;
  std::atomic<bool> may_run_ = false;
  thread thread_;
};

}  // namespace takt::runtime
