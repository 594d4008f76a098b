// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/hosted.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <ratio>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/futex.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Bounds how many locks a thread can hold or wait for at once.
inline constexpr std::size_t max_claims = 16;

}  // namespace detail

inline constexpr std::int64_t priority_of_thread = std::numeric_limits<std::int64_t>::max();

/// Holds what a thread says of itself when it asks for a lock.
struct lock_call {
  /// The smaller comes first; by default minus the real-time priority that the thread had when it first used a lock.
  std::int64_t priority = priority_of_thread;
  duration length{};                 ///< declared length of the critical section, 0 where no rule asks for it
  std::int32_t task = unnamed_task;  ///< which task the job belongs to, for heuristics
  bool spins = false;                ///< waits busily; under SCHED_FIFO only where the holder has another core
};

namespace detail {

struct lock_claim;
struct thread_record;
class domain_turn;

/// Gives what threads and domains need to know of a lock.
class any_lock {
 public:
  any_lock() noexcept = default;
  any_lock(const any_lock&) = delete;
  auto operator=(const any_lock&) -> any_lock& = delete;

  virtual void reprioritize(lock_claim& c, const priority_point& p, domain_turn& t) noexcept = 0;
  /// Releases what a thread still held when it ended.
  virtual void abandon(lock_claim& c) noexcept = 0;

 protected:
  ~any_lock() = default;
};

enum class turn : std::uint32_t { waiting, granted, stopped };  // NOLINT(performance-enum-size): a futex word

/// One thread's request to one lock, from before it is issued until it is complete. The first members are the
/// owner's, and constant while the lock knows of the claim; the other members belong to the thread that has the
/// domain's mutex.
struct lock_claim {
  any_lock* lock = nullptr;
  thread_record* owner = nullptr;
  lock_request request{};
  bool spins = false;
  request_id client = no_request;
  priority_node node = -1;
  priority_edge edge = no_edge;  ///< to the node that inherits from this one because of this claim
  lock_claim* next = nullptr;    ///< of the same thread in the same domain
  futex_word turn{};
};

/// Is a thread as its locks see it. It lives as long as the thread.
struct thread_record {
  bool known = false;
  pid_t id = 0;
  int policy = SCHED_OTHER;
  int priority = 0;        ///< of the real-time classes, above all others for SCHED_DEADLINE; 0 outside them
  std::uint32_t free = 0;  ///< claims not in use, one bit each
  std::array<lock_claim, max_claims> claims{};

  [[nodiscard]] auto find(const any_lock* lock, const lock_claim* except = nullptr) noexcept -> lock_claim* {
    for (std::uint32_t used = ~free & all_free; used != 0; used &= used - 1) {
      lock_claim& c = claims[static_cast<std::size_t>(std::countr_zero(used))];
      if (c.lock == lock && &c != except) { return &c; }
    }
    return nullptr;
  }
  [[nodiscard]] auto take() -> lock_claim& {
    if (free == 0) { refuse(); }
    lock_claim& c = claims[static_cast<std::size_t>(std::countr_zero(free))];
    free &= free - 1;
    return c;
  }
  void give_back(lock_claim& c) noexcept {
    c.lock = nullptr;
    free |= std::uint32_t{1} << (&c - claims.data());
  }

  static constexpr std::uint32_t all_free = (std::uint32_t{1} << max_claims) - 1;

 private:
  /// Makes the record the calling thread's, or says that it has no claim left.
  void refuse();
};

inline constinit thread_local thread_record this_thread{};

/// Gives back what a thread still holds when it ends, whatever ends it.
class end_of_thread {
 public:
  end_of_thread() noexcept = default;
  end_of_thread(const end_of_thread&) = delete;
  auto operator=(const end_of_thread&) -> end_of_thread& = delete;
  ~end_of_thread() {
    if (!watched_) { return; }
    for (lock_claim& c : this_thread.claims) {
      if (c.lock != nullptr) { c.lock->abandon(c); }
    }
  }
  void watch() noexcept { watched_ = true; }

 private:
  bool watched_ = false;
};

inline thread_local end_of_thread this_end;

/// Returns whether the class is SCHED_DEADLINE, which comes before every priority and is left as it is.
[[nodiscard]] constexpr auto has_deadlines(int policy) noexcept -> bool {
  return (policy & ~SCHED_RESET_ON_FORK) == SCHED_DEADLINE;
}

inline void read_scheduling(thread_record& t) noexcept {
  sched_param parameters{};
  t.policy = sched_getscheduler(0);
  t.priority = sched_getparam(0, &parameters) == 0 ? parameters.sched_priority : 0;
  if (has_deadlines(t.policy)) { t.priority = sched_get_priority_max(SCHED_FIFO) + 1; }
}

inline void thread_record::refuse() {
  if (known) {
    throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                            "takt: a thread uses too many locks at once"};
  }
  known = true;
  id = static_cast<pid_t>(syscall(SYS_gettid));
  free = all_free;
  for (lock_claim& c : claims) { c.owner = this; }
  read_scheduling(*this);
  this_end.watch();
}

