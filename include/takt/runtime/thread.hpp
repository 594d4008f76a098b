// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is small enough that all stacks of a run can be locked into memory.
inline constexpr std::size_t stack_bytes = std::size_t{1} << 20;

/// A thread with a bounded stack and exact timers, joined at the end of its scope.
class thread {
 public:
  thread() noexcept = default;
  explicit thread(std::function<void()> body) : body_{std::make_unique<std::function<void()>>(std::move(body))} {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    started_ = pthread_create(&handle_, &attributes, &enter, body_.get()) == 0;
    pthread_attr_destroy(&attributes);
  }
  thread(const thread&) = delete;
  auto operator=(const thread&) -> thread& = delete;
  thread(thread&& other) noexcept
      : body_{std::move(other.body_)}, handle_{other.handle_}, started_{std::exchange(other.started_, false)} {}
  auto operator=(thread&& other) noexcept -> thread& {
    join();
    body_ = std::move(other.body_);
    handle_ = other.handle_;
    started_ = std::exchange(other.started_, false);
    return *this;
  }
  ~thread() { join(); }

  /// Returns false when the system had no thread to give.
  [[nodiscard]] auto started() const noexcept -> bool { return started_; }
  /// Pre: started.
  [[nodiscard]] auto native_handle() const noexcept -> pthread_t {
    TAKT_EXPECTS(started_);
    return handle_;
  }
  void join() noexcept {
    if (std::exchange(started_, false)) { pthread_join(handle_, nullptr); }
  }

 private:
  static auto enter(void* body) -> void* {
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    (*static_cast<std::function<void()>*>(body))();
    return nullptr;
  }

  std::unique_ptr<std::function<void()>> body_;
  pthread_t handle_{};
  bool started_ = false;
};

/// Puts a thread into SCHED_FIFO, or back into the ordinary class for priority 0. Returns 0 or the error number.
[[nodiscard]] inline auto schedule(pthread_t thread, int priority) noexcept -> int {
  const sched_param parameters{.sched_priority = priority};
  return pthread_setschedparam(thread, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &parameters);
}

}  // namespace takt::inline TAKT_ABI::runtime
