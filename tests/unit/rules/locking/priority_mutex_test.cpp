// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <takt/rules/locking/priority_mutex.hpp>

namespace {

using takt::no_request;
using takt::request_id;

constexpr request_id clients = 3;
constexpr std::int64_t levels = 2;

/// Visits every state that clients with two priority levels can reach, and holds each release to the rule.
class every_interleaving {
 public:
  using mutex = takt::priority_mutex<clients>;
  struct state {
    mutex lock;
    std::vector<request_id> waiting{};  ///< in the order of issue
    std::array<std::int64_t, clients> told{};

    [[nodiscard]] auto operator==(const state&) const -> bool = default;
  };

  void explore(const state& s) {
    if (std::ranges::find(seen_, s) != seen_.end()) { return; }
    seen_.push_back(s);
    const request_id holder = s.lock.holder();
    for (request_id r = 0; r < clients; ++r) {
      CHECK(s.lock.waits(r) == (std::ranges::find(s.waiting, r) != s.waiting.end()));
      CHECK(s.lock.holds(r) == (r == holder));
      CHECK(s.lock.inheritor(r) == (s.lock.waits(r) ? holder : no_request));
      CHECK(s.lock.replica(r) == (r == holder ? 0 : takt::no_replica));
      CHECK(s.lock.contended(r) == (r == holder && !s.waiting.empty()));
      if (r == holder) { release(s); }
      for (std::int64_t p = 0; p < levels; ++p) {
        if (s.lock.waits(r)) {
          reprioritize(s, r, p);
        } else if (r != holder) {
          issue(s, r, p);
        }
      }
      if (s.lock.waits(r)) { withdraw(s, r); }
    }
    CHECK((holder != no_request || s.waiting.empty()));
  }
  [[nodiscard]] auto states() const -> std::size_t { return seen_.size(); }

 private:
  void issue(state s, request_id r, std::int64_t p) {
    const bool idle = s.lock.holder() == no_request;
    CHECK(s.lock.issue(r, {.priority = {p, 0}}) == (idle ? r : no_request));
    if (!idle) {
      s.waiting.push_back(r);
      s.told[static_cast<std::size_t>(r)] = p;
    }
    explore(s);
  }
  void release(state s) {
    const auto priority = [&](request_id r) { return s.told[static_cast<std::size_t>(r)]; };
    const auto best = std::ranges::min_element(s.waiting, {}, priority);
    const request_id expected = best == s.waiting.end() ? no_request : *best;
    CHECK(s.lock.best_waiting() == expected);
    CHECK(s.lock.release(s.lock.holder()) == expected);
    CHECK(s.lock.holder() == expected);
    forget(s, expected);
    explore(s);
  }
  void reprioritize(state s, request_id r, std::int64_t p) {
    s.lock.reprioritize(r, {p, 0});
    CHECK(s.lock.effective(r) == takt::priority_point{p, 0});
    s.told[static_cast<std::size_t>(r)] = p;
    explore(s);
  }
  void withdraw(state s, request_id r) {
    CHECK(s.lock.withdraw(r) == no_request);
    forget(s, r);
    explore(s);
  }
  static void forget(state& s, request_id r) {
    std::erase(s.waiting, r);
    if (r != no_request) { s.told[static_cast<std::size_t>(r)] = 0; }
  }

  std::vector<state> seen_;
};

}  // namespace

TEST_CASE(
    "a priority mutex goes to the best waiting client, and to the first of equal ones, in every reachable state") {
  every_interleaving all;
  all.explore({});
  CHECK(all.states() > 20);
}

TEST_CASE("a priority told while waiting decides, not the one at the request") {
  takt::priority_mutex<3> m;
  CHECK(m.issue(0, {.priority = {5, 0}}) == 0);
  CHECK(m.issue(1, {.priority = {2, 1}}) == no_request);
  CHECK(m.issue(2, {.priority = {3, 2}}) == no_request);
  m.reprioritize(2, {1, 9});
  CHECK(m.best_waiting() == 2);
  CHECK(m.release(0) == 2);
  CHECK(m.release(2) == 1);
  CHECK(m.release(1) == no_request);
  CHECK(m == takt::priority_mutex<3>{});
}

TEST_CASE(
    "a mutex in an order of one's own serves in that order, and claims that it does not tell apart as they came") {
  constexpr takt::service_order last_come{
      [](const takt::waiting_claim& a, const takt::waiting_claim& b) noexcept { return a.place > b.place; }};
  constexpr takt::service_order in_bands{[](const takt::waiting_claim& a, const takt::waiting_claim& b) noexcept {
    return a.priority.point / 10 < b.priority.point / 10;
  }};
  const auto served = [](const takt::service_order& order) {
    takt::ordered_mutex<5> m{order};
    constexpr std::int64_t points[]{99, 25, 17, 12, 3};
    for (takt::request_id r = 0; r < 5; ++r) { static_cast<void>(m.issue(r, {.priority = {points[r], 0}})); }
    std::vector<takt::request_id> out;
    for (takt::request_id r = m.release(0); r != takt::no_request; r = m.release(r)) { out.push_back(r); }
    return out;
  };
  using ids = std::vector<takt::request_id>;
  CHECK(served(takt::service_order::first_come) == ids{1, 2, 3, 4});
  CHECK(served(takt::service_order::priority) == ids{4, 3, 2, 1});
  CHECK(served(last_come) == ids{4, 3, 2, 1});
  CHECK(served(in_bands) == ids{4, 2, 3, 1});
}
