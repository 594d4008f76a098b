// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/rules/locking/resource_groups.hpp>
#include "support/traces.hpp"

namespace {

using takt::group_status;
using takt::lock_id;
using takt::no_request;
using takt::request_id;

constexpr request_id clients = 3;
constexpr lock_id locks = 3;
using list = takt::lock_list<locks>;

[[nodiscard]] constexpr auto of(std::initializer_list<lock_id> ids) -> list {
  list l;
  for (const lock_id id : ids) { l.unchecked_push_back(id); }
  return l;
}

[[nodiscard]] auto all_subsets() -> std::vector<list> {
  std::vector<list> sets;
  for (unsigned mask = 1; mask < 8; ++mask) {
    list l;
    for (lock_id id = 0; id < locks; ++id) {
      if ((mask >> static_cast<unsigned>(id) & 1U) != 0) { l.unchecked_push_back(id); }
    }
    sets.push_back(l);
  }
  return sets;
}

/// States that have been visited, in buckets by a number that is equal for equal states.
template <class State>
class visited {
 public:
  /// True if the state is new.
  auto insert(const State& s) -> bool {
    auto& bucket = buckets_[s.bucket()];
    if (std::ranges::find(bucket, s) != bucket.end()) { return false; }
    bucket.push_back(s);
    ++size_;
    return true;
  }
  [[nodiscard]] auto size() const -> std::size_t { return size_; }

 private:
  std::map<std::int64_t, std::vector<State>> buckets_;
  std::size_t size_ = 0;
};

template <class Lock>
[[nodiscard]] auto outline(const Lock& lock) -> std::int64_t {
  std::int64_t n = 0;
  for (lock_id l = 0; l < locks; ++l) { n = 4 * n + lock.holder(l) + 1; }
  for (request_id c = 0; c < clients; ++c) {
    n *= 8;
    for (const lock_id l : lock.wanted(c)) { n += std::int64_t{1} << l; }
  }
  return n;
}

/// Everything that clients can do in any order: ask for any set, release one lock or all, give up.
template <class Lock>
class every_interleaving {
 public:
  struct state {
    Lock lock;
    std::vector<request_id> order{};  ///< incomplete requests in the order of issue

    [[nodiscard]] auto operator==(const state&) const -> bool = default;
    [[nodiscard]] auto bucket() const -> std::int64_t { return outline(lock); }
  };

  void explore(const state& start) {
    std::vector<state> todo{start};
    seen_.insert(start);
    while (!todo.empty()) {
      const state s = todo.back();
      todo.pop_back();
      check(s);
      for (request_id c = 0; c < clients; ++c) {
        for (state& next : successors(s, c)) {
          if (seen_.insert(next)) { todo.push_back(std::move(next)); }
        }
      }
    }
  }
  [[nodiscard]] auto states() const -> std::size_t { return seen_.size(); }

 private:
  [[nodiscard]] auto successors(const state& s, request_id c) const -> std::vector<state> {
    std::vector<state> next;
    const auto step = [&](auto&& event) {
      state after = s;
      const auto answer = event(after);
      REQUIRE(answer.status == group_status::accepted);
      for (const request_id satisfied : answer.satisfied) {
        REQUIRE(after.lock.holds(satisfied));
        REQUIRE(!s.lock.holds(satisfied));
      }
      for (request_id other = 0; other < clients; ++other) {
        const bool named = std::ranges::find(answer.satisfied, other) != answer.satisfied.end();
        REQUIRE((named || !after.lock.holds(other) || s.lock.holds(other)));
      }
      next.push_back(after);
    };
    if (!s.lock.holds(c) && !s.lock.waits(c)) {
      for (const list& wanted : sets_) {
        step([&](state& t) {
          t.order.push_back(c);
          return t.lock.issue(c, wanted, {c, 0});
        });
      }
      REQUIRE(state{s}.lock.release(c).status == group_status::not_held);
      REQUIRE(state{s}.lock.withdraw(c).status == group_status::not_waiting);
      return next;
    }
    REQUIRE(state{s}.lock.issue(c, sets_[0], {c, 0}).status == group_status::client_busy);
    const auto leave = [&](auto&& event) {
      step([&](state& t) {
        const auto answer = event(t.lock);
        if (!t.lock.holds(c)) { std::erase(t.order, c); }
        return answer;
      });
    };
    if (s.lock.waits(c)) {
      leave([&](Lock& l) { return l.withdraw(c); });
      REQUIRE(state{s}.lock.release(c).status == group_status::not_held);
      return next;
    }
    leave([&](Lock& l) { return l.release(c); });
    for (lock_id id = 0; id < locks; ++id) {
      if (s.lock.holds(c, id)) {
        leave([&](Lock& l) { return l.release(c, id); });
      }
    }
    return next;
  }

