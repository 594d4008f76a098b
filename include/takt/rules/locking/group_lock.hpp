// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/request_queues.hpp>

namespace takt::inline TAKT_ABI {

/// Mutexes that are each served first in, first out, requested in sets. A request enters all its queues in one step, so
/// any two requests stand in the same order in each common queue. Hence there is no deadlock, although a request may
/// hold some of its locks while it waits for others. It waits at most for the sections of the requests issued before it
/// and not released, at most one per other client. A host that guards every mutex's queue by a short lock of its own
/// takes these short locks in the order of their addresses. Cost: constant per lock of the list. Source: Ward and
/// Anderson 2013; Elliott 2015, section 2.1.6.2.
template <std::size_t Locks, std::size_t Clients>
class group_lock {
 public:
  using list = lock_list<Locks>;
  using answer = group_result<Clients>;

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Clients); }

  /// The order of service does not depend on the priority.
  [[nodiscard]] constexpr auto issue(request_id c, const list& wanted, const priority_point& /*p*/ = {}) noexcept
      -> answer {
    const group_status status = check_lock_list<Locks>(wanted);
    if (status != group_status::accepted) { return {status, {}}; }
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (open_[to_index(c)] != 0) { return {group_status::client_busy, {}}; }
    lists_[to_index(c)] = wanted;
    open_[to_index(c)] = static_cast<std::int32_t>(wanted.size());
    for (const lock_id l : wanted) {
      if (queue(l).head(0) != no_request) { ++missing_[to_index(c)]; }
      queue(l).append(0, c);
    }
    answer a;  // Bound here and below: each client once, as its last missing lock is granted once.
    if (holds(c)) { a.satisfied.unchecked_push_back(c); }
    return a;
  }

  [[nodiscard]] constexpr auto release(request_id c) noexcept -> answer {
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!holds(c)) { return {group_status::not_held, {}}; }
    return leave_all(c);
  }

  /// The other locks of the list stay held.
  [[nodiscard]] constexpr auto release(request_id c, lock_id l) noexcept -> answer {
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!is_lock<Locks>(l) || !holds(c) || !holds(c, l)) { return {group_status::not_held, {}}; }
    answer a;
    leave(c, l, a);
    if (open_[to_index(c)] == 0) { lists_[to_index(c)].clear(); }
    return a;
  }

  /// Takes the whole request back, with the locks that it has been granted already.
  [[nodiscard]] constexpr auto withdraw(request_id c) noexcept -> answer {
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!waits(c)) { return {group_status::not_waiting, {}}; }
    return leave_all(c);
  }

  [[nodiscard]] constexpr auto reprioritize(request_id /*c*/, const priority_point& /*p*/) const noexcept -> answer {
    return {};
  }

  [[nodiscard]] constexpr auto holds(request_id c) const noexcept -> bool {
    return detail::is_client<Clients>(c) && open_[to_index(c)] != 0 && missing_[to_index(c)] == 0;
  }
  [[nodiscard]] constexpr auto holds(request_id c, lock_id l) const noexcept -> bool { return holder(l) == c; }
  [[nodiscard]] constexpr auto waits(request_id c) const noexcept -> bool {
    return detail::is_client<Clients>(c) && missing_[to_index(c)] != 0;
  }
  /// Pre: l is one of the locks, as in the one above.
  [[nodiscard]] constexpr auto holder(lock_id l) const noexcept -> request_id {
    TAKT_EXPECTS(is_lock<Locks>(l));
    return queue(l).head(0);
  }
  /// Returns which request gets l after c, or `no_request`. Pre: c holds or wants l.
  [[nodiscard]] constexpr auto next(request_id c, lock_id l) const noexcept -> request_id {
    TAKT_EXPECTS(detail::is_client<Clients>(c) && is_lock<Locks>(l) && queue(l).queue_of(c) == 0);
    return queue(l).next(c);
  }
  [[nodiscard]] constexpr auto inheritor(request_id c) const noexcept -> request_id {
    if (!waits(c)) { return no_request; }
    for (const lock_id l : lists_[to_index(c)]) {
      if (holder(l) != c) { return holder(l); }
    }
    return no_request;
  }
  [[nodiscard]] constexpr auto contended(request_id c) const noexcept -> bool {
    if (!detail::is_client<Clients>(c)) { return false; }
    for (const lock_id l : lists_[to_index(c)]) {
      if (holder(l) == c && queue(l).next(c) != no_request) { return true; }
    }
    return false;
  }
  /// Returns what c asked for with its open request. Pre: 0 <= c < capacity().
  [[nodiscard]] constexpr auto wanted(request_id c) const noexcept -> const list& {
    TAKT_EXPECTS(detail::is_client<Clients>(c));
    return lists_[to_index(c)];
  }

  [[nodiscard]] friend constexpr auto operator==(const group_lock&, const group_lock&) noexcept -> bool = default;

 private:
  using lock_queue = request_queues<1, Clients>;

  [[nodiscard]] constexpr auto queue(lock_id l) noexcept -> lock_queue& { return queues_[to_index(l)]; }
  [[nodiscard]] constexpr auto queue(lock_id l) const noexcept -> const lock_queue& { return queues_[to_index(l)]; }

  constexpr void leave(request_id c, lock_id l, answer& a) noexcept {
    const bool held = holder(l) == c;
    queue(l).remove(c);
    --open_[to_index(c)];
    const request_id inheritor = holder(l);
    if (!held || inheritor == no_request) { return; }
    if (--missing_[to_index(inheritor)] == 0) { a.satisfied.unchecked_push_back(inheritor); }
  }

  constexpr auto leave_all(request_id c) noexcept -> answer {
    answer a;
    for (const lock_id l : lists_[to_index(c)]) {
      if (queue(l).queue_of(c) != no_replica) { leave(c, l, a); }
    }
    missing_[to_index(c)] = 0;
    lists_[to_index(c)].clear();
    return a;
  }

  std::array<lock_queue, Locks> queues_{};
  std::array<list, Clients> lists_{};
  std::array<std::int32_t, Clients> open_{};     ///< locks not yet released
  std::array<std::int32_t, Clients> missing_{};  ///< locks not yet granted
};

}  // namespace takt::inline TAKT_ABI
