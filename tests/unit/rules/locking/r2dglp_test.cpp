// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include "support/traces.hpp"

namespace {

using takt::no_request;
using takt::request_id;

/// Clients are numbered by importance, 0 first.
template <class P>
auto issue(P& lock, request_id r) -> request_id {
  return lock.issue(r, {.priority = {.point = r, .tie = r}});
}
template <class P>
void issue_all(P& lock, const std::vector<request_id>& clients) {
  for (const request_id r : clients) { issue(lock, r); }
}
template <class P>
[[nodiscard]] auto queue(const P& lock, takt::replica_id x) -> std::vector<request_id> {
  std::vector<request_id> out;
  for (request_id r = lock.queues().head(x); r != no_request; r = lock.queues().next(r)) { out.push_back(r); }
  return out;
}
using clients = std::vector<request_id>;

/// One replica in a cluster of two CPUs: queues of two.
template <std::size_t Requests>
[[nodiscard]] auto one_of_two() -> takt::r2dglp<1, Requests> {
  return takt::r2dglp<1, Requests>{takt::r2dglp_options{.replicas = 1, .cluster = 2}};
}

}  // namespace

TEST_CASE("R2DGLP: a full queue sends the rest to the priority queue and the best to the donors (R1)") {
  auto lock = one_of_two<6>();
  CHECK(issue(lock, 3) == 3);
  CHECK(issue(lock, 4) == no_request);
  CHECK(issue(lock, 5) == no_request);
  CHECK(lock.in_priority_queue(5));
  CHECK(lock.inheritor(5) == no_request);
  CHECK(issue(lock, 2) == no_request);
  CHECK(lock.is_donor(2));
  CHECK(lock.donee_of(2) == 4);
  CHECK(lock.donor_of(4) == 2);
  CHECK(lock.inheritor(2) == 4);
  CHECK(lock.inheritor(4) == 3);
  CHECK(lock.contended(3));
}

TEST_CASE("R2DGLP: who is pushed out of the best loses its donee to the newcomer (R1c)") {
  auto lock = one_of_two<6>();
  issue_all(lock, {4, 5, 2, 1});
  CHECK(lock.donee_of(2) == 5);
  CHECK(lock.donee_of(1) == 4);
  issue(lock, 0);
  CHECK(lock.in_priority_queue(2));
  CHECK(lock.donee_of(0) == 5);
  CHECK(lock.donee_of(1) == 4);
}

TEST_CASE("R2DGLP: a freed place goes to the donor, else to the best of the priority queue, else to a donor (R5)") {
  auto lock = one_of_two<6>();
  issue_all(lock, {4, 5, 2, 1, 3});
  CHECK(lock.release(4) == 5);
  CHECK(queue(lock, 0) == clients{5, 1});
  CHECK_FALSE(lock.is_donor(1));
  CHECK(lock.release(5) == 1);
  CHECK(queue(lock, 0) == clients{1, 2});
  CHECK(lock.release(1) == 2);
  CHECK(queue(lock, 0) == clients{2, 3});

  auto other = one_of_two<6>();
  issue_all(other, {0, 5, 1});
  CHECK(other.donee_of(1) == 5);
  CHECK(other.release(0) == 5);
  CHECK(queue(other, 0) == clients{5, 1});
  CHECK(other.donor_of(5) == no_request);
}

TEST_CASE("R2DGLP: an empty queue takes the request that waits elsewhere and was issued first") {
  takt::r2dglp<2, 4> lock{takt::r2dglp_options{.replicas = 2, .cluster = 4}};
  issue_all(lock, {3, 2, 1, 0});
  CHECK(queue(lock, 0) == clients{3, 1});
  CHECK(queue(lock, 1) == clients{2, 0});
  CHECK(lock.release(2) == 0);
  CHECK(lock.release(0) == 1);
  CHECK(lock.replica(1) == 1);
  CHECK(queue(lock, 0) == clients{3});
}

