// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/model/service_order.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/request_queues.hpp>

namespace takt::inline TAKT_ABI {

/// The better effective priority first, known at compile time.
struct priority_first {
  [[nodiscard]] static constexpr auto goes_first(const waiting_claim& a, const waiting_claim& b) noexcept -> bool {
    return service_order::priority.goes_first(a, b);
  }
  [[nodiscard]] friend constexpr auto operator==(const priority_first&, const priority_first&) noexcept
      -> bool = default;
};

/// One unit that goes to the first waiting request, by effective priorities as last told by `issue` or `reprioritize`.
/// A host reports all changes before it calls `release`: the successor is chosen by priorities that still hold while
/// the releasing client is the holder.
/// Cost: one step per waiting request at a release, constant otherwise.
/// Source: Elliott 2015, section 3.2.3.4.
template <std::size_t Requests, class Order = service_order>
class ordered_mutex {
 public:
  constexpr ordered_mutex() noexcept = default;
  constexpr explicit ordered_mutex(const Order& order) noexcept : order_{order} {}

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Requests); }
  [[nodiscard]] static constexpr auto replicas() noexcept -> replica_id { return 1; }

  constexpr auto issue(request_id r, const lock_request& q) noexcept -> request_id {
    if (holder_ == no_request) { return holder_ = r; }
    effective_[to_index(r)] = q.priority;
    waiting_.append(0, r);
    return no_request;
  }

  constexpr auto release(request_id /*r*/) noexcept -> request_id {
    holder_ = best_waiting();
    if (holder_ != no_request) { forget(holder_); }
    return holder_;
  }

  constexpr auto withdraw(request_id r) noexcept -> request_id {
    forget(r);
    return no_request;
  }

  constexpr void reprioritize(request_id r, const priority_point& p) noexcept {
    if (waits(r)) { effective_[to_index(r)] = p; }
  }

  [[nodiscard]] constexpr auto holds(request_id r) const noexcept -> bool { return holder_ == r; }
  [[nodiscard]] constexpr auto waits(request_id r) const noexcept -> bool { return waiting_.queue_of(r) == 0; }
  [[nodiscard]] constexpr auto replica(request_id r) const noexcept -> replica_id { return holds(r) ? 0 : no_replica; }
  [[nodiscard]] constexpr auto inheritor(request_id r) const noexcept -> request_id {
    return waits(r) ? holder_ : no_request;
  }
  [[nodiscard]] constexpr auto contended(request_id r) const noexcept -> bool {
    return holds(r) && waiting_.length(0) > 0;
  }

  [[nodiscard]] constexpr auto holder() const noexcept -> request_id { return holder_; }
  /// Returns the request that would get the unit if it were released now, or `no_request`.
  [[nodiscard]] constexpr auto best_waiting() const noexcept -> request_id {
    request_id best = waiting_.head(0);
    if (best == no_request) { return best; }
    waiting_claim first{effective_[to_index(best)], 0};
    std::int64_t place = 0;
    for (request_id r = waiting_.next(best); r != no_request; r = waiting_.next(r)) {
      const waiting_claim claim{effective_[to_index(r)], ++place};
      if (!order_.goes_first(claim, first)) { continue; }
      best = r;
      first = claim;
    }
    return best;
  }
  /// Pre: r waits.
  [[nodiscard]] constexpr auto effective(request_id r) const noexcept -> const priority_point& {
    TAKT_EXPECTS(waits(r));
    return effective_[to_index(r)];
  }

  [[nodiscard]] friend constexpr auto operator==(const ordered_mutex&, const ordered_mutex&) noexcept -> bool = default;

 private:
  constexpr void forget(request_id r) noexcept {
    waiting_.remove(r);
    effective_[to_index(r)] = {};
  }

  [[no_unique_address]] Order order_{};
  request_id holder_ = no_request;
  request_queues<1, Requests> waiting_;  ///< in the order of issue
  std::array<priority_point, Requests> effective_{};
};

/// The waiting request of the best effective priority goes first; equal ones in the order of issue.
template <std::size_t Requests>
using priority_mutex = ordered_mutex<Requests, priority_first>;

}  // namespace takt::inline TAKT_ABI
