// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/progress.hpp>
#include "support/environment.hpp"
#include "support/progress_edges.hpp"
#include "support/traces.hpp"

namespace {

using takt::boosted_priority;
using takt::edge_status;
using takt::no_request;
using takt::priority_node;
using takt::priority_point;
using takt::request_id;

constexpr request_id clients = 5;
constexpr priority_node booster = clients;
using graph = takt::priority_graph<clients + 1, 12>;

[[nodiscard]] constexpr auto index(request_id c) -> std::size_t { return static_cast<std::size_t>(c); }

[[nodiscard]] auto runs(const char* name, int standard) -> int {
  return takt_tests::from_environment<int>(name, standard);
}

/// What a mechanism makes of a lock.
struct definition {
  bool inherits = false;
  bool boosts_contended = false;
  bool boosts_all = false;
};

/// What the lock's own answers to `inheritor`, `holds` and `contended` lead to, pulled until nothing changes.
template <class Lock>
[[nodiscard]] auto by_definition(const Lock& lock, const definition& d, const std::vector<priority_point>& base)
    -> std::vector<priority_point> {
  auto best = base;
  for (request_id c = 0; c < clients; ++c) {
    const bool boosted = lock.holds(c) && (d.boosts_all || (d.boosts_contended && lock.contended(c)));
    if (boosted) { best[index(c)] = boosted_priority; }
  }
  if (!d.inherits) { return best; }
  for (request_id round = 0; round < clients; ++round) {
    for (request_id c = 0; c < clients; ++c) {
      const request_id inheritor = lock.inheritor(c);
      if (inheritor != no_request) { best[index(inheritor)] = std::min(best[index(inheritor)], best[index(c)]); }
    }
  }
  return best;
}

template <class Mechanism, class Lock>
class random_history {
 public:
  random_history(std::uint64_t seed, const definition& d, const Mechanism& mechanism)
      : random_{seed}, definition_{d}, mechanism_{mechanism} {
    graph_.set_base(booster, boosted_priority);
    for (request_id c = 0; c < clients; ++c) { set_base(c); }
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const auto c = static_cast<request_id>(random_.below(clients));
      if (random_.chance(1, 4)) { set_base(c); }
      if (lock_.holds(c)) {
        static_cast<void>(lock_.release(c));
      } else if (lock_.waits(c)) {
        if (random_.chance(1, 5)) { static_cast<void>(lock_.withdraw(c)); }
      } else {
        issue(c);
      }
      REQUIRE(edges_.follow(lock_, mechanism_, graph_, booster) == edge_status::added);
      const auto expected = by_definition(lock_, definition_, base_);
      for (request_id d = 0; d < clients; ++d) { REQUIRE(graph_.effective(d) == expected[index(d)]); }
    }
  }

 private:
  void set_base(request_id c) {
    base_[index(c)] = {random_.below(100), c};
    graph_.set_base(c, base_[index(c)]);
  }
  void issue(request_id c) {
    if constexpr (takt::LockingProtocol<Lock>) {
      static_cast<void>(lock_.issue(c, {.priority = base_[index(c)]}));
    } else {
      typename Lock::list wanted;
      for (takt::lock_id l = 0; l < 3; ++l) {
        if (random_.chance(1, 2)) { wanted.unchecked_push_back(2 - l); }
      }
      static_cast<void>(lock_.issue(c, wanted, base_[index(c)]));
    }
  }

  takt::random_stream random_;
  definition definition_;
  Mechanism mechanism_;
  Lock lock_{};
  graph graph_;
  takt_tests::progress_edges<clients> edges_;
  std::vector<priority_point> base_ = std::vector<priority_point>(clients);
};

template <class Lock, class Mechanism>
void hold_to(const definition& d, std::uint64_t seed, const Mechanism& mechanism) {
  random_history<Mechanism, Lock>{seed, d, mechanism}.run(60);
  random_history<takt::any_progress, Lock>{seed, d, mechanism}.run(60);
}

template <class Lock>
void hold_every_mechanism_to_its_definition(int histories) {
  for (int i = 0; i < histories; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    hold_to<Lock>({}, seed, takt::no_progress{});
    hold_to<Lock>({.inherits = true}, seed, takt::priority_inheritance{});
    hold_to<Lock>({.boosts_contended = true}, seed, takt::boost_when_contended{});
    hold_to<Lock>({.boosts_all = true}, seed, takt::boost_when_granted{});
  }
}