/// Pre: the calling thread has a claim.
[[nodiscard]] inline auto point_of(const lock_call& call) noexcept -> std::int64_t {
  TAKT_EXPECTS(this_thread.known);
  return call.priority != priority_of_thread ? call.priority : -std::int64_t{this_thread.priority};
}

/// Returns a span in nanoseconds, or a little longer; the first or last number where it does not fit, never 0.
template <class Rep, class Period>
[[nodiscard]] constexpr auto saturated(const std::chrono::duration<Rep, Period>& span) noexcept -> ticks {
  using unit = std::ratio_divide<Period, std::nano>;
  using limits = std::numeric_limits<ticks>;
  if constexpr (std::is_floating_point_v<Rep>) {
    const auto exact = static_cast<long double>(span.count()) * unit::num / unit::den;
    if (!(exact < 0x1p63L)) { return exact > 0 ? limits::max() : 0; }
    if (exact <= -0x1p63L) { return limits::min(); }
    const auto cut = static_cast<ticks>(exact);
    return static_cast<long double>(cut) < exact ? cut + 1 : cut;
  } else {
    if (std::cmp_greater(span.count(), limits::max())) { return limits::max(); }
    const auto count = static_cast<ticks>(span.count());
    const ticks rest = count % unit::den;
    ticks whole = 0;
    ticks out = 0;
    if (!checked_multiply(count / unit::den, ticks{unit::num}, whole) ||
        !checked_add(whole, rest > 0 ? ceil_divide(rest * unit::num, ticks{unit::den}) : rest * unit::num / unit::den,
                     out)) {
      return count < 0 ? limits::min() : limits::max();
    }
    return out;
  }
}

/// Returns the instant of `now()` that is a span away; at once where that is negative, never where it does not fit.
template <class Rep, class Period>
[[nodiscard]] auto deadline_in(const std::chrono::duration<Rep, Period>& span) -> ticks {
  return later(now(), std::max<ticks>(0, saturated(span)));
}
/// Returns the instant of `now()` at which a time of any clock comes, or a little later. It is 0 for all that have
/// come, and `no_deadline` for those beyond what `ticks` hold.
template <class Clock, class Duration>
[[nodiscard]] auto deadline_at(const std::chrono::time_point<Clock, Duration>& t) -> ticks {
  const ticks wanted = saturated(t.time_since_epoch());
  const ticks present = saturated(Clock::now().time_since_epoch());
  if (wanted <= present) { return 0; }
  ticks left = 0;
  const bool fits = wanted != no_deadline && checked_subtract(wanted, present, left);
  return fits ? later(now(), left) : no_deadline;
}

[[noreturn]] inline void terminate(const char* sentence) noexcept {
  (void)std::fputs(sentence, stderr);
  (void)std::fputc('\n', stderr);
  std::abort();
}

/// Makes a call whose error cannot be reported any more: in destructors and at the end of a thread.
template <class Call>
void or_terminate(Call call) noexcept {
  try {
    call();
  } catch (const std::exception& e) { terminate(e.what()); }
}

[[nodiscard]] inline auto is_granted(const lock_claim& c) noexcept -> bool {
  return c.turn.load(std::memory_order_acquire) == static_cast<std::uint32_t>(turn::granted);
}

/// Suspends the calling thread until its claim is granted, the deadline has passed or a stop was requested. False: not
/// granted so far; only another look within a turn is final.
[[nodiscard]] inline auto suspend(lock_claim& c, ticks deadline, const std::stop_token& stop) -> bool {
  constexpr auto waiting = static_cast<std::uint32_t>(turn::waiting);
  const std::stop_callback on_stop{stop, [&c] {
                                     auto expected = waiting;
                                     (void)c.turn.compare_exchange_strong(expected,
                                                                          static_cast<std::uint32_t>(turn::stopped));
                                     futex_wake(&c.turn);
                                   }};
  while (c.turn.load(std::memory_order_acquire) == waiting &&
         (c.spins ? now() < deadline : futex_wait(c.turn, waiting, deadline))) {}
  return is_granted(c);
}

/// A claim that is given back once, by `Guard::give_back(owner, claim)`: at the latest when the guard is destroyed,
/// where an error ends the program.
template <class Guard, class Owner>
class claim_guard {
 public:
  claim_guard() noexcept = default;
  claim_guard(Owner& owner, lock_claim& claim) noexcept : owner_{&owner}, claim_{&claim} {}
  claim_guard(claim_guard&& other) noexcept : owner_{other.owner_}, claim_{std::exchange(other.claim_, nullptr)} {}
  claim_guard(const claim_guard&) = delete;
  auto operator=(const claim_guard&) -> claim_guard& = delete;
  auto operator=(claim_guard&&) -> claim_guard& = delete;
  ~claim_guard() {
    if (claim_ == nullptr) { return; }
    or_terminate([this] { end(); });
  }

  [[nodiscard]] explicit operator bool() const noexcept { return claim_ != nullptr; }

 protected:
  /// Error: that of `give_back`, and then it still has the claim.
  void end() {
    if (claim_ == nullptr) { return; }
    Guard::give_back(*owner_, *claim_);
    claim_ = nullptr;
  }

  Owner* owner_ = nullptr;
  lock_claim* claim_ = nullptr;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
