// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <takt/core/value.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt {

/// What a heuristic says when a replica has run out of requests.
struct steal_advice {
  request_id request = no_request;  ///< a waiting request of another queue; `no_request`: no opinion
  bool leave_idle = false;          ///< better not to steal at all
};

/// Asked where a protocol has a choice that its bound does not depend on (Elliott 2015, sections 3.2.3 and 3.3.4). The
/// protocol checks each answer, falls back to a rule of its own when the answer is impossible or there is none, and
/// counts the rejections. `Protocol` shows its queues, requests and donations.
struct plain_advice {
  /// The queue that r should join.
  template <class Protocol>
  [[nodiscard]] constexpr auto queue(const Protocol& /*p*/, request_id /*r*/) const noexcept -> replica_id {
    return no_replica;
  }
  /// The request to which r should donate.
  template <class Protocol>
  [[nodiscard]] constexpr auto donee(const Protocol& /*p*/, request_id /*r*/) const noexcept -> request_id {
    return no_request;
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto steal(const Protocol& /*p*/, replica_id /*x*/) const noexcept -> steal_advice {
    return {};
  }
  template <class Protocol>
  constexpr void enqueued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void dequeued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void acquired(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void freed(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}

  [[nodiscard]] friend constexpr auto operator==(const plain_advice&, const plain_advice&) noexcept -> bool = default;
};

/// See `plain_advice`, which has no opinion on anything.
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

}  // namespace takt