  static void check(const state& s) {
    bool anybody_waits = false;
    bool somebody_holds_all = false;
    for (request_id c = 0; c < clients; ++c) {
      const bool open = std::ranges::find(s.order, c) != s.order.end();
      REQUIRE((s.lock.waits(c) || s.lock.holds(c)) == open);
      anybody_waits = anybody_waits || s.lock.waits(c);
      somebody_holds_all = somebody_holds_all || s.lock.holds(c);
      check_inheritor(s, c);
    }
    REQUIRE((!anybody_waits || somebody_holds_all));
    check_order(s);
  }
  /// Following the inheritors ends at somebody who holds everything.
  static void check_inheritor(const state& s, request_id c) {
    request_id at = c;
    for (int hops = 0; s.lock.waits(at) && s.lock.inheritor(at) != no_request; ++hops) {
      REQUIRE(hops < clients);
      const request_id inheritor = s.lock.inheritor(at);
      REQUIRE(inheritor != at);
      REQUIRE(s.lock.contended(inheritor));
      at = inheritor;
    }
    if constexpr (requires { s.lock.next(c, 0); }) { REQUIRE((!s.lock.waits(c) || s.lock.holds(at))); }
  }
  static void check_order(const state& s) {
    if constexpr (requires { s.lock.next(0, 0); }) {
      const auto place = [&](request_id c) { return std::ranges::find(s.order, c) - s.order.begin(); };
      for (lock_id l = 0; l < locks; ++l) {
        for (request_id c = s.lock.holder(l); c != no_request && s.lock.next(c, l) != no_request;
             c = s.lock.next(c, l)) {
          REQUIRE(place(c) < place(s.lock.next(c, l)));
        }
      }
    } else {
      for (request_id c = 0; c < clients; ++c) {
        for (lock_id l = 0; l < locks; ++l) { REQUIRE((!s.lock.waits(c) || s.lock.holder(l) != c)); }
      }
    }
  }

  std::vector<list> sets_ = all_subsets();
  visited<state> seen_;
};

/// Every section lasts one unit of time from the grant; between two units clients ask for any sets in any order. Waits
/// are counted up to the number of clients.
template <class Lock>
class every_unit_time_run {
 public:
  struct state {
    Lock lock;
    std::array<std::int32_t, clients> waited{};

    [[nodiscard]] auto operator==(const state&) const -> bool = default;
    [[nodiscard]] auto bucket() const -> std::int64_t {
      return 64 * outline(lock) + 16 * waited[0] + 4 * waited[1] + waited[2];
    }
  };

