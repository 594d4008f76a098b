// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/request_queues.hpp>

namespace takt::inline TAKT_ABI {

/// k-exclusion across clusters with one first-in-first-out queue. It has no inheritance of its own: each cluster runs
/// `priority_donation`, which keeps every job with an incomplete request on a CPU whenever it is ready (rule C1).
/// With one short queue per replica instead, use `k_fmlp` under the same donation; the bounds are the same.
/// Source: Elliott 2015, section 2.1.7.3, rules C1 to C3; Brandenburg and Anderson 2013.
template <std::size_t Replicas, std::size_t Requests>
class ck_omlp {
 public:
  constexpr ck_omlp() noexcept : ck_omlp(static_cast<std::int32_t>(Replicas)) {}
  /// Pre: 1 <= replicas <= Replicas.
  constexpr explicit ck_omlp(std::int32_t replicas) noexcept : replicas_{replicas} {
    TAKT_EXPECTS(1 <= replicas && static_cast<std::size_t>(replicas) <= Replicas);
    holders_.fill(no_request);
    held_.fill(no_replica);
  }

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Requests); }
  [[nodiscard]] constexpr auto replicas() const noexcept -> replica_id { return replicas_; }

  constexpr auto issue(request_id r, const lock_request& /*q*/) noexcept -> request_id {
    for (replica_id x = 0; x < replicas_; ++x) {  // rule C2
      if (holders_[to_index(x)] == no_request) { return grant(x, r); }
    }
    queue_.append(0, r);
    return no_request;
  }

  constexpr auto release(request_id r) noexcept -> request_id {
    const replica_id x = held_[to_index(r)];
    held_[to_index(r)] = no_replica;
    holders_[to_index(x)] = no_request;
    const request_id next = queue_.head(0);  // rule C3
    if (next == no_request) { return no_request; }
    queue_.remove(next);
    return grant(x, next);
  }

  constexpr auto withdraw(request_id r) noexcept -> request_id {
    queue_.remove(r);
    return no_request;
  }

  constexpr void reprioritize(request_id /*r*/, const priority_point& /*p*/) const noexcept {}

  [[nodiscard]] constexpr auto holds(request_id r) const noexcept -> bool { return held_[to_index(r)] != no_replica; }
  [[nodiscard]] constexpr auto waits(request_id r) const noexcept -> bool { return queue_.queue_of(r) != no_replica; }
  [[nodiscard]] constexpr auto replica(request_id r) const noexcept -> replica_id { return held_[to_index(r)]; }
  [[nodiscard]] constexpr auto inheritor(request_id /*r*/) const noexcept -> request_id { return no_request; }
  [[nodiscard]] constexpr auto contended(request_id r) const noexcept -> bool {
    return holds(r) && queue_.head(0) != no_request;
  }

  [[nodiscard]] constexpr auto queue() const noexcept -> const request_queues<1, Requests>& { return queue_; }

  [[nodiscard]] friend constexpr auto operator==(const ck_omlp&, const ck_omlp&) noexcept -> bool = default;

 private:
  constexpr auto grant(replica_id x, request_id r) noexcept -> request_id {
    holders_[to_index(x)] = r;
    held_[to_index(r)] = x;
    return r;
  }

  std::int32_t replicas_;
  request_queues<1, Requests> queue_;
  std::array<request_id, Replicas> holders_{};
  std::array<replica_id, Requests> held_{};
};

}  // namespace takt::inline TAKT_ABI
