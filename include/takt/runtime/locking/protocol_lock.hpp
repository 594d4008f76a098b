// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/critical_section_fusion.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/lock_claim.hpp>
#include <takt/runtime/locking/lock_core.hpp>
#include <takt/runtime/locking/lock_domain.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Tells whether a request issued while there is no other gets replica 0 at once, and leaves the state as it was when
/// it is complete. Then the lock need not tell the protocol before a second request comes.
template <class Protocol>
inline constexpr bool lone_requests_pass = false;

template <std::size_t Replicas, std::size_t Requests>
inline constexpr bool lone_requests_pass<k_fmlp<Replicas, Requests, plain_advice>> = true;
template <std::size_t Replicas, std::size_t Requests, class Rules>
inline constexpr bool lone_requests_pass<r2dglp<Replicas, Requests, plain_advice, Rules>> = true;
template <std::size_t Replicas, std::size_t Requests>
inline constexpr bool lone_requests_pass<ck_omlp<Replicas, Requests>> = true;
template <std::size_t Requests>
inline constexpr bool lone_requests_pass<priority_mutex<Requests>> = true;

/// Tells how a protocol orders those who wait, for the question whether to let them go first.
template <class Protocol>
inline constexpr service_order order_of = service_order::first_come;
template <std::size_t Requests>
inline constexpr service_order order_of<priority_mutex<Requests>> = service_order::priority;
template <std::size_t Locks, std::size_t Clients>
inline constexpr service_order order_of<priority_group_lock<Locks, Clients>> = service_order::priority;

/// Guards what the thread that acquired it holds. That thread also has to give it back, before it ends.
template <class Lock>
class held : public detail::claim_guard<held<Lock>, Lock> {
  using guard = detail::claim_guard<held, Lock>;

 public:
  held() noexcept = default;
  held(held&&) noexcept = default;
  held(const held&) = delete;
  auto operator=(const held&) -> held& = delete;
  auto operator=(held&& other) noexcept -> held& {
    detail::or_terminate([this] { this->end(); });
    this->owner_ = other.owner_;
    this->claim_ = std::exchange(other.claim_, nullptr);
    return *this;
  }
  ~held() = default;

  /// Returns which of the k units it is. Pre: held, as for the other queries.
  [[nodiscard]] auto replica() const noexcept -> replica_id {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return this->owner_->replica(*this->claim_);
  }
  /// Returns whether a request waits for what is held.
  [[nodiscard]] auto contended() const noexcept -> bool {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return this->owner_->contended(*this->claim_);
  }
  /// Returns whether another request should go first before the next critical section of the same kind.
  [[nodiscard]] auto should_yield() const noexcept -> bool {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return this->owner_->should_yield(*this->claim_);
  }
  /// Error: another thread holds it, which then has to release it by the lock's own functions.
  void release() {
    if (*this) { this->owner_->release(*std::exchange(this->claim_, nullptr)); }
  }
  /// Of a group: gives back this lock alone. Error: another thread holds it, or nobody.
  void release(lock_id l) {
    if (!*this) { Lock::refuse_release(); }
    if (this->owner_->release(*this->claim_, l)) { this->claim_ = nullptr; }
  }

 private:
  friend Lock;
  friend guard;
  using guard::guard;
  static void give_back(Lock& lock, detail::lock_claim& claim) { lock.release(claim); }
};

/// Offers a locking protocol to threads: the state machine behind the short mutex of its domain, waiters suspended
/// until it is their turn. A thread that comes to an unused lock takes it by one atomic exchange; the state machine
/// hears of the first request when a second one comes. `lock` is one over k units. A `lock_group` has mutexes, of which
/// threads acquire several in one step as seen by all others: without deadlock, in whatever order `Wanted` names them.
///
/// A `lock` works with `std::unique_lock`, `std::lock_guard` and `std::scoped_lock`; with k > 1, too, `unlock` gives
/// back what the calling thread holds. What a thread holds when it ends is given back and counted. Error:
/// `std::system_error`. It has `operation_not_permitted` where another thread or nobody holds the lock. It has
/// `resource_deadlock_would_occur` where the thread holds it already or its wait would close a circle. It has
/// `resource_unavailable_try_again` where the protocol or the domain has no room for more threads, or the thread has
/// more than `max_claims` locks. It has `invalid_argument` for a list that names no lock of a group, one twice, or an
/// unknown one. A lock that is destroyed in use ends the program with a sentence.
template <class Machine, class... Wanted>
class protocol_lock final : public detail::lock_core<Machine> {
 public:
  using hold = held<protocol_lock>;

  explicit protocol_lock(const Machine& machine = {}) : core{nullptr, machine} {}
  explicit protocol_lock(lock_domain& domain, const Machine& machine = {}) : core{&domain, machine} {}
  protocol_lock(const protocol_lock&) = delete;
  auto operator=(const protocol_lock&) -> protocol_lock& = delete;
  ~protocol_lock() {
    if (word_.load(std::memory_order_acquire) > shared) {
      detail::terminate("takt: a lock is destroyed while a thread holds it");
    }
  }

