// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include <takt/rules/priority_server.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

/// Gives one copy engine to one task at a time, the waiting task of highest priority first, and never takes it back.
/// Drivers serve copies in the order of submission; behind an arbiter they see one at a time.
///
/// Whoever learns that a copy has ended releases the engine, and the next copy is started there and then. A design in
/// which the next task's thread had to wake up first would leave the engine idle while that thread waits for a core:
/// blocking that no analysis counts. Source: Zou et al. 2021, section 5.3.
template <std::size_t MaxTasks>
class copy_arbiter {
 public:
  /// Asks for the engine. `granted` is called once the engine is the task's: within this call, or within the `release`
  /// that frees it. Pre: the task neither waits for the engine nor holds it.
  void request(rank task, completion granted) {
    take_turns([&] {
      server_.request(task);
      granted_[static_cast<std::size_t>(task)] = granted;
    });
  }

  /// Frees the engine and grants it to the next. Pre: a task holds it.
  void release() {
    take_turns([this] { server_.complete(); });
  }

  /// As `request`, for a thread that copies by itself: suspends it until the engine is the task's.
  void acquire(rank task) {
    event turn;
    request(task, notify<&event::signal>(&turn));
    turn.wait();
  }

  [[nodiscard]] auto holder() -> rank {
    const std::lock_guard lock{mutex_};
    return server_.running();
  }
  [[nodiscard]] auto waits(rank task) -> bool {
    const std::lock_guard lock{mutex_};
    return server_.waits(task);
  }

 private:
  template <class Change>
  void take_turns(Change change) {
    completion next;
    {
      const std::lock_guard lock{mutex_};
      change();
      if (const rank started = server_.decide().started; started != nobody) {
        next = granted_[static_cast<std::size_t>(started)];
      }
    }
    next();
  }

  inheriting_mutex mutex_;
  priority_server<preemption::forbidden, MaxTasks> server_;
  std::array<completion, MaxTasks> granted_{};
};

}  // namespace takt::runtime
