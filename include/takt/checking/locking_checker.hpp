// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <takt/checking/longest_delay.hpp>
#include <takt/core/to_index.hpp>
#include <takt/model/priority_point.hpp>
#include <takt/model/service_order.hpp>
#include <takt/rules/locking/protocol.hpp>

namespace takt::inline TAKT_ABI::checking {

struct checker_expectations {
  /// Says which waiter a release must serve: `service_order::first_come`, `service_order::priority` or a comparison of
  /// one's own. Nothing: any waiter.
  std::optional<service_order> order{};
  bool work_conserving = true;
  bool serves_all = true;
};

/// Runs every sequence of issue, release and withdraw on a lock, for every order of importance among its clients. It
/// checks what any lock must keep: replicas exclude, no request is lost or invented, grants are told, and `inheritor`
/// leads to holders. It checks what is expected besides; `invariant(lock)` says what else is wrong with a state, in a
/// word, or nothing. Clients are as many as the lock has room for. Cost: n! times the states of a lock with n clients,
/// of which there are some hundred for four and some ten thousand for six.
template <CheckableLock P, class Invariant>
class locking_checker {
 public:
  locking_checker(const P& start, const checker_expectations& e, Invariant invariant)
      : start_{start}, expected_{e}, invariant_{invariant} {}

  void run() {
    std::iota(importance_.begin(), importance_.end(), 0);
    do {
      states_.clear();
      found_.clear();
      visit({start_, {}});
      for (std::size_t at = 0; at < states_.size(); ++at) { expand(state{states_[at]}); }
      total_ += states_.size();
    } while (std::next_permutation(importance_.begin(), importance_.end()));
  }

  [[nodiscard]] auto states() const -> std::size_t { return total_; }
  [[nodiscard]] auto transitions() const -> std::size_t { return transitions_; }
  /// Returns the first fault that was found.
  [[nodiscard]] auto complaint() const -> const std::string& { return complaint_; }

 private:
  static constexpr request_id clients = P::capacity();
  static constexpr std::size_t count = static_cast<std::size_t>(clients);

  struct state {
    P lock;
    std::vector<request_id> arrivals;  ///< incomplete requests in the order of issue, kept beside the lock

    friend auto operator==(const state&, const state&) -> bool = default;
  };

  void expect(bool fine, const char* what) {
    if (!fine && complaint_.empty()) { complaint_ = what; }
  }

  void visit(const state& s) {
    position_hash h;
    h.mix_lock(s.lock, clients);
    for (const request_id r : s.arrivals) { h.mix(r); }
    for (auto [i, end] = found_.equal_range(h.value()); i != end; ++i) {
      if (states_[i->second] == s) { return; }
    }
    found_.emplace(h.value(), states_.size());
    states_.push_back(s);
    check(s);
  }

  void check(const state& s) {
    std::vector<bool> held(to_index(s.lock.replicas()));
    std::size_t waiting = 0;
    for (request_id r = 0; r < clients; ++r) {
      const bool incomplete = std::ranges::find(s.arrivals, r) != s.arrivals.end();
      expect(!(s.lock.holds(r) && s.lock.waits(r)), "a client waits and holds");
      expect(incomplete == (s.lock.holds(r) || s.lock.waits(r)), "a request is lost or invented");
      const replica_id x = s.lock.replica(r);
      if (s.lock.holds(r)) {
        const bool own = x >= 0 && x < s.lock.replicas() && !held[to_index(x)];
        expect(own, "two holders share a replica");
        if (own) { held[to_index(x)] = true; }
      } else {
        expect(x == no_replica, "a replica without a holder");
        expect(!s.lock.contended(r), "contended without a holder");
      }
      waiting += s.lock.waits(r) ? 1U : 0U;
      request_id end = r;
      for (std::size_t step = 0; step < count && end != no_request && !s.lock.holds(end); ++step) {
        expect(s.lock.inheritor(end) == no_request || s.lock.waits(end), "somebody who does not wait has an inheritor");
        end = s.lock.inheritor(end);
      }
      expect(end == no_request || s.lock.holds(end), "an inheritor does not lead to a holder");
    }
    const bool busy = std::ranges::find(held, false) == held.end();
    expect(!expected_.work_conserving || waiting == 0 || busy, "a replica idles while somebody waits");
    const std::string wrong = invariant_(s.lock);
    if (!wrong.empty() && complaint_.empty()) { complaint_ = wrong; }
    if (expected_.serves_all) { drain(s.lock); }
  }

