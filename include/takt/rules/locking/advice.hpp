// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/value.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a heuristic says when a replica has run out of requests.
struct steal_advice {
  request_id request = no_request;  ///< a waiting request of another queue; `no_request`: no opinion
  bool leave_idle = false;          ///< better not to steal at all
};

/// A heuristic plug-in without an opinion, to derive from. A protocol asks its plug-in where it has a choice that its
/// bound does not depend on. It checks each answer, follows a rule of its own where none is possible, and counts the
/// rejections. `Protocol` shows its queues, requests and donations; the request of r can be looked up in every call.
/// Source: Elliott 2015, section 3.3.4 and table 3.1.
struct plain_advice {
  /// Returns the queue that r should join.
  template <class Protocol>
  [[nodiscard]] constexpr auto queue(const Protocol& /*p*/, request_id /*r*/) const noexcept -> replica_id {
    return no_replica;
  }
  /// Returns the request to which r should donate.
  template <class Protocol>
  [[nodiscard]] constexpr auto donee(const Protocol& /*p*/, request_id /*r*/) const noexcept -> request_id {
    return no_request;
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto steal(const Protocol& /*p*/, replica_id /*x*/) const noexcept -> steal_advice {
    return {};
  }
  /// r stands in queue x, from outside or from another queue.
  template <class Protocol>
  constexpr void enqueued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  /// r has left queue x: it is complete, has given up, or goes to another queue.
  template <class Protocol>
  constexpr void dequeued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void acquired(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void freed(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  /// The task has ended and will not ask again. A plug-in for tasks that never end can do without this one.
  template <class Protocol>
  constexpr void exited(const Protocol& /*p*/, std::int32_t /*task*/) noexcept {}

  [[nodiscard]] friend constexpr auto operator==(const plain_advice&, const plain_advice&) noexcept -> bool = default;
};

/// Guides a protocol: three questions and the notifications; see `plain_advice`, which has no opinion on anything.
template <class A, class Protocol>
concept Advice = Copyable<A> && requires(A a, const Protocol& p, request_id r, replica_id x) {
  { a.queue(p, r) } -> std::same_as<replica_id>;
  { a.donee(p, r) } -> std::same_as<request_id>;
  { a.steal(p, x) } -> std::same_as<steal_advice>;
  a.enqueued(p, r, x);
  a.dequeued(p, r, x);
  a.acquired(p, r, x);
  a.freed(p, r, x);
};

namespace detail {

template <class A, class Protocol>
constexpr void tell_exit(A& advice, const Protocol& p, std::int32_t task) noexcept {
  if constexpr (requires { advice.exited(p, task); }) { advice.exited(p, task); }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
