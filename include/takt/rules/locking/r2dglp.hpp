// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/queue_limit.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/request_queues.hpp>
#include <takt/rules/locking/steal.hpp>

namespace takt::inline TAKT_ABI {

/// k-exclusion in O(m/k), with k first-in-first-out queues of limited length f. The best requests without a place queue
/// as donors to distinct ones inside; the rest are in a priority queue. The c best are counted by base priority, equal
/// ones by number. With f >= ceil(capacity / k) it is the k-FMLP. Cost: a few passes over the clients per call. Always
/// (1) no request is outside while a queue has a place. (2) Donors are among the best, their donees are not. (3) No
/// request in the priority queue is among the best. So a request is pi-blocked as a donor for at most f sections, of
/// one donee and those before it, and for f - 1 inside. Each withdrawal during its wait can make it donate anew: f
/// more. Differs from Elliott 2015 (R1 to R5), see docs/errata.md. Source of the protocol: Ward, Elliott, Anderson
/// 2012.
template <std::size_t Replicas, std::size_t Requests, class Heuristic = plain_advice, class Rules = r2dglp_rules>
class r2dglp {
 public:
  constexpr r2dglp() noexcept : r2dglp(r2dglp_options{.replicas = static_cast<std::int32_t>(Replicas)}) {}
  /// Pre: `validate(o, Replicas)` finds no fault but a limit without a bound. That is raised to the least sound one; in
  /// a constant expression it stops compilation.
  constexpr explicit r2dglp(const r2dglp_options& o, const Heuristic& heuristic = {}) noexcept
      : options_{o}, heuristic_{heuristic} {
    static_assert(Advice<Heuristic, r2dglp>);
    const queue_limit_check check = validate(o, Replicas);
    const bool keep = Rules::any_queue_limit && o.queue_limit > 0;
    if (std::is_constant_evaluated() && !keep) { detail::refuse(check.fault); }
    TAKT_EXPECTS(check.fault != model_fault::lock_size_out_of_range);
    if (!keep && (check || o.queue_limit == 0)) { options_.queue_limit = check.least; }
    if constexpr (Rules::printed_r1a) { ++options_.queue_limit; }
    partner_.fill(no_request);
  }

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Requests); }
  [[nodiscard]] constexpr auto replicas() const noexcept -> replica_id { return options_.replicas; }

  constexpr auto issue(request_id r, const lock_request& q) noexcept -> request_id {
    requests_[to_index(r)] = q;
    if constexpr (Replicas > 1) { arrivals_.append(0, r); }
    const replica_id x = shortest_or_advised(r);
    if (x != no_replica) { return join(x, r); }  // rule R1a
    if (!among_best(r)) {
      put(r, place::priority_queue);  // rule R1b
    } else {
      donate(r);  // rule R1c
    }
    return no_request;
  }

  constexpr auto release(request_id r) noexcept -> request_id {
    const replica_id x = queues_.queue_of(r);
    const request_id donor = donor_of(r);
    leave_queue(r);
    heuristic_.freed(*this, r, x);
    forget(r);
    refill(x, donor);
    const request_id next = queues_.head(x);  // rule R2
    if (next == no_request) { return steal(x); }
    heuristic_.acquired(*this, next, x);
    return next;
  }

  /// A place given up inside is filled like a freed one. When a donor gives up, another may become one of the best. In
  /// the priority queue it donates instead; a donee's donor turns to the free donee; else nothing is done.
  constexpr auto withdraw(request_id r) noexcept -> request_id {
    const replica_id x = queues_.queue_of(r);
    const request_id donor = donor_of(r);
    const request_id donee = donee_of(r);
    if (x != no_replica) { leave_queue(r); }
    forget(r);
    if (x != no_replica) { refill(x, donor); }
    if (donee == no_request) { return no_request; }
    request_id successor = donor_of_risen();
    if (successor == no_request) { successor = best_in(place::priority_queue); }
    if (successor == no_request || !among_best(successor)) { return no_request; }
    end_donation(successor);
    begin_donation(successor, eligible_donee(donee) ? donee : donee_for(successor));
    return no_request;
  }

  constexpr void reprioritize(request_id /*r*/, const priority_point& /*p*/) const noexcept {}
  /// No job of the task will ask again.
  constexpr void exited(std::int32_t task) noexcept { detail::tell_exit(heuristic_, *this, task); }

  [[nodiscard]] constexpr auto holds(request_id r) const noexcept -> bool { return queues_.is_head(r); }
  [[nodiscard]] constexpr auto waits(request_id r) const noexcept -> bool {
    return place_[to_index(r)] != place::none && !queues_.is_head(r);
  }
  [[nodiscard]] constexpr auto replica(request_id r) const noexcept -> replica_id {
    return holds(r) ? queues_.queue_of(r) : no_replica;
  }
  /// The holder inherits from every request in its queue (rule R4), a donee from its donor.
  [[nodiscard]] constexpr auto inheritor(request_id r) const noexcept -> request_id {
    if (!waits(r)) { return no_request; }
    const replica_id x = queues_.queue_of(r);
    return x == no_replica ? donee_of(r) : queues_.head(x);
  }
  [[nodiscard]] constexpr auto contended(request_id r) const noexcept -> bool {
    return holds(r) && (queues_.next(r) != no_request || donor_of(r) != no_request);
  }

  [[nodiscard]] constexpr auto queues() const noexcept -> const request_queues<Replicas, Requests>& { return queues_; }
  [[nodiscard]] constexpr auto queue_limit() const noexcept -> std::int32_t { return options_.queue_limit; }
  /// Returns what r asks for, until the end of `freed`. Pre: 0 <= r < capacity().
  [[nodiscard]] constexpr auto request(request_id r) const noexcept -> const lock_request& {
    TAKT_EXPECTS(0 <= r && r < capacity());
    return requests_[to_index(r)];
  }
  [[nodiscard]] constexpr auto in_priority_queue(request_id r) const noexcept -> bool {
    return place_[to_index(r)] == place::priority_queue;
  }
  [[nodiscard]] constexpr auto is_donor(request_id r) const noexcept -> bool {
    return place_[to_index(r)] == place::donor_queue;
  }
  [[nodiscard]] constexpr auto donee_of(request_id r) const noexcept -> request_id {
    return is_donor(r) ? partner_[to_index(r)] : no_request;
  }
  [[nodiscard]] constexpr auto donor_of(request_id r) const noexcept -> request_id {
    return is_donor(r) ? no_request : partner_[to_index(r)];
  }
  /// Returns whether fewer than `cluster` incomplete requests are more important.
  [[nodiscard]] constexpr auto among_best(request_id r) const noexcept -> bool {
    std::int32_t better = 0;
    for (request_id i = 0; i < capacity(); ++i) {
      better += place_[to_index(i)] != place::none && i != r && precedes(i, r) ? 1 : 0;
    }
    return better < options_.cluster;
  }
  [[nodiscard]] constexpr auto eligible_donee(request_id r) const noexcept -> bool {
    return place_[to_index(r)] == place::queue && partner_[to_index(r)] == no_request && !among_best(r);
  }
  [[nodiscard]] constexpr auto heuristic() noexcept -> Heuristic& { return heuristic_; }
  [[nodiscard]] constexpr auto rejected_advice() const noexcept -> std::int64_t { return rejected_; }

  [[nodiscard]] friend constexpr auto operator==(const r2dglp& a, const r2dglp& b) noexcept -> bool {
    return a.queues_ == b.queues_ && a.arrivals_ == b.arrivals_ && a.place_ == b.place_ && a.partner_ == b.partner_ &&
           a.requests_ == b.requests_;
  }

 private:
  enum class place : std::uint8_t { none, queue, priority_queue, donor_queue };

  [[nodiscard]] static constexpr auto is_outside(place p) noexcept -> bool {
    return p == place::priority_queue || p == place::donor_queue;
  }
  constexpr void put(request_id r, place p) noexcept {
    outside_ += (is_outside(p) ? 1 : 0) - (is_outside(place_[to_index(r)]) ? 1 : 0);
    place_[to_index(r)] = p;
  }
  [[nodiscard]] constexpr auto precedes(request_id a, request_id b) const noexcept -> bool {
    const auto order = requests_[to_index(a)].priority <=> requests_[to_index(b)].priority;
    return order < 0 || (order == 0 && a < b);
  }
  [[nodiscard]] constexpr auto best_in(place p) const noexcept -> request_id {
    request_id best = no_request;
    for (request_id i = 0; i < capacity(); ++i) {
      if (place_[to_index(i)] == p && (best == no_request || precedes(i, best))) { best = i; }
    }
    return best;
  }

  [[nodiscard]] constexpr auto shortest_or_advised(request_id r) noexcept -> replica_id {
    replica_id best = 0;
    for (replica_id x = 1; x < options_.replicas; ++x) {
      if (queues_.length(x) < queues_.length(best)) { best = x; }
    }
    if (queues_.length(best) >= options_.queue_limit) { return no_replica; }
    const replica_id advised = heuristic_.queue(*this, r);
    if (advised == no_replica) { return best; }
    if (advised >= 0 && advised < options_.replicas && queues_.length(advised) < options_.queue_limit) {
      return advised;
    }
    ++rejected_;
    return best;
  }

  constexpr auto join(replica_id x, request_id r) noexcept -> request_id {
    queues_.append(x, r);
    put(r, place::queue);
    heuristic_.enqueued(*this, r, x);
    if (queues_.head(x) != r) { return no_request; }
    heuristic_.acquired(*this, r, x);
    return r;
  }

  constexpr void leave_queue(request_id r) noexcept {
    const replica_id x = queues_.queue_of(r);
    queues_.remove(r);
    put(r, place::none);
    heuristic_.dequeued(*this, r, x);
  }

  constexpr void forget(request_id r) noexcept {
    end_donation(r);
    put(r, place::none);
    requests_[to_index(r)] = {};
    if constexpr (Replicas > 1) { arrivals_.remove(r); }
  }

  /// Without a donee, which only printed rules allow, the request goes to the priority queue.
  constexpr void begin_donation(request_id donor, request_id donee) noexcept {
    put(donor, donee == no_request ? place::priority_queue : place::donor_queue);
    partner_[to_index(donor)] = donee;
    if (donee != no_request) { partner_[to_index(donee)] = donor; }
  }
  constexpr void end_donation(request_id either) noexcept {
    const request_id other = partner_[to_index(either)];
    if (other != no_request) { partner_[to_index(other)] = no_request; }
    partner_[to_index(either)] = no_request;
  }

  constexpr void donate(request_id r) noexcept {
    put(r, place::donor_queue);
    const request_id replaced = replaced_by(r);
    // Unless r replaces a donor, there is a donee: at most c - |donors| of the c places and more inside belong to the
    // best, r among the donors; so at least |donors| do not, and one of these is no donee yet.
    const request_id donee = replaced != no_request ? donee_of(replaced) : donee_for(r);
    if (replaced != no_request) { begin_donation(replaced, no_request); }
    begin_donation(r, donee);
  }

  /// Returns the least important donor, if it has to make room for r.
  [[nodiscard]] constexpr auto replaced_by(request_id r) const noexcept -> request_id {
    request_id worst = no_request;
    std::int32_t donors = 0;
    for (request_id i = 0; i < capacity(); ++i) {
      if (!is_donor(i)) { continue; }
      ++donors;
      if (i != r && (worst == no_request || precedes(worst, i))) { worst = i; }
    }
    const bool full = Rules::printed_r1c ? donors > options_.cluster : worst != no_request && !among_best(worst);
    return full ? worst : no_request;
  }

  [[nodiscard]] constexpr auto donee_for(request_id r) noexcept -> request_id {
    const request_id advised = heuristic_.donee(*this, r);
    if (advised != no_request) {
      if (advised >= 0 && advised < capacity() && eligible_donee(advised)) { return advised; }
      ++rejected_;
    }
    request_id worst = no_request;
    for (request_id i = 0; i < capacity(); ++i) {
      if (eligible_donee(i) && (worst == no_request || precedes(worst, i))) { worst = i; }
    }
    return worst;
  }

  [[nodiscard]] constexpr auto donor_of_risen() const noexcept -> request_id {
    if constexpr (Rules::donees_rise) { return no_request; }
    for (request_id i = 0; i < capacity(); ++i) {
      if (is_donor(i) && among_best(donee_of(i))) { return i; }
    }
    return no_request;
  }

  /// Applies rule R5 to a place that has become free in x.
  constexpr void refill(replica_id x, request_id donor) noexcept {
    if (outside_ == 0) { return; }
    request_id r = donor != no_request ? donor : donor_of_risen();
    if (r == no_request) { r = best_in(place::priority_queue); }
    if (r == no_request && !Rules::printed_r5) { r = best_in(place::donor_queue); }
    if (r == no_request) { return; }
    end_donation(r);
    queues_.append(x, r);
    put(r, place::queue);
    heuristic_.enqueued(*this, r, x);
  }

  /// Called when replica x has run out of requests, and no request stands outside.
  constexpr auto steal(replica_id x) noexcept -> request_id {
    if constexpr (Rules::printed_r5 || Replicas == 1) { return no_request; }
    const request_id r = detail::request_to_steal(*this, heuristic_, arrivals_, x, rejected_);
    if (r == no_request) { return no_request; }
    leave_queue(r);
    return join(x, r);
  }

  r2dglp_options options_;
  request_queues<Replicas, Requests> queues_;
  request_queues<1, Replicas == 1 ? 1 : Requests> arrivals_;  ///< all incomplete requests in the order of issue
  std::array<place, Requests> place_{};
  std::int32_t outside_ = 0;                    ///< requests in the priority queue or that of the donors
  std::array<request_id, Requests> partner_{};  ///< a donor's donee, a donee's donor
  std::array<lock_request, Requests> requests_{};
  std::int64_t rejected_ = 0;
  [[no_unique_address]] Heuristic heuristic_;
};

}  // namespace takt::inline TAKT_ABI
