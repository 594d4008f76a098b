// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/accelerator/job_queues.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/request_queues.hpp>
#include <takt/rules/priority_server.hpp>

#include "support/broken_precondition.hpp"

namespace {

using takt_test::breaks_precondition;

TEST_CASE("requests leave a queue from any place, and stand in another one then") {
  takt::request_queues<2, 3> queues;
  queues.append(0, 2);
  queues.append(0, 0);
  queues.append(0, 1);
  queues.remove(0);
  CHECK(queues.next(2) == 1);
  CHECK(queues.length(0) == 2);
  CHECK(queues.queue_of(0) == takt::no_replica);
  queues.append(1, 0);
  CHECK(queues.is_head(0));
  queues.remove(2);
  CHECK(queues.head(0) == 1);
  CHECK(queues.next(1) == takt::no_request);
}

#if TAKT_PRECONDITIONS >= 1
TEST_CASE("no request stands in two queues, or leaves where it is not") {
  takt::request_queues<2, 3> queues;
  queues.append(0, 2);
  CHECK(breaks_precondition([&] { queues.append(1, 2); }));
  CHECK(breaks_precondition([&] { queues.remove(1); }));
  CHECK(breaks_precondition([&] { queues.append(2, 0); }));
  CHECK(breaks_precondition([&] { queues.append(0, 3); }));
  CHECK(breaks_precondition([&] { static_cast<void>(queues.head(-1)); }));

  takt::job_queues<2, 3> jobs;
  takt::job_orders<takt::ticks, 3> orders{};
  jobs.insert(0, 1, orders);
  CHECK(breaks_precondition([&] { jobs.erase(1, 1); }));
  CHECK(breaks_precondition([&] { jobs.erase(0, 2); }));
  CHECK(breaks_precondition([&] { jobs.insert(2, 0, orders); }));
}

TEST_CASE("an edge is removed once") {
  takt::priority_graph<3, 2> graph;
  const auto first = graph.add_edge(0, 1);
  const auto second = graph.add_edge(0, 2);
  CHECK_FALSE(breaks_precondition([&] { graph.remove_edge(first.edge); }));
  graph.remove_edge(second.edge);
  CHECK(breaks_precondition([&] { graph.remove_edge(second.edge); }));
  CHECK(breaks_precondition([&] { graph.remove_edge(takt::no_edge); }));
}

TEST_CASE("protocols are told what can be") {
  takt::priority_donation<2> cluster{1};
  static_cast<void>(cluster.released(0, {1, 0}));
  CHECK(breaks_precondition([&] { static_cast<void>(cluster.released(0, {1, 0})); }));
  CHECK(breaks_precondition([&] { static_cast<void>(cluster.completed(1)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(cluster.released(2, {1, 0})); }));

  takt::priority_server<takt::preemption::allowed, 2> server;
  CHECK(breaks_precondition([&] { server.complete(); }));
  server.request(1);
  CHECK(breaks_precondition([&] { server.request(1); }));
  CHECK(breaks_precondition([&] { server.request(2); }));

  const takt::group_lock<2, 2> locks;
  CHECK(breaks_precondition([&] { static_cast<void>(locks.holder(2)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(locks.wanted(2)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(locks.next(0, 0)); }));
}
#endif

}  // namespace
