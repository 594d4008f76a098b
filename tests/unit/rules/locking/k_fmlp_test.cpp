// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <doctest/doctest.h>

#include <takt/rules/locking/k_fmlp.hpp>

namespace {

using takt::no_request;
using takt::request_id;

template <class P>
auto issue(P& lock, request_id r, takt::ticks length = 1) -> request_id {
  return lock.issue(r, {.priority = {.point = r, .tie = r}, .length = length});
}

}  // namespace

TEST_CASE("k-FMLP: the shortest queue by count (F1), its head holds and inherits (F2), the next one follows (F3)") {
  takt::k_fmlp<2, 5> lock;
  CHECK(issue(lock, 4) == 4);
  CHECK(issue(lock, 3) == 3);
  CHECK(lock.replica(4) == 0);
  CHECK(lock.replica(3) == 1);
  CHECK(issue(lock, 2) == no_request);
  CHECK(issue(lock, 1) == no_request);
  CHECK(issue(lock, 0) == no_request);
  CHECK(lock.inheritor(2) == 4);
  CHECK(lock.inheritor(1) == 3);
  CHECK(lock.inheritor(0) == 4);
  CHECK(lock.inheritor(4) == no_request);
  CHECK(lock.contended(4));
  CHECK(lock.release(4) == 2);
  CHECK(lock.replica(2) == 0);
  CHECK(lock.inheritor(0) == 2);
}

TEST_CASE("k-FMLP: the shortest queue by declared time counts the holder in full") {
  takt::k_fmlp<2, 5> lock{{.replicas = 2, .measure = takt::queue_measure::declared_times}};
  issue(lock, 0, 10);
  issue(lock, 1, 2);
  issue(lock, 2, 3);
  issue(lock, 3, 4);
  issue(lock, 4, 9);
  CHECK(lock.inheritor(2) == 1);
  CHECK(lock.inheritor(3) == 1);
  CHECK(lock.inheritor(4) == 1);
  lock.withdraw(4);
  lock.withdraw(3);
  issue(lock, 3, 1);
  issue(lock, 4, 1);
  CHECK(lock.inheritor(3) == 1);
  CHECK(lock.inheritor(4) == 1);
  lock.withdraw(2);
  CHECK(lock.release(1) == 3);
}

TEST_CASE("k-FMLP: declared times whose sum overflows make a queue the longest") {
  constexpr takt::ticks most = std::numeric_limits<takt::ticks>::max();
  takt::k_fmlp<2, 5> lock{{.replicas = 2, .measure = takt::queue_measure::declared_times}};
  issue(lock, 0, most);
  issue(lock, 1, most - 1);
  issue(lock, 2, most);
  CHECK(lock.inheritor(2) == 1);
  issue(lock, 3, 1);
  CHECK(lock.inheritor(3) == 0);
  lock.withdraw(3);
  lock.withdraw(2);
  issue(lock, 4, 1);
  CHECK(lock.inheritor(4) == 1);
}

TEST_CASE("k-FMLP: an empty queue takes the request that waits elsewhere and was issued first") {
  takt::k_fmlp<2, 4> lock;
  for (const request_id r : {3, 2, 1, 0}) { issue(lock, r); }
  CHECK(lock.release(2) == 0);
  CHECK(lock.release(0) == 1);
  CHECK(lock.replica(1) == 1);
  CHECK(lock.release(3) == no_request);
  CHECK(issue(lock, 0) == 0);
  CHECK(lock.replica(0) == 0);
}

namespace {

/// Says the same at every choice.
struct stubborn_advice : takt::plain_advice {
  takt::replica_id chosen = takt::no_replica;
  takt::steal_advice stolen{};

  template <class Protocol>
  [[nodiscard]] auto queue(const Protocol& /*p*/, request_id /*r*/) const -> takt::replica_id {
    return chosen;
  }
  template <class Protocol>
  [[nodiscard]] auto steal(const Protocol& /*p*/, takt::replica_id /*x*/) const -> takt::steal_advice {
    return stolen;
  }
};

}  // namespace

TEST_CASE("k-FMLP: advice is followed below the length that the bound allows, and otherwise counted") {
  takt::k_fmlp<2, 5, stubborn_advice> lock;
  lock.heuristic().chosen = 1;
  for (const request_id r : {0, 1, 2}) { issue(lock, r); }
  CHECK(lock.queues().length(1) == 3);
  CHECK(lock.rejected_advice() == 0);
  CHECK(issue(lock, 3) == 3);
  CHECK(lock.replica(3) == 0);
  CHECK(lock.rejected_advice() == 1);
  takt::k_fmlp<2, 5, stubborn_advice> first_queue;
  first_queue.heuristic().chosen = 0;
  for (const request_id r : {0, 1, 2}) { issue(first_queue, r); }
  CHECK(first_queue.queues().length(0) == 3);
  CHECK(first_queue.rejected_advice() == 0);
  lock.heuristic().chosen = 2;
  CHECK(issue(lock, 4) == no_request);
  CHECK(lock.inheritor(4) == 3);
  CHECK(lock.rejected_advice() == 2);

  lock.withdraw(4);
  SUBCASE("a waiting request may be stolen") {
    lock.heuristic().stolen = {.request = 2};
    CHECK(lock.release(3) == 2);
    CHECK(lock.rejected_advice() == 2);
  }
  SUBCASE("a holder may not") {
    lock.heuristic().stolen = {.request = 0};
    CHECK(lock.release(3) == 1);
    CHECK(lock.rejected_advice() == 3);
  }
  SUBCASE("a replica may stay idle") {
    lock.heuristic().stolen = {.leave_idle = true};
    CHECK(lock.release(3) == no_request);
    CHECK(lock.rejected_advice() == 2);
  }
}

TEST_CASE("k-FMLP: who withdraws is not served, and the rest keep their order") {
  takt::fifo_mutex<4> lock;
  for (const request_id r : {3, 2, 1, 0}) { issue(lock, r); }
  CHECK(lock.withdraw(1) == no_request);
  CHECK_FALSE(lock.waits(1));
  CHECK(lock.release(3) == 2);
  CHECK(lock.release(2) == 0);
  CHECK(lock.release(0) == no_request);
}
