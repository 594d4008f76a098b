// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <takt/core/value.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// A lock over k replicas as a pure state machine. The simulator, the runtime's locks and the exhaustive checker drive
/// the same object: they tell it what happens and carry out what it answers.
///
/// - `issue(r, q)`, `release(r)`, `withdraw(r)`: the request that holds a replica from now on because of the event, or
///   `no_request`. `issue` wants an idle r, `release` a holder, `withdraw` a waiting r.
/// - `reprioritize(r, p)`: the effective priority of a client with an incomplete request; ignored by rules that do not
///   order by it.
/// - `inheritor(r)`: the client that runs at least at the effective priority of the waiting r, or `no_request`.
/// - `contended(r)`: whether a request waits for the replica that r holds.
template <class P>
concept LockingProtocol = Copyable<P> && requires(P p, const P c, request_id r, const lock_request& q) {
  { P::capacity() } -> std::convertible_to<request_id>;
  { c.replicas() } -> std::same_as<replica_id>;
  { p.issue(r, q) } -> std::same_as<request_id>;
  { p.release(r) } -> std::same_as<request_id>;
  { p.withdraw(r) } -> std::same_as<request_id>;
  p.reprioritize(r, priority_point{});
  { c.holds(r) } -> std::same_as<bool>;
  { c.waits(r) } -> std::same_as<bool>;
  { c.replica(r) } -> std::same_as<replica_id>;
  { c.inheritor(r) } -> std::same_as<request_id>;
  { c.contended(r) } -> std::same_as<bool>;
};

}  // namespace takt::inline TAKT_ABI
