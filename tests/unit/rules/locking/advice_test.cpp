// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/declared_affinity.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>
#include "support/traces.hpp"

namespace {

using takt::no_replica;
using takt::no_request;
using takt::replica_id;
using takt::request_id;

/// A user's own plug-in, of no family: writes down all that it is asked and told, with the task of the request.
struct recorder {
  std::vector<std::string>* notes = nullptr;
  replica_id chosen = no_replica;
  request_id donee_chosen = no_request;
  takt::steal_advice stolen{};

  template <class P>
  void note(const char* what, const P& p, request_id r, std::int32_t x) const {
    notes->push_back(std::string{what} + " task " + std::to_string(p.request(r).task) + " at " + std::to_string(x));
  }
  template <class P>
  auto queue(const P& p, request_id r) const -> replica_id {
    note("queue?", p, r, -1);
    return chosen;
  }
  template <class P>
  auto donee(const P& p, request_id r) const -> request_id {
    note("donee?", p, r, -1);
    return donee_chosen;
  }
  template <class P>
  auto steal(const P& /*p*/, replica_id x) const -> takt::steal_advice {
    notes->push_back("steal? at " + std::to_string(x));
    return stolen;
  }
  template <class P>
  void enqueued(const P& p, request_id r, replica_id x) const {
    note("enqueued", p, r, x);
  }
  template <class P>
  void dequeued(const P& p, request_id r, replica_id x) const {
    note("dequeued", p, r, x);
  }
  template <class P>
  void acquired(const P& p, request_id r, replica_id x) const {
    note("acquired", p, r, x);
  }
  template <class P>
  void freed(const P& p, request_id r, replica_id x) const {
    note("freed", p, r, x);
  }
  template <class P>
  void exited(const P& /*p*/, std::int32_t task) const {
    notes->push_back("exited task " + std::to_string(task));
  }
};

/// Asks, but cannot be told anything.
struct without_notifications {
  template <class P>
  auto queue(const P& /*p*/, request_id /*r*/) const -> replica_id {
    return no_replica;
  }
  template <class P>
  auto donee(const P& /*p*/, request_id /*r*/) const -> request_id {
    return no_request;
  }
  template <class P>
  auto steal(const P& /*p*/, replica_id /*x*/) const -> takt::steal_advice {
    return {};
  }
};

using advised_r2dglp = takt::r2dglp<2, 8, recorder>;
using advised_k_fmlp = takt::k_fmlp<2, 8, recorder>;
static_assert(takt::LockingProtocol<advised_r2dglp> && takt::Advice<recorder, advised_r2dglp> &&
              takt::Advice<takt::plain_advice, advised_r2dglp> &&
              takt::Advice<takt::declared_affinity<4, 2, 2>, takt::r2dglp<2, 8>>);
static_assert(!takt::Advice<without_notifications, advised_r2dglp>);

/// Clients are their priorities; task 10 + client.
template <class Lock>
auto issue(Lock& lock, request_id r, takt::ticks length = 0) -> request_id {
  return lock.issue(r, {.priority = {r}, .length = length, .task = 10 + r});
}

using notes = std::vector<std::string>;

/// What was noted since the last call.
auto taken(notes& all) -> notes { return std::exchange(all, {}); }

}  // namespace

TEST_CASE_TEMPLATE("a plug-in is asked at each choice and told of each of five events, with the request" *
                       takt_tests::traces("GSD-91"),
                   Lock, advised_r2dglp, advised_k_fmlp) {
  notes seen;
  Lock lock{{.replicas = 2}, recorder{.notes = &seen}};
  CHECK(issue(lock, 4) == 4);
  CHECK(taken(seen) == notes{"queue? task 14 at -1", "enqueued task 14 at 0", "acquired task 14 at 0"});
  CHECK(issue(lock, 3) == 3);
  CHECK(taken(seen) == notes{"queue? task 13 at -1", "enqueued task 13 at 1", "acquired task 13 at 1"});
  lock.heuristic().chosen = 1;
  lock.exited(7);
  CHECK(taken(seen) == notes{"exited task 7"});
}