  /// `bound(c)`: the longest that client c may wait.
  template <class Bound>
  void explore(Bound&& bound) {
    std::vector<state> todo{{}};
    seen_.insert(todo.back());
    const auto visit = [&](const state& s) {
      if (seen_.insert(s)) { todo.push_back(s); }
    };
    while (!todo.empty()) {
      const state s = todo.back();
      todo.pop_back();
      for (request_id c = 0; c < clients; ++c) {
        longest_[static_cast<std::size_t>(c)] = std::max(longest(c), s.waited[static_cast<std::size_t>(c)]);
        REQUIRE(s.waited[static_cast<std::size_t>(c)] <= bound(c));
        if (s.lock.holds(c) || s.lock.waits(c)) { continue; }
        for (const list& wanted : sets_) {
          state next = s;
          REQUIRE(next.lock.issue(c, wanted, {c, 0}).status == group_status::accepted);
          visit(next);
        }
      }
      visit(one_unit_later(s));
    }
  }
  [[nodiscard]] auto longest(request_id c) const -> std::int32_t { return longest_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] auto states() const -> std::size_t { return seen_.size(); }

 private:
  [[nodiscard]] static auto one_unit_later(const state& s) -> state {
    state next = s;
    for (request_id c = 0; c < clients; ++c) {
      auto& waited = next.waited[static_cast<std::size_t>(c)];
      waited = s.lock.waits(c) ? std::min(waited + 1, clients) : 0;
    }
    for (request_id c = 0; c < clients; ++c) {
      if (s.lock.holds(c)) { REQUIRE(next.lock.release(c).status == group_status::accepted); }
    }
    return next;
  }

  std::vector<list> sets_ = all_subsets();
  visited<state> seen_;
  std::array<std::int32_t, clients> longest_{};
};

/// Grants atomically in priority order, but lets anybody take what is free.
class overtaking_group_lock {
 public:
  void issue(request_id c, std::vector<lock_id> wanted) {
    waiting_.emplace(c, std::move(wanted));
    decide();
  }
  void release(request_id c) {
    held_.erase(c);
    decide();
  }
  [[nodiscard]] auto waits(request_id c) const -> bool { return waiting_.contains(c); }

 private:
  void decide() {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const bool free = std::ranges::none_of(it->second, [&](lock_id l) {
        return std::ranges::any_of(held_,
                                   [&](const auto& h) { return std::ranges::find(h.second, l) != h.second.end(); });
      });
      if (free) { held_.insert(*it); }
      it = free ? waiting_.erase(it) : std::next(it);
    }
  }

  std::map<request_id, std::vector<lock_id>> waiting_;
  std::map<request_id, std::vector<lock_id>> held_;
};

}  // namespace

TEST_CASE_TEMPLATE("no reachable state of a group lock is a deadlock or lets two hold one lock", Lock,
                   takt::group_lock<locks, clients>, takt::priority_group_lock<locks, clients>) {
  every_interleaving<Lock> all;
  all.explore({});
  CHECK(all.states() > 1000);
}

TEST_CASE("a first-in-first-out group request waits for at most one section of each other client") {
  every_unit_time_run<takt::group_lock<locks, clients>> all;
  all.explore([](request_id) { return clients - 1; });
  CHECK(all.states() > 1000);
  for (request_id c = 0; c < clients; ++c) { CHECK(all.longest(c) == clients - 1); }
}

TEST_CASE("the best group request waits for at most one section") {
  every_unit_time_run<takt::priority_group_lock<locks, clients>> all;
  all.explore([](request_id c) { return c == 0 ? 1 : clients; });
  CHECK(all.longest(0) == 1);
  CHECK(all.longest(clients - 1) == clients);
}

