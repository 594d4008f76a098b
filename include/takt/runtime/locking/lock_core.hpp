// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <system_error>
#include <type_traits>

#include <takt/core/index_set.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/locking/critical_section_fusion.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/lock_claim.hpp>
#include <takt/runtime/locking/lock_domain.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Holds what locks over single resources and over groups share: suspended waiting, and a state machine whose clients
/// are numbers, given to the claims of threads as they come. Every function with a `domain_turn` is called within it.
template <class Machine>
class lock_core : public any_lock {
 public:
  static constexpr auto clients = static_cast<std::size_t>(Machine::capacity());

  lock_core(const lock_core&) = delete;
  auto operator=(const lock_core&) -> lock_core& = delete;

  [[nodiscard]] auto domain() noexcept -> lock_domain& { return *domain_; }
  /// Returns how many requests threads had not completed when they ended.
  [[nodiscard]] auto abandoned() const noexcept -> std::int64_t { return abandoned_.load(std::memory_order_relaxed); }

  void reprioritize(lock_claim& c, const priority_point& p, domain_turn& t) noexcept final {
    if (c.client == no_request) { return; }
    if constexpr (std::is_void_v<decltype(machine_.reprioritize(c.client, p))>) {
      machine_.reprioritize(c.client, p);
    } else {
      hand_on(t, machine_.reprioritize(c.client, p));
    }
  }

 protected:
  lock_core(lock_domain* domain, const Machine& machine)
      : own_{domain == nullptr ? std::make_unique<lock_domain>() : nullptr},
        domain_{domain == nullptr ? own_.get() : domain},
        machine_{machine} {}
  ~lock_core() {
    const domain_turn last{*domain_};
    if (!idle()) { terminate("takt: a lock is destroyed while threads hold it or wait for it"); }
  }

  /// Makes a claim of the calling thread. Error: it has too many.
  [[nodiscard]] auto prepare(const lock_call& call) -> lock_claim& {
    lock_claim& c = this_thread.take();
    c.lock = this;
    c.request.priority.point = point_of(call);
    c.request.length = call.length.count();
    c.request.task = call.task;
    c.spins = call.spins;
    return c;
  }
  static void check_owner(const lock_claim& c) {
    if (c.owner != &this_thread) { refuse_release(); }
  }
  [[noreturn]] static void refuse_release() {
    throw std::system_error{std::make_error_code(std::errc::operation_not_permitted),
                            "takt: the thread does not hold the lock"};
  }
  void count_abandoned() noexcept { abandoned_.fetch_add(1, std::memory_order_relaxed); }

  /// As `admit`. Error: also where the thread has a claim on the lock already.
  void admit_new(lock_claim& c, domain_turn& t) {
    if (this_thread.find(this, &c) != nullptr) {
      throw std::system_error{std::make_error_code(std::errc::resource_deadlock_would_occur),
                              "takt: the thread holds the lock already"};
    }
    admit(c, t);
  }
  /// Gives the claim a client of its own. Error: too many threads.
  void admit(lock_claim& c, domain_turn& t) {
    const request_id client = unused_client();
    t.join(c);
    c.client = client;
    used_.insert(static_cast<std::uint32_t>(client));
    claims_[to_index(client)] = &c;
  }
  /// Makes a new claim whose job begins with `start(machine, claim)`, which is not undone. Error: as for `admit_new`.
  template <class Start>
  [[nodiscard]] auto begin(const lock_call& call, Start start) -> lock_claim& {
    lock_claim& c = prepare(call);
    domain_turn t{*domain_};
    try {
      admit_new(c, t);
    } catch (...) {
      this_thread.give_back(c);
      throw;
    }
    pause(c);
    hand_on(t, start(machine_, c));
    return c;
  }
  static void pause(lock_claim& c) noexcept {
    c.turn.store(static_cast<std::uint32_t>(turn::waiting), std::memory_order_relaxed);
  }
  void dismiss(lock_claim& c, domain_turn& t) noexcept {
    t.leave(c);
    used_.erase(static_cast<std::uint32_t>(c.client));
    c.client = no_request;
  }

  /// Issues the request of an admitted claim. False: it must `wait`. Error: a deadlock; nothing is requested any more.
  template <class Issue>
  auto enter(lock_claim& c, domain_turn& t, Issue issue) -> bool {
    pause(c);
    const auto satisfied = issue(machine_, c);
    hand_over(satisfied, t);
    if (!machine_.holds(c.client)) { reprioritize(c, t.effective(c), t); }
    const bool held = machine_.holds(c.client);
    if (relink(t, &c) || held) { return held; }
    withdraw(c, t);
    throw std::system_error{std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "takt: threads would wait for each other"};
  }

  /// Issues the request of an admitted claim if it is satisfied at once; else nothing has happened. Cost: a copy of the
  /// machine, which is as large as its clients are many.
  template <class Issue>
  auto try_enter(lock_claim& c, domain_turn& t, Issue issue) -> bool {
    Machine trial{machine_};
    const auto satisfied = issue(trial, c);
    if (!trial.holds(c.client)) { return false; }
    machine_ = trial;
    hand_on(t, satisfied);
    return true;
  }