/// One processor, one mutex, time in whole units. A job runs `before`, then `section` under the lock, then `after`.
struct job {
  std::int64_t release = 0;
  std::int64_t priority = 0;
  std::int64_t before = 0;
  std::int64_t section = 0;
  std::int64_t after = 0;
  std::int64_t started = -1;
  std::int64_t requested = -1;
  std::int64_t granted = -1;
  std::int64_t finished = -1;
};

template <class Mechanism>
[[nodiscard]] auto run_on_one_processor(std::vector<job> jobs) -> std::vector<job> {
  takt::fifo_mutex<clients> lock;
  graph priorities;
  takt_tests::progress_edges<clients> edges;
  priorities.set_base(booster, boosted_priority);
  for (request_id c = 0; c < std::ssize(jobs); ++c) { priorities.set_base(c, {jobs[index(c)].priority, c}); }
  std::int64_t now = 0;
  const auto follow = [&] { REQUIRE(edges.follow(lock, Mechanism{}, priorities, booster) == edge_status::added); };
  const auto best_ready = [&] {
    request_id best = no_request;
    for (request_id c = 0; c < std::ssize(jobs); ++c) {
      const job& j = jobs[index(c)];
      if (j.release > now || j.finished >= 0 || lock.waits(c)) { continue; }
      if (best == no_request || priorities.effective(c) < priorities.effective(best)) { best = c; }
    }
    return best;
  };
  const auto grant = [&](request_id c) {
    if (c != no_request) { jobs[index(c)].granted = now; }
    follow();
  };
  while (std::ranges::any_of(jobs, [](const job& j) { return j.finished < 0; })) {
    const request_id c = best_ready();
    if (c == no_request) {
      ++now;
      continue;
    }
    job& j = jobs[index(c)];
    if (j.started < 0) { j.started = now; }
    if (j.before == 0 && j.section > 0 && !lock.holds(c)) {
      j.requested = now;
      grant(lock.issue(c, {}));
      continue;
    }
    std::int64_t& part = j.before > 0 ? j.before : j.section > 0 ? j.section : j.after;
    if (part > 0) {
      --part;
      ++now;
    }
    if (j.section == 0 && lock.holds(c)) { grant(lock.release(c)); }
    if (j.before + j.section + j.after == 0) { j.finished = now; }
  }
  return jobs;
}

/// Figure 2.6 of the source: the low job locks at 5, the high one runs from 8 and asks at 15, the middle one comes at
/// 18 and a very high one, which uses no lock, at 19.
enum figure : std::uint8_t { low, high, middle, very_high };
[[nodiscard]] auto figure_jobs(bool with_very_high) -> std::vector<job> {
  std::vector<job> jobs{{.release = 0, .priority = 9, .before = 5, .section = 8, .after = 2},
                        {.release = 8, .priority = 2, .before = 7, .section = 3, .after = 1},
                        {.release = 18, .priority = 5, .before = 20}};
  if (with_very_high) { jobs.push_back({.release = 19, .priority = 1, .before = 5}); }
  return jobs;
}

}  // namespace

TEST_CASE("every mechanism keeps to its definition over every lock") {
  const int histories = runs("TAKT_PROGRESS_RUNS", 25);
  hold_every_mechanism_to_its_definition<takt::fifo_mutex<clients>>(histories);
  hold_every_mechanism_to_its_definition<takt::k_fmlp<2, clients>>(histories);
  hold_every_mechanism_to_its_definition<takt::priority_mutex<clients>>(histories);
  hold_every_mechanism_to_its_definition<takt::group_lock<3, clients>>(histories);
  hold_every_mechanism_to_its_definition<takt::priority_group_lock<3, clients>>(histories);
}