TEST_CASE("a group request is atomic, free of deadlock in order of issue, and pushes one holder at a time" *
          takt_tests::traces("GSD-28")) {
  takt::group_lock<3, 3> g;
  CHECK(g.issue(0, of({0})).satisfied.size() == 1);
  CHECK(g.issue(1, of({1})).satisfied.size() == 1);
  CHECK(g.issue(2, of({2, 0, 1})).satisfied.empty());
  CHECK(g.holds(2, 2));
  CHECK(!g.holds(2));
  CHECK(g.inheritor(2) == 0);
  CHECK(g.contended(0));
  CHECK(g.contended(1));

  CHECK(g.release(0).satisfied.empty());
  CHECK(g.holds(2, 0));
  CHECK(g.inheritor(2) == 1);

  SUBCASE("later requests stand behind the whole group, whatever it holds already") {
    CHECK(g.issue(0, of({1, 0})).satisfied.empty());
    CHECK(g.inheritor(0) == 1);
    const auto after = g.release(1);
    REQUIRE(after.satisfied.size() == 1);
    CHECK(after.satisfied[0] == 2);
    CHECK(g.inheritor(0) == 2);
    SUBCASE("locks can be given back one by one") {
      CHECK(g.release(2, 0).satisfied.empty());
      CHECK(g.holds(0, 0));
      CHECK(g.holds(2));
      CHECK(g.release(2, 2).satisfied.empty());
      REQUIRE(g.release(2, 1).satisfied.size() == 1);
      CHECK(g.holds(0));
      CHECK(!g.holds(2));
    }
    SUBCASE("or all at once") {
      REQUIRE(g.release(2).satisfied.size() == 1);
      CHECK(g.holds(0));
    }
    CHECK(g.release(0).status == group_status::accepted);
    CHECK(g == takt::group_lock<3, 3>{});
  }
  SUBCASE("giving up passes on what was granted already") {
    CHECK(g.issue(0, of({2})).satisfied.empty());
    const auto after = g.withdraw(2);
    REQUIRE(after.satisfied.size() == 1);
    CHECK(after.satisfied[0] == 0);
    CHECK(!g.waits(2));
  }
}

TEST_CASE("one release can satisfy several group requests") {
  takt::group_lock<3, 3> g;
  CHECK(g.issue(0, of({0, 1, 2})).satisfied.size() == 1);
  CHECK(g.issue(1, of({0, 2})).satisfied.empty());
  CHECK(g.issue(2, of({1})).satisfied.empty());
  CHECK(g.release(0).satisfied.size() == 2);
}

TEST_CASE_TEMPLATE("a group lock refuses what it cannot serve and stays as it was", Lock, takt::group_lock<3, 3>,
                   takt::priority_group_lock<3, 3>) {
  Lock g;
  CHECK(g.issue(0, of({}), {}).status == group_status::no_lock);
  CHECK(g.issue(0, of({3}), {}).status == group_status::unknown_lock);
  CHECK(g.issue(0, of({-1}), {}).status == group_status::unknown_lock);
  CHECK(g.issue(0, of({1, 1}), {}).status == group_status::duplicate_lock);
  CHECK(g.release(0, 3).status == group_status::not_held);
  CHECK(g.release(0, -1).status == group_status::not_held);
  CHECK(g == Lock{});
  CHECK(g.issue(0, of({1}), {}).status == group_status::accepted);
  CHECK(g.release(0, 2).status == group_status::not_held);
  CHECK(g.issue(0, of({2}), {}).status == group_status::client_busy);
  CHECK(g.withdraw(0).status == group_status::not_waiting);
  const Lock before = g;
  for (const takt::request_id nobody : {-1, 3, 9, std::numeric_limits<takt::request_id>::max()}) {
    CAPTURE(nobody);
    CHECK(g.issue(nobody, of({0}), {}).status == group_status::unknown_client);
    CHECK(g.release(nobody).status == group_status::unknown_client);
    CHECK(g.release(nobody, 1).status == group_status::unknown_client);
    CHECK(g.withdraw(nobody).status == group_status::unknown_client);
    CHECK(g.reprioritize(nobody, {1, 1}).satisfied.empty());
    CHECK_FALSE(g.holds(nobody));
    CHECK_FALSE(g.waits(nobody));
    CHECK_FALSE(g.contended(nobody));
    CHECK(g.inheritor(nobody) == takt::no_request);
  }
  CHECK(g == before);
}

