// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include <pthread.h>
#include <sched.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/processing_graphs/process_word.hpp>

namespace takt::runtime {

/// The place of one thread among those who share a consumer's monitor. Nodes have numbers, and one thread each.
struct monitor_seat {
  std::uint32_t own = 0;
  std::uint64_t all = 0;  ///< a bit per node that uses the monitor
  const std::atomic<detail::process_word>* claims = nullptr;
  int policy = -1;  ///< what the thread has left while it is in the monitor
  sched_param parameters{};
};

/// How the counters of one consumer are guarded. `state` lies in shared memory; every change that is made inside is one
/// store, so that there is nothing to repair when a process is killed inside. Functions give a number of the system
/// (errno), 0 for success; `reset` is called by whoever takes over a seat from a process that has ended.
template <class M>
concept TokenMonitor = requires(typename M::state& state, monitor_seat& seat, ticks until) {
  { M::number } -> std::convertible_to<std::uint32_t>;
  { M::setup(state) } -> std::same_as<int>;
  { M::enter(state, seat, until) } -> std::same_as<int>;
  M::leave(state, seat);
  M::reset(state, seat.own);
};

/// The operating system's: a robust mutex of several processes with priority inheritance. Its condition is the futex of
/// the consumer: pthread_cond_signal can block for ever once a waiter of another process was killed.
struct system_monitor {
  static constexpr std::uint32_t number = 1;
  struct state {
    pthread_mutex_t mutex;
  };

  [[nodiscard]] static auto setup(state& s) noexcept -> int {
    pthread_mutexattr_t a;
    int error = pthread_mutexattr_init(&a);
    if (error != 0) { return error; }
    error = pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    if (error == 0) { error = pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST); }
    if (error == 0) { error = pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT); }
    if (error == 0) { error = pthread_mutex_init(&s.mutex, &a); }
    (void)pthread_mutexattr_destroy(&a);
    return error;
  }
  [[nodiscard]] static auto enter(state& s, monitor_seat& /*seat*/, ticks until) noexcept -> int {
    int error = pthread_mutex_trylock(&s.mutex);
    if (error == EBUSY && until == detail::no_deadline) { error = pthread_mutex_lock(&s.mutex); }
    if (error == EBUSY) {
      // Mutexes with inheritance take limits of the wall clock alone on older systems.
      const ticks at = later(detail::read_clock(CLOCK_REALTIME), std::max<ticks>(0, until - now()));
      const timespec t{static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
      error = pthread_mutex_timedlock(&s.mutex, &t);
    }
    return error == EOWNERDEAD ? pthread_mutex_consistent(&s.mutex) : error;
  }
  static void leave(state& s, monitor_seat& /*seat*/) noexcept { (void)pthread_mutex_unlock(&s.mutex); }
  static void reset(state& /*state*/, std::uint32_t /*seat*/) noexcept {}
};

/// A spin lock in the order of tickets. A program cannot switch off preemption on Linux: its instructions for that are
/// privileged, and the kernel has no flag for it. Instead the thread runs at `Ceiling` (SCHED_FIFO) from before it
/// draws a ticket until it has left, so that only threads above preempt it; with 0 it keeps its priority. In both cases
/// a waiter that has spun for long sleeps for a moment, since it may keep the holder off its processor. Each ticket
/// lies in the seat of its thread, where that of a process that has ended is found and removed.
template <int Ceiling = 0>
struct ticket_monitor {
  static_assert(Ceiling >= 0 && Ceiling <= 99, "takt: SCHED_FIFO has priorities 1 to 99, and 0 keeps the thread's own");
  static constexpr std::uint32_t number = 2;
  struct state {
    std::atomic<std::uint64_t> next{1};
    std::array<std::atomic<std::uint64_t>, 64> seats{};  ///< 0, a ticket, or `drawing` and a bound
  };

  [[nodiscard]] static auto setup(state& /*fresh*/) noexcept -> int { return 0; }
  [[nodiscard]] static auto enter(state& s, monitor_seat& seat, ticks until) noexcept -> int {
    if (const int error = rise(seat); error != 0) { return error; }
    auto& own = s.seats[seat.own];
    own = drawing | s.next.load();
    const std::uint64_t ticket = s.next.fetch_add(1);
    own = ticket;
    std::uint64_t others = seat.all & ~(std::uint64_t{1} << seat.own);
    for (std::uint32_t rounds = 1; others != 0; ++rounds) {
      others = still_before(s, others, ticket);
      if (others == 0 || rounds % spins != 0) { continue; }
      forget_ended(s, seat, others);
      if (now() >= until) {
        leave(s, seat);
        return ETIMEDOUT;
      }
      sleep_until(now() + pause);
    }
    return 0;
  }
  static void leave(state& s, monitor_seat& seat) noexcept {
    s.seats[seat.own] = 0;
    if constexpr (Ceiling > 0) { (void)pthread_setschedparam(pthread_self(), seat.policy, &seat.parameters); }
  }
  static void reset(state& s, std::uint32_t seat) noexcept {
    s.next.fetch_add(1);  // no word of the seat is ever the same again
    s.seats[seat] = 0;
  }

 private:
  static constexpr std::uint64_t drawing = std::uint64_t{1} << 63;
  static constexpr std::uint32_t spins = 4096;
  static constexpr ticks pause = 50'000;

  [[nodiscard]] static auto rise(monitor_seat& seat) noexcept -> int {
    if constexpr (Ceiling > 0) {
      if (const int error = pthread_getschedparam(pthread_self(), &seat.policy, &seat.parameters); error != 0) {
        return error;
      }
      if (seat.policy == SCHED_FIFO && seat.parameters.sched_priority >= Ceiling) { return 0; }
      const sched_param high{.sched_priority = Ceiling};
      return pthread_setschedparam(pthread_self(), SCHED_FIFO, &high);
    } else {
      (void)seat;
      return 0;
    }
  }
  /// Those of `others` who go first, or do not yet know.
  [[nodiscard]] static auto still_before(state& s, std::uint64_t others, std::uint64_t ticket) noexcept
      -> std::uint64_t {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < s.seats.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((others & bit) == 0) { continue; }
      const std::uint64_t word = s.seats[i];
      if (word != 0 && (word & ~drawing) < ticket) { out |= bit; }
    }
    return out;
  }
  static void forget_ended(state& s, const monitor_seat& seat, std::uint64_t others) noexcept {
    for (std::size_t i = 0; i < s.seats.size(); ++i) {
      if ((others & (std::uint64_t{1} << i)) == 0) { continue; }
      std::uint64_t word = s.seats[i];
      const detail::process_word owner = seat.claims[i];
      if (word != 0 && owner != 0 && detail::has_ended(owner)) { (void)s.seats[i].compare_exchange_strong(word, 0); }
    }
  }
};

}  // namespace takt::runtime
