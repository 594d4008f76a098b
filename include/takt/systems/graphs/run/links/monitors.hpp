// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>  // NOLINT(*-deprecated-headers): kill is POSIX
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/descriptor.hpp>
#include <takt/runtime/locking/futex.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Is a process as one word: its number (22 bits) and when it started, so that a number that is used again is another
/// process. 0 is none.
using process_word = std::uint64_t;

inline constexpr int start_bits = 42;

[[nodiscard]] constexpr auto process_of(process_word word) noexcept -> pid_t {
  return static_cast<pid_t>(word >> start_bits);
}

/// Returns when a process started, in ticks of the system since it booted; 0 if that cannot be read.
[[nodiscard]] inline auto start_of(pid_t process) noexcept -> std::uint64_t {
  std::array<char, 32> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(process));
  const descriptor file{open(path.data(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 1024> text{};
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) { return 0; }
  // The name is in parentheses and may have any character; the start is 20 fields after it.
  const char* at = std::strrchr(text.data(), ')');
  for (int field = 0; at != nullptr && field < 20; ++field) { at = std::strchr(at + 1, ' '); }
  return at == nullptr ? 0 : std::strtoull(at, nullptr, 10) & ((std::uint64_t{1} << start_bits) - 1);
}

[[nodiscard]] inline auto own_word() noexcept -> process_word {
  const pid_t self = getpid();
  return (static_cast<process_word>(self) << start_bits) | start_of(self);
}

/// Returns whether the process has ended, also if its parent has not asked for it yet. False if that is unknown.
[[nodiscard]] inline auto has_ended(process_word word) noexcept -> bool {
  const pid_t process = process_of(word);
  const descriptor file{static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
  if (!file) { return errno == ESRCH || (kill(process, 0) != 0 && errno == ESRCH); }
  pollfd what{file.get(), POLLIN, 0};
  if (poll(&what, 1, 0) > 0) { return true; }
  const std::uint64_t start = start_of(process);
  const std::uint64_t claimed = word & ((process_word{1} << start_bits) - 1);
  return start != 0 && claimed != 0 && start != claimed;
}

/// Returns the namespace within which process numbers mean something. 0 if it cannot be read.
[[nodiscard]] inline auto pid_namespace() noexcept -> std::uint64_t {
  struct stat facts{};
  return stat("/proc/self/ns/pid", &facts) == 0 ? static_cast<std::uint64_t>(facts.st_ino) : 0;
}

}  // namespace detail

/// Is the place of one thread among those who share a consumer's monitor. Nodes have numbers, and one thread each.
struct monitor_seat {
  std::uint32_t own = 0;
  std::uint64_t all = 0;  ///< a bit per node that uses the monitor
  const std::atomic<detail::process_word>* claims = nullptr;
  int policy = -1;  ///< what the thread has left while it is in the monitor
  sched_param parameters{};
};

namespace detail {

/// Says how the counters of one consumer are guarded. `state` lies in shared memory; every change that is made inside
/// is one store, so that there is nothing to repair when a process is killed inside. Functions give a number of the
/// system (errno), 0 for success; `reset` is called by the thread that takes over a seat from a process that has ended.
template <class M>
concept TokenMonitor = requires(typename M::state& state, monitor_seat& seat, ticks until) {
  { M::number } -> std::convertible_to<std::uint32_t>;
  { M::setup(state) } -> std::same_as<int>;
  { M::enter(state, seat, until) } -> std::same_as<int>;
  M::leave(state, seat);
  M::reset(state, seat.own);
};

}  // namespace detail

/// Is the operating system's: a robust mutex of several processes with priority inheritance. Its condition is the futex
/// of the consumer: pthread_cond_signal can block for ever once a waiter of another process was killed.
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
      const ticks at = later(detail::read_clock(CLOCK_REALTIME), until <= now() ? 0 : until - now());
      const timespec t{static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
      error = pthread_mutex_timedlock(&s.mutex, &t);
    }
    return error == EOWNERDEAD ? pthread_mutex_consistent(&s.mutex) : error;
  }
  static void leave(state& s, monitor_seat& /*seat*/) noexcept { (void)pthread_mutex_unlock(&s.mutex); }
  static void reset(state& /*state*/, std::uint32_t /*seat*/) noexcept {}
};

/// Is a spin lock in the order of tickets. A program cannot switch off preemption on Linux: its instructions for that
/// are privileged, and the kernel has no flag for it. Instead the thread runs at `Ceiling` (SCHED_FIFO) from before it
/// draws a ticket until it has left, so that only threads above preempt it; with 0 it keeps its priority. In both cases
/// a waiter that has spun for long sleeps for a moment, since it may occupy the holder's processor. Each ticket lies in
/// the seat of its thread, where that of a process that has ended is found and removed.
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
  /// Returns those of `others` that go first, or do not yet know.
  [[nodiscard]] static auto still_before(state& s, std::uint64_t others, std::uint64_t ticket) noexcept
      -> std::uint64_t {
    std::uint64_t out = 0;
    for (std::uint64_t left = others; left != 0; left &= left - 1) {
      const std::uint64_t word = s.seats[static_cast<std::size_t>(std::countr_zero(left))];
      if (word != 0 && (word & ~drawing) < ticket) { out |= left & -left; }
    }
    return out;
  }
  static void forget_ended(state& s, const monitor_seat& seat, std::uint64_t others) noexcept {
    for (; others != 0; others &= others - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(others));
      std::uint64_t word = s.seats[i];
      const detail::process_word owner = seat.claims[i];
      if (word != 0 && owner != 0 && detail::has_ended(owner)) { (void)s.seats[i].compare_exchange_strong(word, 0); }
    }
  }
};

}  // namespace takt::inline TAKT_ABI::runtime
