// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/futex.hpp>

namespace takt::runtime {

/// How many locks a thread can hold or wait for at once.
inline constexpr std::size_t max_claims = 16;

namespace detail {

struct lock_claim;
struct thread_record;
class domain_turn;

/// What threads and domains need to know of a lock.
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

/// One thread's request to one lock, from before it is issued until it is complete. The first members are
/// the owner's, and constant while the lock knows of the claim; the other members belong to whoever has the domain's
/// mutex.
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

/// A thread as its locks see it. Lives as long as the thread.
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

/// At the end of a thread, whatever ends it: gives back what it still holds.
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

/// Whether the class is SCHED_DEADLINE, which comes before every priority and is left as it is.
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

}  // namespace detail

/// Tells the locks that the calling thread has another scheduling class or priority than when it first used one. Pre:
/// it holds none.
inline void reread_priority() noexcept {
  if (detail::this_thread.known) { detail::read_scheduling(detail::this_thread); }
}

}  // namespace takt::runtime
