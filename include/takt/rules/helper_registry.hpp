// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/choice.hpp>
#include <takt/rules/helper_threads.hpp>

namespace takt::inline TAKT_ABI {

/// Says which threads of a process a task takes as its helpers.
enum class helper_scope : std::uint8_t {
  current,             ///< those that run
  future,              ///< those that start from now on
  current_and_future,  ///< both
};

[[nodiscard]] constexpr auto last_of(helper_scope) noexcept -> helper_scope { return helper_scope::current_and_future; }

namespace detail {

inline constexpr std::int32_t helps_nobody = -1;

}  // namespace detail

/// Threads of one process and the task that each of them helps. A GPU runtime starts threads that the program does not
/// see, so a task takes all that there are, or all that will come. A task's own thread is no helper. Threads are
/// numbered from 0 to MaxThreads - 1 by the host.
/// Source: Elliott 2015, section 3.2.5.2.
template <std::size_t MaxThreads>
class helper_registry {
 public:
  constexpr helper_registry() noexcept { helped_.fill(detail::helps_nobody); }

  /// False, and no change: the number is out of range or in use.
  [[nodiscard]] constexpr auto start(std::size_t thread, bool runs_jobs = false) noexcept -> bool {
    if (thread >= MaxThreads || states_[thread] != state::absent) { return false; }
    states_[thread] = runs_jobs ? state::runs_jobs : state::free;
    helped_[thread] = runs_jobs ? detail::helps_nobody : future_;
    return true;
  }
  constexpr void end(std::size_t thread) noexcept {
    if (thread >= MaxThreads) { return; }
    states_[thread] = state::absent;
    helped_[thread] = detail::helps_nobody;
  }

  /// Threads that help another task already stay with it; of two tasks that ask for those to come the later one has
  /// them. Pre: task >= 0, and the scope is known.
  constexpr void take(std::int32_t task, helper_scope scope) noexcept {
    TAKT_EXPECTS(task >= 0 && is_known(scope));
    switch (scope) {
      case helper_scope::current: take_free(task); break;
      case helper_scope::future: future_ = task; break;
      case helper_scope::current_and_future:
        future_ = task;
        take_free(task);
        break;
    }
  }
  /// The task has no helpers any more.
  constexpr void release(std::int32_t task) noexcept {
    if (future_ == task) { future_ = detail::helps_nobody; }
    for (std::int32_t& helped : helped_) {
      if (helped == task) { helped = detail::helps_nobody; }
    }
  }

  /// Returns the task that a thread helps, or `helps_nobody`.
  [[nodiscard]] constexpr auto helped_by(std::size_t thread) const noexcept -> std::int32_t {
    return thread < MaxThreads ? helped_[thread] : detail::helps_nobody;
  }
  /// Returns the rank of a thread, given the present job of each task: its own, or that which a helped job lends.
  [[nodiscard]] constexpr auto rank_of(std::size_t thread, const thread_rank& own,
                                       std::span<const helped_job> jobs) const noexcept -> thread_rank {
    const std::int32_t task = helped_by(thread);
    if (task == detail::helps_nobody || static_cast<std::size_t>(task) >= jobs.size()) { return own; }
    return helper_rank(own, jobs.subspan(static_cast<std::size_t>(task), 1));
  }

 private:
  enum class state : std::uint8_t { absent, free, runs_jobs };

  constexpr void take_free(std::int32_t task) noexcept {
    for (std::size_t t = 0; t < MaxThreads; ++t) {
      if (states_[t] == state::free && helped_[t] == detail::helps_nobody) { helped_[t] = task; }
    }
  }

  std::array<state, MaxThreads> states_{};
  std::array<std::int32_t, MaxThreads> helped_{};
  std::int32_t future_ = detail::helps_nobody;
};

}  // namespace takt::inline TAKT_ABI