TEST_CASE("R2DGLP: places given up are filled, and a donor that gives up has a successor") {
  auto lock = one_of_two<6>();
  issue_all(lock, {4, 5, 2, 1, 3});
  lock.withdraw(5);
  CHECK(queue(lock, 0) == clients{4, 2});
  lock.withdraw(2);
  CHECK(queue(lock, 0) == clients{4, 3});
  CHECK(lock.donee_of(1) == 4);

  auto risen = one_of_two<6>();
  issue_all(risen, {4, 5, 2, 1, 0});
  CHECK(risen.in_priority_queue(2));
  risen.withdraw(1);
  CHECK(risen.donee_of(2) == 4);
  CHECK(risen.inheritor(2) == 4);
  CHECK(risen.donee_of(0) == 5);
}

TEST_CASE("R2DGLP: a successor does not donate to a more important request") {
  auto lock = one_of_two<6>();
  issue_all(lock, {5, 2, 1, 0, 4});
  CHECK(lock.donee_of(0) == 2);
  CHECK(lock.donee_of(1) == 5);
  lock.withdraw(1);
  CHECK_FALSE(lock.in_priority_queue(0));
  lock.withdraw(0);
  CHECK(lock.donee_of(4) == 5);
  CHECK(lock.donor_of(2) == no_request);
}

TEST_CASE("R2DGLP: a donor whose donee has risen among the best steps inside, and nobody of the best is left behind") {
  const auto start = [](auto& lock) {
    issue_all(lock, {0, 2, 1, 5});
    CHECK(lock.donee_of(1) == 2);
    CHECK(lock.in_priority_queue(5));
    CHECK(lock.release(0) == 2);
    issue(lock, 4);
  };
  auto lock = one_of_two<6>();
  start(lock);
  CHECK(queue(lock, 0) == clients{2, 1});
  CHECK(lock.release(2) == 1);
  CHECK(queue(lock, 0) == clients{1, 4});

  takt::as_published::r2dglp<takt::as_published::r2dglp_donees_rise, 1, 6> printed{
      takt::r2dglp_options{.replicas = 1, .cluster = 2}};
  start(printed);
  CHECK(queue(printed, 0) == clients{2, 5});
  CHECK(printed.release(2) == 5);
  CHECK(queue(printed, 0) == clients{5, 1});
  CHECK(printed.in_priority_queue(4));
  CHECK(printed.among_best(4));
}

TEST_CASE("R2DGLP: two of the best outside find two donees inside, where the printed rule R1c finds none") {
  auto lock = one_of_two<4>();
  issue_all(lock, {3, 0, 2, 1});
  CHECK(lock.donee_of(1) == 3);
  CHECK(lock.in_priority_queue(2));
  CHECK(lock.release(3) == 0);
  CHECK(lock.release(0) == 1);
  CHECK(lock.release(1) == 2);

  takt::as_published::r2dglp<takt::as_published::r2dglp_r1c, 1, 4> printed{
      takt::r2dglp_options{.replicas = 1, .cluster = 2}};
  issue_all(printed, {3, 0, 2, 1});
  CHECK(printed.donee_of(2) == 3);
  CHECK(printed.inheritor(1) == no_request);
}

namespace {

/// Says what it is told to say.
struct told {
  takt::replica_id x = takt::no_replica;
  request_id donee_to_take = no_request;
  takt::steal_advice to_steal{};

  template <class P>
  constexpr auto queue(const P& /*p*/, request_id /*r*/) const noexcept -> takt::replica_id {
    return x;
  }
  template <class P>
  constexpr auto donee(const P& /*p*/, request_id /*r*/) const noexcept -> request_id {
    return donee_to_take;
  }
  template <class P>
  constexpr auto steal(const P& /*p*/, takt::replica_id /*x*/) const noexcept -> takt::steal_advice {
    return to_steal;
  }
  template <class P>
  constexpr void enqueued(const P& /*p*/, request_id /*r*/, takt::replica_id /*x*/) noexcept {}
  template <class P>
  constexpr void dequeued(const P& /*p*/, request_id /*r*/, takt::replica_id /*x*/) noexcept {}
  template <class P>
  constexpr void acquired(const P& /*p*/, request_id /*r*/, takt::replica_id /*x*/) noexcept {}
  template <class P>
  constexpr void freed(const P& /*p*/, request_id /*r*/, takt::replica_id /*x*/) noexcept {}
};

}  // namespace

