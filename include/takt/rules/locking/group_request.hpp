// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/value.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// One of the mutexes that can be requested together.
using lock_id = std::int32_t;

/// Distinct locks in the order in which a client names them.
template <std::size_t Locks>
using lock_list = inline_vector<lock_id, Locks>;

enum class group_status : std::uint8_t {
  accepted,
  no_lock,         ///< an empty list
  unknown_lock,    ///< a number outside the lock's range
  duplicate_lock,  ///< a lock named twice
  client_busy,     ///< the client has not released everything of its last request
  not_held,        ///< a release without the lock
  not_waiting,     ///< a withdrawal of what was not requested or is satisfied already
  unknown_client,  ///< a number outside the lock's capacity
};

template <std::size_t Locks>
[[nodiscard]] constexpr auto is_lock(lock_id l) noexcept -> bool {
  return l >= 0 && l < static_cast<lock_id>(Locks);
}

namespace detail {

template <std::size_t Clients>
[[nodiscard]] constexpr auto is_client(request_id c) noexcept -> bool {
  return c >= 0 && c < static_cast<request_id>(Clients);
}

}  // namespace detail

/// Holds what an event led to: the clients that hold all they asked for from now on, in no particular order. Anything
/// but `accepted` changed nothing.
template <std::size_t Clients>
struct group_result {
  group_status status = group_status::accepted;
  inline_vector<request_id, Clients> satisfied{};

  [[nodiscard]] friend constexpr auto operator==(const group_result&, const group_result&) noexcept -> bool = default;
};

/// Returns `accepted` if the list names at least one lock, each of them once and below `Locks`.
template <std::size_t Locks>
[[nodiscard]] constexpr auto check_lock_list(const lock_list<Locks>& list) noexcept -> group_status {
  if (list.empty()) { return group_status::no_lock; }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_lock<Locks>(list[i])) { return group_status::unknown_lock; }
    for (std::size_t j = 0; j < i; ++j) {
      if (list[j] == list[i]) { return group_status::duplicate_lock; }
    }
  }
  return group_status::accepted;
}

/// Mutexes of which a client requests several in one atomic step. A client has at most one request at a time, which
/// ends when its last lock is released; it may release all at once or one by one.
///
/// Events of a client that there is not are answered `unknown_client`; it holds nothing, and does not wait.
///
/// - `holds(c)`: c has everything it asked for and has not released; `holds(c, l)`: it has this lock.
/// - `inheritor(c)`: the only client that runs at least at the effective priority of the waiting c. It holds the first
/// lock
///   of c's list that is held by another.
/// - `contended(c)`: a client waits for a lock that c holds.
template <class G>
concept GroupLock = Copyable<G> && requires(G g, const G k, request_id c, lock_id l, const typename G::list& wanted) {
  { g.issue(c, wanted, priority_point{}) } -> std::same_as<typename G::answer>;
  { g.release(c) } -> std::same_as<typename G::answer>;
  { g.release(c, l) } -> std::same_as<typename G::answer>;
  { g.withdraw(c) } -> std::same_as<typename G::answer>;
  { g.reprioritize(c, priority_point{}) } -> std::same_as<typename G::answer>;
  { G::capacity() } -> std::convertible_to<request_id>;
  { k.holds(c) } -> std::same_as<bool>;
  { k.holds(c, l) } -> std::same_as<bool>;
  { k.waits(c) } -> std::same_as<bool>;
  { k.holder(l) } -> std::same_as<request_id>;
  { k.inheritor(c) } -> std::same_as<request_id>;
  { k.contended(c) } -> std::same_as<bool>;
};

}  // namespace takt::inline TAKT_ABI
