// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <system_error>

#include <takt/core/number.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/held.hpp>
#include <takt/runtime/locking/lock_call.hpp>
#include <takt/runtime/locking/lock_core.hpp>
#include <takt/runtime/locking/lock_domain.hpp>
#include <takt/runtime/locking/lone_request.hpp>
#include <takt/runtime/locking/suspend.hpp>
#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime {

template <std::size_t Locks, std::size_t Clients>
inline constexpr service_order order_of<priority_group_lock<Locks, Clients>> = service_order::priority;

/// Mutexes that threads acquire together, in one step as seen by all others: without deadlock, in whatever order they
/// are named. A waiting thread passes its priority to one holder at a time.
/// Error: as for `protocol_lock`, and `invalid_argument` for a list that names no lock, one twice, or an unknown one.
template <GroupLock Group>
class lock_group final : public detail::lock_core<Group> {
 public:
  using hold = held<lock_group>;
  using list = Group::list;

  explicit lock_group(const Group& group = {}) : core{nullptr, group} {}
  explicit lock_group(lock_domain& domain, const Group& group = {}) : core{&domain, group} {}

  [[nodiscard]] auto acquire(const list& wanted, const lock_call& call = {}) -> hold {
    return claim(wanted, call, detail::no_deadline, {});
  }
  /// Nothing is held when a stop ended the waiting.
  [[nodiscard]] auto acquire(const std::stop_token& stop, const list& wanted, const lock_call& call = {}) -> hold {
    return claim(wanted, call, detail::no_deadline, stop);
  }
  /// Nothing is held, and nobody has noticed, when the request would have to wait.
  [[nodiscard]] auto try_acquire(const list& wanted, const lock_call& call = {}) -> hold {
    check(wanted);
    lock_claim& c = core::prepare(call);
    const auto try_now = [&](domain_turn& t) {
      const bool is_held = core::try_enter(c, t, issue(wanted));
      if (!is_held) { core::dismiss(c, t); }
      return is_held;
    };
    if (enter(c, try_now)) { return {*this, c}; }
    detail::this_thread.give_back(c);
    return {};
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_acquire_until(const std::chrono::time_point<Clock, Duration>& time, const list& wanted,
                                       const lock_call& call = {}, const std::stop_token& stop = {}) -> hold {
    return claim(wanted, call, detail::deadline_at(time), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] auto try_acquire_for(const std::chrono::duration<Rep, Period>& span, const list& wanted,
                                     const lock_call& call = {}, const std::stop_token& stop = {}) -> hold {
    return try_acquire_until(std::chrono::steady_clock::now() + span, wanted, call, stop);
  }

 private:
  friend hold;
  using core = detail::lock_core<Group>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;

  [[nodiscard]] static auto issue(const list& wanted) noexcept {
    return [&wanted](Group& g, const lock_claim& c) { return g.issue(c.client, wanted, c.request.priority); };
  }

  auto claim(const list& wanted, const lock_call& call, ticks deadline, const std::stop_token& stop) -> hold {
    check(wanted);
    lock_claim& c = core::prepare(call);
    if (enter(c, [&](domain_turn& t) { return core::enter(c, t, issue(wanted)); }) ||
        core::wait(c, deadline, stop, [&](domain_turn& t) { core::dismiss(c, t); })) {
      return {*this, c};
    }
    detail::this_thread.give_back(c);
    return {};
  }
  template <class Enter>
  auto enter(lock_claim& c, Enter enter_now) -> bool {
    domain_turn t{*core::domain_};
    try {
      core::admit_new(c, t);
      return enter_now(t);
    } catch (...) {
      if (c.client != no_request) { core::dismiss(c, t); }
      detail::this_thread.give_back(c);
      throw;
    }
  }
  static void check(const list& wanted) {
    if (check_lock_list<list::capacity()>(wanted) != group_status::accepted) {
      throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                              "takt: a group of locks needs different locks that there are"};
    }
  }

  void release(lock_claim& c) {
    core::check_owner(c);
    {
      domain_turn t{*core::domain_};
      core::leave(c, t, [](Group& g, const lock_claim& of) { return g.release(of.client); });
    }
    detail::this_thread.give_back(c);
  }
  /// True: that was the last.
  auto release(lock_claim& c, lock_id l) -> bool {
    core::check_owner(c);
    {
      domain_turn t{*core::domain_};
      if (!is_lock<list::capacity()>(l) || !core::machine_.holds(c.client, l)) { core::refuse_release(); }
      if (core::release_part(c, t, [l](Group& g, const lock_claim& of) { return g.release(of.client, l); })) {
        return false;
      }
    }
    detail::this_thread.give_back(c);
    return true;
  }
  [[nodiscard]] auto contended(const lock_claim& c) noexcept -> bool {
    const domain_turn t{*core::domain_};
    return core::machine_.contended(c.client);
  }
  [[nodiscard]] auto should_yield(const lock_claim& c) noexcept -> bool {
    domain_turn t{*core::domain_};
    return core::should_yield(c, t, order_of<Group>);
  }
  void abandon(lock_claim& c) noexcept override {
    detail::or_terminate([&] { release(c); });
    core::count_abandoned();
  }
};

}  // namespace takt::runtime