TEST_CASE("inheritance is transitive over several locks and yields the effective priority" *
          takt_tests::traces("GSD-20")) {
  graph g;
  for (request_id c = 0; c < clients; ++c) { g.set_base(c, {10 - c, 0}); }
  std::array<takt::fifo_mutex<clients>, 3> lock;
  std::array<takt_tests::progress_edges<clients>, 3> edges;
  const auto follow = [&] {
    for (std::size_t l = 0; l < lock.size(); ++l) {
      REQUIRE(edges[l].follow(lock[l], takt::priority_inheritance{}, g, booster) == edge_status::added);
    }
  };
  for (request_id c = 0; c < 3; ++c) {
    REQUIRE(lock[index(c)].issue(c, {}) == c);
    if (c > 0) { REQUIRE(lock[index(c - 1)].issue(c, {}) == no_request); }
  }
  follow();
  CHECK(g.effective(0) == priority_point{8, 0});
  REQUIRE(lock[2].issue(4, {}) == no_request);
  follow();
  for (request_id c = 0; c < 3; ++c) { CHECK(g.effective(c) == priority_point{6, 0}); }

  SUBCASE("and ends with the release") {
    REQUIRE(lock[0].release(0) == 1);
    follow();
    CHECK(g.effective(0) == priority_point{10, 0});
    CHECK(g.effective(1) == priority_point{6, 0});
  }
  SUBCASE("a circle over several locks is reported as the deadlock that it is") {
    REQUIRE(lock[2].issue(0, {}) == no_request);
    CHECK(edges[2].follow(lock[2], takt::priority_inheritance{}, g, booster) == edge_status::cycle);
    SUBCASE("until somebody gives up") {
      REQUIRE(lock[2].withdraw(0) == no_request);
      follow();
      CHECK(g.effective(0) == priority_point{6, 0});
    }
  }
}

TEST_CASE("a waiting holder passes on what it inherits, and a rise after the request arrives too") {
  graph g;
  for (request_id c = 0; c < clients; ++c) { g.set_base(c, {10 + c, 0}); }
  takt::fifo_mutex<clients> lock;
  takt_tests::progress_edges<clients> edges;
  REQUIRE(lock.issue(3, {}) == 3);
  REQUIRE(lock.issue(4, {}) == no_request);
  REQUIRE(edges.follow(lock, takt::priority_inheritance{}, g, booster) == edge_status::added);
  CHECK(g.effective(3) == priority_point{13, 0});
  g.set_base(4, {1, 0});
  CHECK(g.effective(3) == priority_point{1, 0});
  g.set_base(4, {20, 0});
  CHECK(g.effective(3) == priority_point{13, 0});
}

TEST_CASE("a graph without room for an edge is reported") {
  takt::priority_graph<clients + 1, 1> g;
  takt::fifo_mutex<clients> lock;
  takt_tests::progress_edges<clients> edges;
  for (request_id c = 0; c < 3; ++c) { static_cast<void>(lock.issue(c, {})); }
  CHECK(edges.follow(lock, takt::priority_inheritance{}, g, booster) == edge_status::full);
  REQUIRE(lock.withdraw(1) == no_request);
  CHECK(edges.follow(lock, takt::priority_inheritance{}, g, booster) == edge_status::added);
}

TEST_CASE("Elliott 2015, Example 2.4: with inheritance the high job waits for the section, not for the middle job") {
  const auto none = run_on_one_processor<takt::no_progress>(figure_jobs(false));
  const auto inherited = run_on_one_processor<takt::priority_inheritance>(figure_jobs(false));
  CHECK(none[high].requested == 15);
  CHECK(none[high].granted == 40);
  CHECK(inherited[high].requested == 15);
  CHECK(inherited[high].granted == 20);
}

TEST_CASE("boosting starts when contended or when granted, and delays an urgent job that needs no lock" *
          takt_tests::traces("GSD-22")) {
  const auto inherited = run_on_one_processor<takt::priority_inheritance>(figure_jobs(true));
  CHECK(inherited[very_high].started == 19);
  CHECK(inherited[high].granted == 25);

  const auto contended = run_on_one_processor<takt::boost_when_contended>(figure_jobs(true));
  CHECK(contended[high].started == 8);
  CHECK(contended[high].requested == 15);
  CHECK(contended[high].granted == 20);
  CHECK(contended[very_high].started == 20);
  CHECK(contended[very_high].finished == 25);

  auto uncontended = figure_jobs(true);
  uncontended[very_high].release = 6;
  const auto granted = run_on_one_processor<takt::boost_when_granted>(uncontended);
  CHECK(granted[low].granted == 5);
  CHECK(granted[very_high].started == 13);
  CHECK(run_on_one_processor<takt::boost_when_contended>(uncontended)[very_high].started == 6);
}

TEST_CASE("a mechanism as a value boosts unless its type says that it does not") {
  CHECK_FALSE(takt::any_progress{takt::no_progress{}}.boosts());
  CHECK_FALSE(takt::any_progress{takt::priority_inheritance{}}.boosts());
  CHECK(takt::any_progress{takt::boost_when_contended{}}.boosts());
  CHECK(takt::any_progress{takt::boost_when_granted{}}.boosts());
}
