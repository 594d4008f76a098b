// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <system_error>

#include <takt/core/number.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/held.hpp>
#include <takt/runtime/locking/lock_call.hpp>
#include <takt/runtime/locking/lock_core.hpp>
#include <takt/runtime/locking/lock_domain.hpp>
#include <takt/runtime/locking/lone_request.hpp>
#include <takt/runtime/locking/suspend.hpp>
#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime {

/// A locking protocol for threads: the state machine behind the short mutex of its domain, waiters suspended until the
/// unit is theirs. Whoever comes to a lock that nobody uses takes it by one atomic exchange; the state machine hears of
/// the first request when a second one comes.
///
/// Works with `std::unique_lock`, `std::lock_guard` and `std::scoped_lock`; with k > 1, too, `unlock` gives back what
/// the calling thread holds. What a thread holds when it ends is given back and counted.
/// Error: `std::system_error` with `operation_not_permitted` where another thread or nobody holds the lock,
/// `resource_deadlock_would_occur` where the thread holds it already or its wait would close a circle, and
/// `resource_unavailable_try_again` where there are more threads than the protocol or the domain has room for, or the
/// thread has more than `max_claims` locks. A lock that is destroyed in use ends the program with a sentence.
template <LockingProtocol Protocol>
class protocol_lock final : public detail::lock_core<Protocol> {
 public:
  using hold = held<protocol_lock>;

  explicit protocol_lock(const Protocol& protocol = {}) : core{nullptr, protocol} {}
  explicit protocol_lock(lock_domain& domain, const Protocol& protocol = {}) : core{&domain, protocol} {}
  protocol_lock(const protocol_lock&) = delete;
  auto operator=(const protocol_lock&) -> protocol_lock& = delete;
  ~protocol_lock() {
    if (word_.load(std::memory_order_acquire) > shared) {
      detail::terminate("takt: a lock is destroyed while a thread holds it");
    }
  }

  [[nodiscard]] auto acquire(const lock_call& call = {}) -> hold {
    return {*this, *claim(call, detail::no_deadline, {})};
  }
  /// Nothing is held when a stop ended the waiting.
  [[nodiscard]] auto acquire(const std::stop_token& stop, const lock_call& call = {}) -> hold {
    return held_or_not(claim(call, detail::no_deadline, stop));
  }
  /// Nothing is held, and nobody has noticed, when the request would have to wait.
  [[nodiscard]] auto try_acquire(const lock_call& call = {}) -> hold { return held_or_not(try_claim(call)); }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_acquire_until(const std::chrono::time_point<Clock, Duration>& time, const lock_call& call = {},
                                       const std::stop_token& stop = {}) -> hold {
    return held_or_not(claim(call, detail::deadline_at(time), stop));
  }
  template <class Rep, class Period>
  [[nodiscard]] auto try_acquire_for(const std::chrono::duration<Rep, Period>& span, const lock_call& call = {},
                                     const std::stop_token& stop = {}) -> hold {
    return try_acquire_until(std::chrono::steady_clock::now() + span, call, stop);
  }

  void lock() { (void)claim({}, detail::no_deadline, {}); }
  [[nodiscard]] auto try_lock() -> bool { return try_claim({}) != nullptr; }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_lock_until(const std::chrono::time_point<Clock, Duration>& time) -> bool {
    return claim({}, detail::deadline_at(time), {}) != nullptr;
  }
  template <class Rep, class Period>
  [[nodiscard]] auto try_lock_for(const std::chrono::duration<Rep, Period>& span) -> bool {
    return try_lock_until(std::chrono::steady_clock::now() + span);
  }
  void unlock() {
    detail::lock_claim* c = detail::this_thread.find(this);
    if (c == nullptr) { core::refuse_release(); }
    release(*c);
  }

 private:
  friend hold;
  using core = detail::lock_core<Protocol>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;
  using thread_record = detail::thread_record;

  // The word: nobody uses the lock, the protocol knows of all requests, or the claim of the only one.
  static constexpr std::uintptr_t unused = 0;
  static constexpr std::uintptr_t shared = 1;
  static constexpr std::uintptr_t at_rest = lone_requests_pass<Protocol> ? unused : shared;

  [[nodiscard]] static auto name_of(const lock_claim& c) noexcept -> std::uintptr_t {
    return reinterpret_cast<std::uintptr_t>(&c);
  }
  [[nodiscard]] auto held_or_not(lock_claim* c) noexcept -> hold { return c == nullptr ? hold{} : hold{*this, *c}; }