TEST_CASE("R2DGLP: advice is followed where the bound allows it, and otherwise counted") {
  takt::r2dglp<2, 6, told> lock{takt::r2dglp_options{.replicas = 2, .cluster = 4}, told{.x = 1}};
  issue_all(lock, {5, 4});
  CHECK(queue(lock, 1) == clients{5, 4});
  issue(lock, 3);  // queue 1 is full
  CHECK(queue(lock, 0) == clients{3});
  CHECK(lock.rejected_advice() == 1);
  lock.heuristic().x = takt::no_replica;
  issue(lock, 2);
  lock.heuristic().donee_to_take = 2;  // among the best itself
  issue(lock, 1);
  CHECK(lock.donee_of(1) == 5);
  CHECK(lock.rejected_advice() == 2);
  lock.heuristic().donee_to_take = 4;
  issue(lock, 0);
  CHECK(lock.donee_of(0) == 4);

  takt::r2dglp<2, 4, told> idle{takt::r2dglp_options{.replicas = 2, .cluster = 4}};
  issue_all(idle, {3, 2, 1, 0});
  idle.heuristic().to_steal = {.leave_idle = true};
  CHECK(idle.release(2) == 0);
  CHECK(idle.release(0) == no_request);
  CHECK(idle.waits(1));
  CHECK(issue(idle, 0) == 0);
  CHECK(idle.replica(0) == 1);
}

TEST_CASE("the queue limit selects the protocol, and one without a bound is refused by name or raised" *
          takt_tests::traces("GSD-65")) {
  using takt::model_fault;
  using takt::validate;
  CHECK(validate({.replicas = 3, .cluster = 8}, 4) == takt::queue_limit_check{model_fault::none, 3});
  CHECK(validate({.replicas = 3, .cluster = 8, .queue_limit = 2}, 4) ==
        takt::queue_limit_check{model_fault::queue_limit_without_bound, 3});
  CHECK_FALSE(validate({.replicas = 3, .cluster = 8, .queue_limit = 3}, 4));
  CHECK_FALSE(validate({.replicas = 3, .cluster = 8, .queue_limit = 100}, 4));
  for (const takt::r2dglp_options& o : {takt::r2dglp_options{.replicas = 5, .cluster = 8},
                                        {.replicas = 0, .cluster = 8},
                                        {.replicas = 1, .cluster = 0},
                                        {.replicas = 1, .cluster = 8, .queue_limit = -1}}) {
    CHECK(validate(o, 4).fault == model_fault::lock_size_out_of_range);
  }

  std::int32_t limit = 1;
  takt::r2dglp<1, 4> raised{takt::r2dglp_options{.replicas = 1, .cluster = 3, .queue_limit = limit}};
  CHECK(raised.queue_limit() == 3);

  limit = 4;
  takt::r2dglp<1, 4> long_queues{takt::r2dglp_options{.replicas = 1, .cluster = 1, .queue_limit = limit}};
  issue_all(long_queues, {3, 2, 0, 1});
  CHECK(queue(long_queues, 0) == clients{3, 2, 0, 1});

  // No more CPUs than replicas: one place each, and the rest in the order of importance.
  takt::r2dglp<1, 4> by_importance{takt::r2dglp_options{.replicas = 1, .cluster = 1}};
  issue_all(by_importance, {3, 2, 0, 1});
  CHECK(by_importance.release(3) == 0);
  CHECK(by_importance.release(0) == 1);
  CHECK(by_importance.release(1) == 2);
}

TEST_CASE("as published: below ceil(c/k) places nobody may inherit from the most important request") {
  takt::as_published::r2dglp<takt::as_published::r2dglp_any_queue_limit, 1, 4> printed{
      takt::r2dglp_options{.replicas = 1, .cluster = 2, .queue_limit = 1}};
  issue_all(printed, {3, 0});
  CHECK(printed.waits(0));
  CHECK(printed.inheritor(0) == no_request);
}

TEST_CASE("the limit of a pool that clusters share is checked against the CPUs of all of them" *
          takt_tests::traces("GSD-66")) {
  constexpr takt::r2dglp_options shared{.replicas = 2, .cluster = 3 * 4, .queue_limit = 2};
  CHECK(validate(shared, 2) == takt::queue_limit_check{takt::model_fault::queue_limit_without_bound, 6});
}