  /// Checks that from any state, releases alone serve every client.
  void drain(P lock) {
    for (std::size_t step = 0; step < count; ++step) {
      for (request_id r = 0; r < clients; ++r) {
        if (!lock.holds(r)) { continue; }
        lock.release(r);
        break;
      }
    }
    for (request_id r = 0; r < clients; ++r) { expect(!lock.holds(r) && !lock.waits(r), "somebody is never served"); }
  }

  void expand(const state& s) {
    for (request_id r = 0; r < clients; ++r) {
      state next = s;
      request_id granted = no_request;
      if (s.lock.holds(r)) {
        std::erase(next.arrivals, r);
        granted = next.lock.release(r);
        expect(granted == no_request || s.lock.waits(granted), "somebody who did not wait is served");
        check_order(s, granted);
      } else if (s.lock.waits(r)) {
        std::erase(next.arrivals, r);
        granted = next.lock.withdraw(r);
      } else {
        next.arrivals.push_back(r);
        granted = next.lock.issue(r, {.priority = priority_of(r), .length = 1});
        expect(granted == no_request || granted == r, "an issue serves somebody else");
      }
      for (request_id i = 0; i < clients; ++i) {
        if (i == r && s.lock.holds(r)) { continue; }
        const bool starts = next.lock.holds(i) && !s.lock.holds(i);
        expect(starts == (i == granted), "a grant is not reported, or reported without being one");
        expect(!s.lock.holds(i) || next.lock.replica(i) == s.lock.replica(i), "a holder loses its replica");
      }
      ++transitions_;
      visit(next);
    }
  }

  void check_order(const state& s, request_id granted) {
    if (!expected_.order) { return; }
    request_id best = no_request;
    waiting_claim first;
    for (std::size_t place = 0; place < s.arrivals.size(); ++place) {
      const request_id r = s.arrivals[place];
      if (!s.lock.waits(r)) { continue; }
      const waiting_claim claim{priority_of(r), static_cast<std::int64_t>(place)};
      if (best != no_request && !expected_.order->goes_first(claim, first)) { continue; }
      best = r;
      first = claim;
    }
    expect(granted == best, "somebody is served out of order");
  }
  [[nodiscard]] auto priority_of(request_id r) const -> priority_point { return {importance_[to_index(r)], r}; }

  P start_;
  checker_expectations expected_;
  Invariant invariant_;
  std::array<std::int32_t, count> importance_{};
  std::vector<state> states_;
  std::unordered_multimap<std::uint64_t, std::size_t> found_;
  std::size_t total_ = 0;
  std::size_t transitions_ = 0;
  std::string complaint_;
};

struct no_invariant {
  template <class P>
  [[nodiscard]] auto operator()(const P& /*lock*/) const -> std::string {
    return {};
  }
};

struct lock_report {
  std::string complaint{};  ///< what was found wrong first; empty: nothing
  std::size_t states = 0;
  std::size_t transitions = 0;

  [[nodiscard]] auto passed() const noexcept -> bool { return complaint.empty(); }
};

/// Returns what is wrong with a lock in any order of events; see `locking_checker`. Pre: nobody holds or waits for it.
template <CheckableLock P, class Invariant = no_invariant>
[[nodiscard]] auto check_lock(const P& start, const checker_expectations& e = {}, Invariant invariant = {})
    -> lock_report {
  for (request_id r = 0; r < P::capacity(); ++r) { TAKT_EXPECTS(!start.holds(r) && !start.waits(r)); }
  locking_checker<P, Invariant> checker{start, e, invariant};
  checker.run();
  return {checker.complaint(), checker.states(), checker.transitions()};
}

}  // namespace takt::inline TAKT_ABI::checking
