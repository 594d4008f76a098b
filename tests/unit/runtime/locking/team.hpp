// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/limited_wait.hpp"

namespace locking_tests {

/// The code of the `std::system_error` that a call ends with.
template <class Call>
auto error_of(Call call) -> std::error_code {
  try {
    call();
  } catch (const std::system_error& e) { return e.code(); }
  return {};
}

using takt_tests::await;

/// Real-time priority at which the system runs a thread; 0 for an ordinary one.
inline auto priority_of(pid_t thread) -> int {
  sched_param p{};
  return sched_getparam(thread, &p) == 0 ? p.sched_priority : -1;
}

/// A thread of real-time priority, or an ordinary one for 0.
class prioritized_thread {
 public:
  prioritized_thread(int priority, std::function<void()> body)
      : thread_{[this, priority, body = std::move(body)] {
          if (priority > 0) {
            const sched_param p{.sched_priority = priority};
            (void)sched_setscheduler(0, SCHED_FIFO, &p);
          }
          id_ = static_cast<pid_t>(syscall(SYS_gettid));
          body();
        }} {
    await([this] { return id_ != 0; });
  }
  [[nodiscard]] auto priority() const -> int { return priority_of(id_); }
  void join() { thread_.join(); }

 private:
  std::atomic<pid_t> id_{0};
  std::jthread thread_;
};

/// Whether a child process that runs this is ended by the signal.
template <class Body>
auto ends_by_signal(int signal, Body body) -> bool {
  const pid_t child = fork();
  if (child == 0) {
    (void)std::signal(signal, SIG_DFL);
    (void)close(STDERR_FILENO);
    body();
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

}  // namespace locking_tests