  [[nodiscard]] auto acquire(const Wanted&... wanted, const lock_call& call = {}) -> hold {
    return {*this, *claim(wanted..., call, detail::no_deadline, {})};
  }
  /// Nothing is held when a stop ended the waiting.
  [[nodiscard]] auto acquire(const std::stop_token& stop, const Wanted&... wanted, const lock_call& call = {}) -> hold {
    return hold_of(claim(wanted..., call, detail::no_deadline, stop));
  }
  /// Nothing is held, and no thread has noticed, when the request would have to wait.
  [[nodiscard]] auto try_acquire(const Wanted&... wanted, const lock_call& call = {}) -> hold {
    return hold_of(try_claim(wanted..., call));
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_acquire_until(const std::chrono::time_point<Clock, Duration>& time, const Wanted&... wanted,
                                       const lock_call& call = {}, const std::stop_token& stop = {}) -> hold {
    return hold_of(claim(wanted..., call, detail::deadline_at(time), stop));
  }
  template <class Rep, class Period>
  [[nodiscard]] auto try_acquire_for(const std::chrono::duration<Rep, Period>& span, const Wanted&... wanted,
                                     const lock_call& call = {}, const std::stop_token& stop = {}) -> hold {
    return hold_of(claim(wanted..., call, detail::deadline_in(span), stop));
  }

  void lock()
    requires LockingProtocol<Machine>
  {
    (void)claim({}, detail::no_deadline, {});
  }
  [[nodiscard]] auto try_lock() -> bool { return try_claim({}) != nullptr; }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_lock_until(const std::chrono::time_point<Clock, Duration>& time) -> bool {
    return claim({}, detail::deadline_at(time), {}) != nullptr;
  }
  template <class Rep, class Period>
  [[nodiscard]] auto try_lock_for(const std::chrono::duration<Rep, Period>& span) -> bool {
    return claim({}, detail::deadline_in(span), {}) != nullptr;
  }
  void unlock() {
    detail::lock_claim* c = detail::this_thread.find(this);
    if (c == nullptr) { core::refuse_release(); }
    release(*c);
  }

 private:
  friend hold;
  using core = detail::lock_core<Machine>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;

  // The word: nobody uses the lock, the protocol knows of all requests, or the claim of the only one.
  static constexpr std::uintptr_t unused = 0;
  static constexpr std::uintptr_t shared = 1;
  static constexpr std::uintptr_t at_rest = lone_requests_pass<Machine> ? unused : shared;

  [[nodiscard]] static auto name_of(const lock_claim& c) noexcept -> std::uintptr_t {
    return reinterpret_cast<std::uintptr_t>(&c);
  }
  [[nodiscard]] auto hold_of(lock_claim* c) noexcept -> hold { return c == nullptr ? hold{} : hold{*this, *c}; }

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

  auto claim(const Wanted&... wanted, const lock_call& call, ticks deadline, const std::stop_token& stop)
      -> lock_claim* {
    check(wanted...);
    lock_claim& c = core::prepare(call);
    return take_alone(c) ? &c : claim_among_others(c, wanted..., deadline, stop);
  }
  auto try_claim(const Wanted&... wanted, const lock_call& call) -> lock_claim* {
    check(wanted...);
    lock_claim& c = core::prepare(call);
    const auto try_now = [&](domain_turn& t) {
      const bool is_held = core::try_enter(c, t, issue(wanted...));
      if (!is_held) { leave(c, t); }
      return is_held;
    };
    return take_alone(c) || enter(c, try_now) ? &c : nothing(c);
  }
  [[gnu::noinline]] auto claim_among_others(lock_claim& c, const Wanted&... wanted, ticks deadline,
                                            const std::stop_token& stop) -> lock_claim* {
    if (enter(c, [&](domain_turn& t) { return core::enter(c, t, issue(wanted...)); })) { return &c; }
    return core::wait(c, deadline, stop, [&](domain_turn& t) { leave(c, t); }) ? &c : nothing(c);
  }
  [[nodiscard]] static auto nothing(lock_claim& c) noexcept -> lock_claim* {
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
    (void)core::leave(c, t, [](Machine& m, const lock_claim& of) { return m.release(of.client); });
    come_to_rest();
  }
  /// Of a group. True: that was the last.
  auto release(lock_claim& c, lock_id l) -> bool {
    core::check_owner(c);
    {
      domain_turn t{*core::domain_};
      if (!is_lock<Machine::list::capacity()>(l) || !core::machine_.holds(c.client, l)) { core::refuse_release(); }
      if (core::leave(c, t, [l](Machine& m, const lock_claim& of) { return m.release(of.client, l); })) {
        return false;
      }
    }
    detail::this_thread.give_back(c);
    return true;
  }

  template <class Enter>
  auto enter(lock_claim& c, Enter enter_now) -> bool {
    domain_turn t{*core::domain_};
    try {
      if constexpr (at_rest == unused) { meet_the_lone(t); }
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
      core::adopt(*reinterpret_cast<lock_claim*>(word), t, issue());  // NOLINT(performance-no-int-to-ptr)
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
  [[nodiscard]] static auto issue(const Wanted&... wanted) noexcept {
    return [&](Machine& m, const lock_claim& c) {
      if constexpr (GroupLock<Machine>) {
        return m.issue(c.client, wanted..., c.request.priority);
      } else {
        return m.issue(c.client, c.request);
      }
    };
  }
  static void check(const Wanted&... wanted) {
    if constexpr (GroupLock<Machine>) {
      if (check_lock_list<Machine::list::capacity()>(wanted...) == group_status::accepted) { return; }
      throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                              "takt: a group of locks needs different locks that there are"};
    }
  }

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
    return c.client != no_request && core::should_yield(c, t, order_of<Machine>);
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
/// `takt::runtime::lock_group<takt::group_lock<3, 64>>`, whose `acquire` takes the list of locks first.
template <GroupLock Group>
using lock_group = protocol_lock<Group, typename Group::list>;

}  // namespace takt::inline TAKT_ABI::runtime