  /// Issues the request of a claim that holds what it asks for already. Error: too many threads.
  template <class Issue>
  void adopt(lock_claim& c, domain_turn& t, Issue issue) {
    admit(c, t);
    (void)issue(machine_, c);
  }

  /// Gives back all or a part of what the claim holds. True: there is more.
  template <class Release>
  auto leave(lock_claim& c, domain_turn& t, Release release) noexcept -> bool {
    hand_over(release(machine_, c), t);
    const bool more = machine_.holds(c.client);
    if (!more) { dismiss(c, t); }
    (void)relink(t);
    return more;
  }

  /// Carries out what an event other than these led to.
  template <class Answer>
  void hand_on(domain_turn& t, const Answer& a) noexcept {
    hand_over(a, t);
    (void)relink(t);
  }

  /// Suspends the calling thread until its claim is granted. False: the deadline has passed or a stop was requested
  /// before that; the request is withdrawn, and `withdrawn(turn)` is called in the same turn.
  template <class Withdrawn>
  auto wait(lock_claim& c, ticks deadline, const std::stop_token& stop, Withdrawn withdrawn) -> bool {
    if (suspend(c, deadline, stop)) { return true; }
    domain_turn t{*domain_};
    if (is_granted(c)) { return true; }
    withdraw(c, t);
    withdrawn(t);
    return false;
  }

  [[nodiscard]] auto should_yield(const lock_claim& c, domain_turn& t, const service_order& order) noexcept -> bool {
    return order.is_by_arrival() ? machine_.contended(c.client) : is_outranked(c, t, order);
  }
  /// Compares with the holder's priority as it would be without those who wait for this very lock.
  [[nodiscard]] auto is_outranked(const lock_claim& c, domain_turn& t, const service_order& order) noexcept -> bool {
    inline_vector<priority_point, clients> waiters;
    for_each_client([&](request_id r) {
      lock_claim& from = claim_of(r);
      if (!is_waited_for(r, c.client)) { return; }
      waiters.unchecked_push_back(t.effective(from));  // Bound: each client once.
      t.unlink(from);
    });
    const bool yields = takt::should_yield(order, t.effective(c), {waiters.data(), waiters.size()});
    (void)relink(t);
    return yields;
  }

  [[nodiscard]] auto idle() const noexcept -> bool { return used_.size() == 0; }

  std::unique_ptr<lock_domain> own_;
  lock_domain* domain_;
  Machine machine_;

  [[nodiscard]] auto claim_of(request_id client) const noexcept -> lock_claim& { return *claims_[to_index(client)]; }
  /// Calls `visit(client)` for each client that has an incomplete request.
  template <class Visitor>
  void for_each_client(Visitor visit) const {
    for (std::size_t k = 0; k < used_.size(); ++k) { visit(static_cast<request_id>(used_[k])); }
  }

 private:
  [[nodiscard]] auto unused_client() const -> request_id {
    std::size_t r = 0;
    while (r < used_.size() && used_[r] == r) { ++r; }
    if (r < clients) { return static_cast<request_id>(r); }
    throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                            "takt: more threads than the lock's protocol has room for"};
  }

  /// Returns whether r waits for something that `holder` has.
  [[nodiscard]] auto is_waited_for(request_id r, request_id holder) const noexcept -> bool {
    if constexpr (requires { machine_.wanted(r); }) {
      if (!machine_.waits(r)) { return false; }
      for (const auto l : machine_.wanted(r)) {
        if (machine_.holds(holder, l)) { return true; }
      }
      return false;
    } else {
      return machine_.inheritor(r) == holder;
    }
  }

  void withdraw(lock_claim& c, domain_turn& t) noexcept { hand_on(t, machine_.withdraw(c.client)); }

  void hand_over(request_id satisfied, domain_turn& t) noexcept {
    if (satisfied != no_request) { t.grant(claim_of(satisfied)); }
  }
  template <class Answer>
  void hand_over(const Answer& a, domain_turn& t) noexcept {
    if constexpr (requires { a.satisfied; }) {
      for (const request_id r : a.satisfied) { hand_over(r, t); }
    } else {
      for (const request_id r : a.granted) { hand_over(r, t); }
    }
  }

  /// Follows the machine's edges of inheritance. False: that of `c` would close a circle.
  auto relink(domain_turn& t, const lock_claim* c = nullptr) noexcept -> bool {
    for_each_client([&](request_id r) {
      lock_claim& from = claim_of(r);
      if (from.edge != no_edge && t.inheritor_of(from) != inheritor_of(r)) { t.unlink(from); }
    });
    bool open = true;
    for_each_client([&](request_id r) {
      lock_claim& from = claim_of(r);
      if (from.edge != no_edge || machine_.holds(r)) { return; }  // a holder passes nothing on
      if (!t.link(from, inheritor_of(r)) && &from == c) { open = false; }
    });
    return open;
  }
  [[nodiscard]] auto inheritor_of(request_id r) const noexcept -> priority_node {
    const request_id inheritor = machine_.inheritor(r);
    return inheritor == no_request ? -1 : claim_of(inheritor).node;
  }

  std::atomic<std::int64_t> abandoned_{0};
  index_set<clients> used_;  ///< who have an incomplete request
  std::array<lock_claim*, clients> claims_{};
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