TEST_CASE("in priority order a group gets all its locks or none, and keeps them free for itself") {
  takt::priority_group_lock<3, 3> g;
  CHECK(g.issue(2, of({0}), {9, 0}).satisfied.size() == 1);
  CHECK(g.issue(0, of({1, 0}), {1, 0}).satisfied.empty());
  CHECK(!g.holds(0, 1));
  CHECK(g.inheritor(0) == 2);
  CHECK(g.issue(1, of({1}), {5, 0}).satisfied.empty());
  CHECK(g.inheritor(1) == no_request);

  SUBCASE("a worse request does not take a lock that is kept") {
    const auto after = g.release(2);
    REQUIRE(after.satisfied.size() == 1);
    CHECK(after.satisfied[0] == 0);
    CHECK(g.inheritor(1) == 0);
  }
  SUBCASE("a request that has become better does") {
    const auto after = g.reprioritize(1, {0, 0});
    REQUIRE(after.satisfied.size() == 1);
    CHECK(after.satisfied[0] == 1);
    CHECK(g.inheritor(0) == 1);
  }
  SUBCASE("and one for which nothing is kept any more") {
    const auto after = g.withdraw(0);
    REQUIRE(after.satisfied.size() == 1);
    CHECK(after.satisfied[0] == 1);
  }
}

TEST_CASE("without keeping locks free, two worse clients keep the best one waiting for ever") {
  constexpr lock_id a = 0;
  constexpr lock_id b = 1;
  overtaking_group_lock overtaking;
  takt::priority_group_lock<3, 3> keeping;
  overtaking.issue(1, {a});
  CHECK(keeping.issue(1, of({a}), {1, 0}).satisfied.size() == 1);
  overtaking.issue(0, {a, b});
  CHECK(keeping.issue(0, of({a, b}), {0, 0}).satisfied.empty());
  for (int round = 0; round < 100; ++round) {
    overtaking.issue(2, {b});
    overtaking.release(1);
    CHECK(overtaking.waits(0));
    overtaking.issue(1, {a});
    overtaking.release(2);
    CHECK(overtaking.waits(0));
  }
  CHECK(keeping.issue(2, of({b}), {2, 0}).satisfied.empty());
  CHECK(keeping.release(1).satisfied.size() == 1);
  CHECK(keeping.holds(0));
}

TEST_CASE("resources that are used together are guarded by one lock, whoever uses which of them" *
          takt_tests::traces("GSD-25")) {
  takt::resource_groups<6> groups;
  const auto used = [](std::initializer_list<lock_id> ids) {
    takt::lock_list<6> l;
    for (const lock_id id : ids) { l.unchecked_push_back(id); }
    return l;
  };
  REQUIRE(groups.together(used({3, 1})) == group_status::accepted);
  REQUIRE(groups.together(used({5})) == group_status::accepted);
  REQUIRE(groups.together(used({4, 2})) == group_status::accepted);
  REQUIRE(groups.together(used({2, 3})) == group_status::accepted);
  for (const lock_id r : {1, 2, 3, 4}) { CHECK(groups.lock_of(r) == 1); }
  CHECK(groups.lock_of(0) == 0);
  CHECK(groups.lock_of(5) == 5);

  std::array<takt::fifo_mutex<2>, 6> lock;
  const auto of_resource = [&](lock_id r) -> takt::fifo_mutex<2>& {
    return lock[static_cast<std::size_t>(groups.lock_of(r))];
  };
  CHECK(of_resource(3).issue(0, {}) == 0);
  CHECK(of_resource(4).issue(1, {}) == no_request);
  CHECK(of_resource(5).issue(1, {}) == 1);
  CHECK(of_resource(1).release(0) == 1);

  const auto before = groups;
  CHECK(groups.together(used({0, 6})) == group_status::unknown_lock);
  CHECK(groups.together(used({0, 5, 0})) == group_status::duplicate_lock);
  CHECK(groups.together(used({})) == group_status::no_lock);
  CHECK(groups == before);
}
