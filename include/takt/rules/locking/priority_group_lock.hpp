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

/// Mutexes in the order of effective priorities, requested in sets: a request gets all its locks in one step or none,
/// and none that a better waiting request wants. The first half excludes deadlock; the second keeps the best waiting
/// request from being overtaken. That request waits only for those who hold its locks when it asks, hence one section.
/// Cost: (waiting requests)^2 steps per event at most.
/// Source: Elliott 2015, section 3.2.3.4. Differs from it: the source grants atomically and does not keep free locks
/// for the best waiter.
template <std::size_t Locks, std::size_t Clients>
class priority_group_lock {
 public:
  using list = lock_list<Locks>;
  using answer = group_result<Clients>;

  constexpr priority_group_lock() noexcept { holders_.fill(no_request); }

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Clients); }

  [[nodiscard]] constexpr auto issue(request_id c, const list& wanted, const priority_point& p) noexcept -> answer {
    const group_status status = check_lock_list<Locks>(wanted);
    if (status != group_status::accepted) { return {status, {}}; }
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!lists_[to_index(c)].empty()) { return {group_status::client_busy, {}}; }
    lists_[to_index(c)] = wanted;
    effective_[to_index(c)] = p;
    waiting_.append(0, c);
    return decide();
  }

  [[nodiscard]] constexpr auto release(request_id c) noexcept -> answer {
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!holds(c)) { return {group_status::not_held, {}}; }
    for (const lock_id l : lists_[to_index(c)]) {
      if (holder(l) == c) { holders_[to_index(l)] = no_request; }
    }
    lists_[to_index(c)].clear();
    return decide();
  }

  /// The other locks of the list stay held.
  [[nodiscard]] constexpr auto release(request_id c, lock_id l) noexcept -> answer {
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!is_lock<Locks>(l) || !holds(c, l)) { return {group_status::not_held, {}}; }
    holders_[to_index(l)] = no_request;
    bool more = false;
    for (const lock_id other : lists_[to_index(c)]) { more = more || holder(other) == c; }
    if (!more) { lists_[to_index(c)].clear(); }
    return decide();
  }

  [[nodiscard]] constexpr auto withdraw(request_id c) noexcept -> answer {
    if (!detail::is_client<Clients>(c)) { return {group_status::unknown_client, {}}; }
    if (!waits(c)) { return {group_status::not_waiting, {}}; }
    forget(c);
    lists_[to_index(c)].clear();
    return decide();
  }

  /// May satisfy requests: a lock that was kept for a better one can become free for c.
  [[nodiscard]] constexpr auto reprioritize(request_id c, const priority_point& p) noexcept -> answer {
    if (!waits(c) || effective_[to_index(c)] == p) { return {}; }
    effective_[to_index(c)] = p;
    return decide();
  }

  [[nodiscard]] constexpr auto holds(request_id c) const noexcept -> bool {
    return detail::is_client<Clients>(c) && !lists_[to_index(c)].empty() && !waits(c);
  }
  [[nodiscard]] constexpr auto holds(request_id c, lock_id l) const noexcept -> bool { return holder(l) == c; }
  [[nodiscard]] constexpr auto waits(request_id c) const noexcept -> bool {
    return detail::is_client<Clients>(c) && waiting_.queue_of(c) == 0;
  }
  /// Pre: l is one of the locks, as in the one above.
  [[nodiscard]] constexpr auto holder(lock_id l) const noexcept -> request_id {
    TAKT_EXPECTS(is_lock<Locks>(l));
    return holders_[to_index(l)];
  }
  /// `no_request` also where a better waiting request keeps c from locks that are free.
  [[nodiscard]] constexpr auto inheritor(request_id c) const noexcept -> request_id {
    if (!waits(c)) { return no_request; }
    for (const lock_id l : lists_[to_index(c)]) {
      if (holder(l) != no_request) { return holder(l); }
    }
    return no_request;
  }
  [[nodiscard]] constexpr auto contended(request_id c) const noexcept -> bool {
    for (request_id w = waiting_.head(0); w != no_request; w = waiting_.next(w)) {
      for (const lock_id l : lists_[to_index(w)]) {
        if (holder(l) == c) { return true; }
      }
    }
    return false;
  }
  /// Returns what c asked for with its open request. Pre: 0 <= c < capacity().
  [[nodiscard]] constexpr auto wanted(request_id c) const noexcept -> const list& {
    TAKT_EXPECTS(detail::is_client<Clients>(c));
    return lists_[to_index(c)];
  }
  /// Pre: c waits.
  [[nodiscard]] constexpr auto effective(request_id c) const noexcept -> const priority_point& {
    TAKT_EXPECTS(waits(c));
    return effective_[to_index(c)];
  }

  [[nodiscard]] friend constexpr auto operator==(const priority_group_lock&, const priority_group_lock&) noexcept
      -> bool = default;

 private:
  constexpr void forget(request_id c) noexcept {
    waiting_.remove(c);
    effective_[to_index(c)] = {};
  }

  /// Goes through the waiting requests from the best to the worst; each gets its locks or keeps them from the rest.
  constexpr auto decide() noexcept -> answer {
    answer a;  // Bound: each client once.
    std::array<bool, Locks> taken{};
    for (std::size_t l = 0; l < Locks; ++l) { taken[l] = holders_[l] != no_request; }
    std::array<bool, Clients> asked{};
    for (std::int32_t left = waiting_.length(0); left > 0; --left) {
      const request_id c = best_of_the_rest(asked);
      asked[to_index(c)] = true;
      bool all_free = true;
      for (const lock_id l : lists_[to_index(c)]) {
        all_free = all_free && !taken[to_index(l)];
        taken[to_index(l)] = true;
      }
      if (!all_free) { continue; }
      for (const lock_id l : lists_[to_index(c)]) { holders_[to_index(l)] = c; }
      forget(c);
      a.satisfied.unchecked_push_back(c);
    }
    return a;
  }

  [[nodiscard]] constexpr auto best_of_the_rest(const std::array<bool, Clients>& asked) const noexcept -> request_id {
    request_id best = no_request;
    for (request_id c = waiting_.head(0); c != no_request; c = waiting_.next(c)) {
      if (asked[to_index(c)]) { continue; }
      if (best == no_request || effective_[to_index(c)] < effective_[to_index(best)]) { best = c; }
    }
    return best;
  }

  request_queues<1, Clients> waiting_;  ///< in the order of issue
  std::array<request_id, Locks> holders_{};
  std::array<list, Clients> lists_{};
  std::array<priority_point, Clients> effective_{};
};

static_assert(GroupLock<priority_group_lock<2, 2>>);

}  // namespace takt::inline TAKT_ABI
