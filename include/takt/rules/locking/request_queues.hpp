// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// First-in-first-out queues over a common set of clients, each of which stands in at most one of them. Every operation
/// is a few assignments; two states with the same queues compare equal.
template <std::size_t Queues, std::size_t Requests>
class request_queues {
 public:
  constexpr request_queues() noexcept {
    head_.fill(no_request);
    tail_.fill(no_request);
    next_.fill(no_request);
    previous_.fill(no_request);
    queue_.fill(no_replica);
  }

  /// Pre: r stands in no queue.
  constexpr void append(replica_id x, request_id r) noexcept {
    TAKT_EXPECTS(is_queue(x) && is_request(r) && queue_[to_index(r)] == no_replica);
    const auto q = to_index(x);
    const request_id last = tail_[q];
    previous_[to_index(r)] = last;
    queue_[to_index(r)] = x;
    if (last == no_request) {
      head_[q] = r;
    } else {
      next_[to_index(last)] = r;
    }
    tail_[q] = r;
    ++length_[q];
  }

  /// Pre: r stands in a queue.
  constexpr void remove(request_id r) noexcept {
    TAKT_EXPECTS(is_request(r) && queue_[to_index(r)] != no_replica);
    const auto q = to_index(queue_[to_index(r)]);
    const request_id before = previous_[to_index(r)];
    const request_id after = next_[to_index(r)];
    if (before == no_request) {
      head_[q] = after;
    } else {
      next_[to_index(before)] = after;
    }
    if (after == no_request) {
      tail_[q] = before;
    } else {
      previous_[to_index(after)] = before;
    }
    next_[to_index(r)] = no_request;
    previous_[to_index(r)] = no_request;
    queue_[to_index(r)] = no_replica;
    --length_[q];
  }

  /// Pre: 0 <= x < Queues; so for the one below.
  [[nodiscard]] constexpr auto head(replica_id x) const noexcept -> request_id {
    TAKT_EXPECTS(is_queue(x));
    return head_[to_index(x)];
  }
  [[nodiscard]] constexpr auto length(replica_id x) const noexcept -> std::int32_t {
    TAKT_EXPECTS(is_queue(x));
    return length_[to_index(x)];
  }
  /// Returns the client behind r in its queue. Pre: 0 <= r < Requests; so for the two below.
  [[nodiscard]] constexpr auto next(request_id r) const noexcept -> request_id {
    TAKT_EXPECTS(is_request(r));
    return next_[to_index(r)];
  }
  /// Returns the queue of r; `no_replica`: r stands in none.
  [[nodiscard]] constexpr auto queue_of(request_id r) const noexcept -> replica_id {
    TAKT_EXPECTS(is_request(r));
    return queue_[to_index(r)];
  }
  [[nodiscard]] constexpr auto is_head(request_id r) const noexcept -> bool {
    TAKT_EXPECTS(is_request(r));
    const replica_id x = queue_of(r);
    return x != no_replica && head(x) == r;
  }

  [[nodiscard]] friend constexpr auto operator==(const request_queues&, const request_queues&) noexcept
      -> bool = default;

 private:
  [[nodiscard]] static constexpr auto is_queue(replica_id x) noexcept -> bool { return x >= 0 && to_index(x) < Queues; }
  [[nodiscard]] static constexpr auto is_request(request_id r) noexcept -> bool {
    return r >= 0 && to_index(r) < Requests;
  }

  std::array<request_id, Queues> head_{};
  std::array<request_id, Queues> tail_{};
  std::array<std::int32_t, Queues> length_{};
  std::array<request_id, Requests> next_{};
  std::array<request_id, Requests> previous_{};
  std::array<replica_id, Requests> queue_{};
};

}  // namespace takt::inline TAKT_ABI
