// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/request_queues.hpp>
#include <takt/rules/locking/steal.hpp>

namespace takt::inline TAKT_ABI {

/// Says what makes a queue short.
enum class queue_measure : std::uint8_t {
  requests,        ///< how many stand in it, the holder among them
  declared_times,  ///< the sum of their declared lengths, the holder's in full
};

[[nodiscard]] constexpr auto last_of(queue_measure) noexcept -> queue_measure { return queue_measure::declared_times; }

struct k_fmlp_options {
  std::int32_t replicas = 1;
  queue_measure measure = queue_measure::requests;
};

/// k-exclusion with one first-in-first-out queue per replica, whose head holds the replica. With k = 1 the plain
/// first-in-first-out mutex. Any advice on queues is followed only below the length ceil(capacity / k), without which
/// the bound on waiting would be lost.
/// Cost: constant per call and replica; by declared times an issue passes over the incomplete requests.
/// Source: Elliott 2015, section 2.1.7.1, rules F1 to F3; Elliott and Anderson 2011.
template <std::size_t Replicas, std::size_t Requests, class Heuristic = plain_advice>
class k_fmlp {
 public:
  constexpr k_fmlp() noexcept : k_fmlp(k_fmlp_options{.replicas = static_cast<std::int32_t>(Replicas)}) {}
  /// Pre: 1 <= replicas <= Replicas, and the measure is known.
  constexpr explicit k_fmlp(const k_fmlp_options& o, const Heuristic& heuristic = {}) noexcept
      : options_{o}, heuristic_{heuristic} {
    static_assert(Advice<Heuristic, k_fmlp>);
    TAKT_EXPECTS(1 <= o.replicas && static_cast<std::size_t>(o.replicas) <= Replicas && is_known(o.measure));
  }

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Requests); }
  [[nodiscard]] constexpr auto replicas() const noexcept -> replica_id { return options_.replicas; }

  constexpr auto issue(request_id r, const lock_request& q) noexcept -> request_id {
    requests_[to_index(r)] = q;
    if constexpr (Replicas > 1) { arrivals_.append(0, r); }
    return join(shortest_or_advised(r), r);
  }

  constexpr auto release(request_id r) noexcept -> request_id {
    const replica_id x = queues_.queue_of(r);
    leave(r);
    heuristic_.freed(*this, r, x);
    requests_[to_index(r)] = {};
    const request_id next = queues_.head(x);  // rule F3
    if (next == no_request) { return steal(x); }
    heuristic_.acquired(*this, next, x);
    return next;
  }

  constexpr auto withdraw(request_id r) noexcept -> request_id {
    leave(r);
    requests_[to_index(r)] = {};
    return no_request;
  }

  /// No job of the task will ask again.
  constexpr void exited(std::int32_t task) noexcept { detail::tell_exit(heuristic_, *this, task); }

  constexpr void reprioritize(request_id /*r*/, const priority_point& /*p*/) const noexcept {}

  [[nodiscard]] constexpr auto holds(request_id r) const noexcept -> bool { return queues_.is_head(r); }
  [[nodiscard]] constexpr auto waits(request_id r) const noexcept -> bool {
    return queues_.queue_of(r) != no_replica && !queues_.is_head(r);
  }
  [[nodiscard]] constexpr auto replica(request_id r) const noexcept -> replica_id {
    return holds(r) ? queues_.queue_of(r) : no_replica;
  }
  /// The holder inherits from every request in its queue (rule F2).
  [[nodiscard]] constexpr auto inheritor(request_id r) const noexcept -> request_id {
    return waits(r) ? queues_.head(queues_.queue_of(r)) : no_request;
  }
  [[nodiscard]] constexpr auto contended(request_id r) const noexcept -> bool {
    return holds(r) && queues_.next(r) != no_request;
  }

  [[nodiscard]] constexpr auto queues() const noexcept -> const request_queues<Replicas, Requests>& { return queues_; }
  /// Returns what r asks for, until the end of `freed`. Pre: 0 <= r < capacity().
  [[nodiscard]] constexpr auto request(request_id r) const noexcept -> const lock_request& {
    TAKT_EXPECTS(0 <= r && r < capacity());
    return requests_[to_index(r)];
  }
  [[nodiscard]] constexpr auto heuristic() noexcept -> Heuristic& { return heuristic_; }
  [[nodiscard]] constexpr auto rejected_advice() const noexcept -> std::int64_t { return rejected_; }

  [[nodiscard]] friend constexpr auto operator==(const k_fmlp& a, const k_fmlp& b) noexcept -> bool {
    return a.queues_ == b.queues_ && a.arrivals_ == b.arrivals_ && a.requests_ == b.requests_;
  }

 private:
  [[nodiscard]] constexpr auto shortest_or_advised(request_id r) noexcept -> replica_id {
    if constexpr (Replicas == 1) { return 0; }
    const replica_id advised = heuristic_.queue(*this, r);
    if (advised != no_replica) {
      const std::int32_t limit = ceil_divide(capacity(), options_.replicas);
      if (advised >= 0 && advised < options_.replicas && queues_.length(advised) < limit) { return advised; }
      ++rejected_;
    }
    replica_id best = 0;  // rule F1
    ticks least = measure(best);
    for (replica_id x = 1; x < options_.replicas && queues_.length(best) > 0; ++x) {
      const ticks length = measure(x);
      if (queues_.length(x) > 0 && length >= least) { continue; }
      best = x;
      least = length;
    }
    return best;
  }

  /// Measures a queue. A sum that overflows counts as longer than every other.
  [[nodiscard]] constexpr auto measure(replica_id x) const noexcept -> ticks {
    switch (options_.measure) {
      case queue_measure::requests: return queues_.length(x);
      case queue_measure::declared_times: return declared(x);
    }
    return queues_.length(x);
  }
  [[nodiscard]] constexpr auto declared(replica_id x) const noexcept -> ticks {
    ticks sum = 0;
    for (request_id r = queues_.head(x); r != no_request; r = queues_.next(r)) {
      if (!checked_add(sum, requests_[to_index(r)].length, sum)) { return std::numeric_limits<ticks>::max(); }
    }
    return sum;
  }

  constexpr auto join(replica_id x, request_id r) noexcept -> request_id {
    queues_.append(x, r);
    heuristic_.enqueued(*this, r, x);
    if (queues_.head(x) != r) { return no_request; }
    heuristic_.acquired(*this, r, x);
    return r;
  }

  constexpr void leave(request_id r) noexcept {
    const replica_id x = queues_.queue_of(r);
    queues_.remove(r);
    if constexpr (Replicas > 1) { arrivals_.remove(r); }
    heuristic_.dequeued(*this, r, x);
  }

  constexpr auto steal(replica_id x) noexcept -> request_id {
    if constexpr (Replicas == 1) { return no_request; }
    const request_id r = detail::request_to_steal(*this, heuristic_, arrivals_, x, rejected_);
    if (r == no_request) { return no_request; }
    const replica_id from = queues_.queue_of(r);
    queues_.remove(r);
    heuristic_.dequeued(*this, r, from);
    return join(x, r);
  }

  k_fmlp_options options_;
  request_queues<Replicas, Requests> queues_;
  request_queues<1, Replicas == 1 ? 1 : Requests> arrivals_;  ///< all incomplete requests in the order of issue
  std::array<lock_request, Requests> requests_{};
  std::int64_t rejected_ = 0;
  [[no_unique_address]] Heuristic heuristic_;
};

/// One unit, served in the order of requests.
template <std::size_t Requests>
using fifo_mutex = k_fmlp<1, Requests>;

}  // namespace takt::inline TAKT_ABI