  [[nodiscard]] auto take_alone(const lock_claim& c) noexcept -> bool {
    if constexpr (at_rest == shared) { return false; }
    std::uintptr_t expected = unused;
    return word_.compare_exchange_strong(expected, name_of(c), std::memory_order_acq_rel, std::memory_order_relaxed);
  }
  [[nodiscard]] auto give_back_alone(const lock_claim& c) noexcept -> bool {
    if constexpr (at_rest == shared) { return false; }
    std::uintptr_t expected = name_of(c);
    return word_.compare_exchange_strong(expected, unused, std::memory_order_release, std::memory_order_relaxed);
  }
  [[nodiscard]] auto is_alone(const lock_claim& c) const noexcept -> bool {
    return word_.load(std::memory_order_relaxed) == name_of(c);
  }

  auto claim(const lock_call& call, ticks deadline, const std::stop_token& stop) -> lock_claim* {
    lock_claim& c = core::prepare(call);
    return take_alone(c) ? &c : claim_among_others(c, deadline, stop);
  }
  auto try_claim(const lock_call& call) -> lock_claim* {
    lock_claim& c = core::prepare(call);
    const auto try_now = [&](domain_turn& t) {
      const bool is_held = core::try_enter(c, t, issue);
      if (!is_held) { leave(c, t); }
      return is_held;
    };
    if (take_alone(c) || enter(c, try_now)) { return &c; }
    detail::this_thread.give_back(c);
    return nullptr;
  }
  [[gnu::noinline]] auto claim_among_others(lock_claim& c, ticks deadline, const std::stop_token& stop) -> lock_claim* {
    if (enter(c, [&](domain_turn& t) { return core::enter(c, t, issue); })) { return &c; }
    if (core::wait(c, deadline, stop, [&](domain_turn& t) { leave(c, t); })) { return &c; }
    detail::this_thread.give_back(c);
    return nullptr;
  }
  void release(lock_claim& c) {
    core::check_owner(c);
    if (!give_back_alone(c)) { release_among_others(c); }
    detail::this_thread.give_back(c);
  }
  [[gnu::noinline]] void release_among_others(lock_claim& c) noexcept {
    domain_turn t{*core::domain_};
    if (give_back_alone(c)) { return; }  // the other was refused
    core::leave(c, t, [](Protocol& p, const lock_claim& of) { return p.release(of.client); });
    come_to_rest();
  }

  template <class Enter>
  auto enter(lock_claim& c, Enter enter_now) -> bool {
    domain_turn t{*core::domain_};
    try {
      meet_the_lone(t);
      core::admit_new(c, t);
      return enter_now(t);
    } catch (...) {
      leave(c, t);
      detail::this_thread.give_back(c);
      throw;
    }
  }
  /// From here on the protocol knows of all requests.
  void meet_the_lone(domain_turn& t) {
    std::uintptr_t word = word_.load(std::memory_order_relaxed);
    while (word != shared && !word_.compare_exchange_weak(word, shared, std::memory_order_acquire)) {}
    if (word == unused || word == shared) { return; }
    try {
      core::adopt(*reinterpret_cast<lock_claim*>(word), t, issue);  // NOLINT(performance-no-int-to-ptr)
    } catch (...) {
      word_.store(word, std::memory_order_release);
      throw;
    }
  }
  void leave(lock_claim& c, domain_turn& t) noexcept {
    if (c.client != no_request) { core::dismiss(c, t); }
    come_to_rest();
  }
  void come_to_rest() noexcept {
    if (core::idle() && word_.load(std::memory_order_relaxed) == shared) {
      word_.store(at_rest, std::memory_order_release);
    }
  }
  static auto issue(Protocol& p, const lock_claim& c) noexcept -> request_id { return p.issue(c.client, c.request); }

  [[nodiscard]] auto replica(const lock_claim& c) noexcept -> replica_id {
    if (is_alone(c)) { return 0; }
    const domain_turn t{*core::domain_};
    return c.client == no_request ? 0 : core::machine_.replica(c.client);
  }
  [[nodiscard]] auto contended(const lock_claim& c) noexcept -> bool {
    if (is_alone(c)) { return false; }
    const domain_turn t{*core::domain_};
    return c.client != no_request && core::machine_.contended(c.client);
  }
  [[nodiscard]] auto should_yield(const lock_claim& c) noexcept -> bool {
    if (is_alone(c)) { return false; }
    domain_turn t{*core::domain_};
    return c.client != no_request && core::should_yield(c, t, order_of<Protocol>);
  }

  void abandon(lock_claim& c) noexcept override {
    detail::or_terminate([&] { release(c); });
    core::count_abandoned();
  }

  std::atomic<std::uintptr_t> word_{at_rest};
};

/// `takt::runtime::lock<takt::k_fmlp<2, 64>>`.
template <LockingProtocol Protocol>
using lock = protocol_lock<Protocol>;

}  // namespace takt::runtime