TEST_CASE("the end of a section, a withdrawal and a theft are told in the order in which they happen" *
          takt_tests::traces("GSD-91")) {
  notes seen;
  advised_k_fmlp lock{{.replicas = 2}, recorder{.notes = &seen}};
  for (const request_id r : {0, 1, 2, 3}) { issue(lock, r); }
  (void)taken(seen);
  CHECK(lock.release(0) == 2);
  CHECK(taken(seen) == notes{"dequeued task 10 at 0", "freed task 10 at 0", "acquired task 12 at 0"});
  CHECK(lock.release(2) == 3);
  CHECK(taken(seen) == notes{"dequeued task 12 at 0", "freed task 12 at 0", "steal? at 0", "dequeued task 13 at 1",
                             "enqueued task 13 at 0", "acquired task 13 at 0"});
  issue(lock, 4);
  (void)taken(seen);
  lock.withdraw(4);
  CHECK(taken(seen).front().starts_with("dequeued task 14"));
}

TEST_CASE("the R2DGLP rejects impossible advice of all three kinds, counts it and follows its own rule" *
          takt_tests::traces("GSD-91")) {
  notes seen;
  advised_r2dglp lock{{.replicas = 2, .cluster = 4}, recorder{.notes = &seen, .chosen = 5}};
  issue(lock, 7);
  CHECK(lock.replica(7) == 0);  // no queue 5; the shortest is joined
  CHECK(lock.rejected_advice() == 1);
  lock.heuristic().chosen = 0;
  issue(lock, 6);
  CHECK(lock.inheritor(6) == 7);  // possible, though not the shortest
  CHECK(lock.rejected_advice() == 1);
  issue(lock, 5);
  CHECK(lock.replica(5) == 1);  // queue 0 is full
  CHECK(lock.rejected_advice() == 2);
  lock.heuristic().chosen = no_replica;
  issue(lock, 4);
  (void)taken(seen);

  lock.heuristic().donee_chosen = 4;  // one of the best itself
  issue(lock, 3);
  CHECK(taken(seen) == notes{"donee? task 13 at -1"});
  CHECK(lock.donee_of(3) == 7);
  CHECK(lock.rejected_advice() == 3);
  lock.withdraw(3);
  lock.heuristic().donee_chosen = 99;
  issue(lock, 3);
  CHECK(lock.donee_of(3) == 7);
  CHECK(lock.rejected_advice() == 4);
  lock.withdraw(3);
  lock.withdraw(4);

  lock.heuristic().stolen = {.request = 7};  // a holder
  CHECK(lock.release(5) == 6);
  CHECK(lock.rejected_advice() == 5);
}

TEST_CASE("advice that the bound allows is taken: a farther queue, a better donee, another request to steal" *
          takt_tests::traces("GSD-91")) {
  notes seen;
  const takt::r2dglp_options options{.replicas = 2, .cluster = 4, .queue_limit = 3};
  advised_r2dglp lock{options, recorder{.notes = &seen}};
  for (const request_id r : {7, 6, 5, 4, 3, 2}) { issue(lock, r); }
  SUBCASE("a donee: by its own rule it would be 7, the least important") {
    lock.heuristic().donee_chosen = 6;
    issue(lock, 1);
    CHECK(lock.donee_of(1) == 6);
  }
  SUBCASE("a queue, and a theft: by its own rule it would be 3, which was issued first") {
    for (const request_id r : {5, 4, 3, 2}) { lock.withdraw(r); }
    lock.heuristic().chosen = 0;
    for (const request_id r : {3, 1}) { issue(lock, r); }
    CHECK(lock.inheritor(1) == 7);
    lock.heuristic().stolen = {.request = 1};
    CHECK(lock.release(6) == 1);
    CHECK(lock.waits(3));
  }
  CHECK(lock.rejected_advice() == 0);
}

TEST_CASE("affinity by declared lengths spreads new tasks, brings old ones back, and steals only where it helps" *
          takt_tests::traces("GSD-91")) {
  takt::gpu_topology<2, 1> board;
  const auto hub = board.add_hub();
  for (int g = 0; g < 2; ++g) { (void)board.add_gpu(hub, 2); }
  using affinity = takt::declared_affinity<20, 2, 2>;
  using pool = takt::r2dglp<2, 8, affinity>;
  pool lock{{.replicas = 2, .cluster = 4, .queue_limit = 4}, affinity{takt::token_map{.gpus = 2}, board, 30}};
  const auto section = [&](request_id r) {
    CHECK(issue(lock, r, 10) == r);
    const replica_id x = lock.replica(r);
    CHECK(lock.release(r) == no_request);
    return x;
  };
  CHECK(section(0) == 0);
  CHECK(section(1) == 1);  // queue 0 is as short, but its GPU has a user
  CHECK(section(1) == 1);
  CHECK(section(2) == 0);
  CHECK(section(3) == 1);
  lock.exited(11);
  lock.exited(13);
  CHECK(section(4) == 1);

  SUBCASE("a move over one link costs 30, so a task waits 20 behind others rather than move") {
    issue(lock, 0, 10);
    issue(lock, 2, 10);
    CHECK(lock.inheritor(2) == 0);
    SUBCASE("and an idle token leaves it there") {
      issue(lock, 4, 10);
      CHECK(lock.release(4) == no_request);
      CHECK(lock.waits(2));
    }
  }
  SUBCASE("behind a long section it moves, and is stolen") {
    issue(lock, 4, 10);
    issue(lock, 0, 100);
    issue(lock, 2, 10);
    CHECK(lock.inheritor(2) == 4);
    lock.withdraw(2);
    issue(lock, 5, 200);
    CHECK(lock.inheritor(5) == 4);
    CHECK(lock.release(0) == 5);  // complete after 200 there instead of 210 here; it has no state to move
  }
  SUBCASE("a task without a number has no GPU, and its requests count with their lengths") {
    CHECK(lock.issue(6, {.priority = {6}, .length = 10}) == 6);
    CHECK(lock.replica(6) == 1);  // GPU 1 has one user, GPU 0 has two
  }
}

TEST_CASE("affinity by declared lengths lends to the nearest GPU, and a GPU without a common hub is the farthest" *
          takt_tests::traces("GSD-91")) {
  takt::gpu_topology<3, 2> board;
  const auto hub = board.add_hub();
  for (int g = 0; g < 2; ++g) { (void)board.add_gpu(hub, 2); }
  (void)board.add_gpu(board.add_hub(), 2);
  using affinity = takt::declared_affinity<20, 3, 3>;
  using pool = takt::r2dglp<3, 8, affinity>;
  const takt::token_map map{.gpus = 3};
  pool lock{{.replicas = 3, .cluster = 2, .queue_limit = 2}, affinity{map, board, 10}};
  // Tasks 10, 11 and 12 have used GPUs 0, 1 and 2.
  for (const request_id r : {0, 1, 2}) {
    issue(lock, r, 10);
    CHECK(lock.replica(r) == r);
    lock.release(r);
  }
  SUBCASE("to GPU 2, which is idle, state takes as long as two links, so task 10 rather waits for 15") {
    issue(lock, 4, 15);
    REQUIRE(lock.replica(4) == 0);
    issue(lock, 5, 100);
    REQUIRE(lock.replica(5) == 1);
    issue(lock, 0, 10);
    CHECK(lock.inheritor(0) == 4);
  }
  SUBCASE("where all queues are full, a task lends on its GPU, one without a GPU where a section is over first") {
    for (const auto& [r, length] : {std::pair{7, 5}, {6, 50}, {5, 7}, {4, 5}, {3, 5}, {2, 10}}) {
      issue(lock, r, length);
    }
    REQUIRE(lock.replica(6) == 1);
    REQUIRE(lock.inheritor(2) == 6);
    issue(lock, 1, 10);
    CHECK(lock.donee_of(1) == 6);
    lock.withdraw(1);
    lock.issue(1, {.priority = {1}, .length = 10});
    CHECK(lock.donee_of(1) == 7);
  }
  CHECK(lock.rejected_advice() == 0);
}

TEST_CASE("plain advice leaves every choice to the protocol") {
  constexpr takt::plain_advice advice;
  constexpr int protocol = 0;
  CHECK(advice.queue(protocol, 0) == takt::no_replica);
  CHECK(advice.donee(protocol, 0) == takt::no_request);
}
