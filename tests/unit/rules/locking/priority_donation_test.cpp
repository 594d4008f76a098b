// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/checking.hpp>
#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include "support/traces.hpp"

namespace {

using takt::no_request;
using takt::request_id;

/// Jobs are numbered by importance, 0 first.
template <class Donation>
auto release(Donation& d, request_id job) -> request_id {
  return d.released(job, {.point = job, .tie = job});
}

}  // namespace

TEST_CASE("who pushes a job with a request out of the best donates to it until the request is complete" *
          takt_tests::traces("GSD-24")) {
  takt::priority_donation<4> cluster{2};
  CHECK(release(cluster, 2) == no_request);
  CHECK(release(cluster, 3) == no_request);
  CHECK(cluster.may_issue(3));
  cluster.issued(3);
  CHECK(release(cluster, 1) == 3);
  CHECK(cluster.is_donor(1));
  CHECK(cluster.donor_of(3) == 1);
  CHECK_FALSE(cluster.among_best(3));
  CHECK_FALSE(cluster.may_issue(1));
  CHECK(cluster.request_completed(3) == 1);
  CHECK_FALSE(cluster.is_donor(1));
  CHECK(cluster.may_issue(1));
}

TEST_CASE("who pushes a donor out takes over its donee; nobody donates for a job without a request" *
          takt_tests::traces("GSD-24")) {
  takt::priority_donation<5> cluster{1};
  release(cluster, 4);
  cluster.issued(4);
  CHECK(release(cluster, 3) == 4);
  CHECK(release(cluster, 1) == 4);
  CHECK_FALSE(cluster.is_donor(3));
  CHECK(cluster.donor_of(4) == 1);
  CHECK(release(cluster, 2) == no_request);
  CHECK(cluster.request_completed(4) == 1);
  CHECK(release(cluster, 0) == no_request);
  CHECK_FALSE(cluster.is_donor(0));
}

TEST_CASE("gate P1: only a job among the best issues; one with a request may nest another" *
          takt_tests::traces("GSD-24")) {
  takt::priority_donation<3> cluster{1};
  release(cluster, 1);
  release(cluster, 2);
  CHECK(cluster.may_issue(1));
  CHECK_FALSE(cluster.may_issue(2));
  CHECK_FALSE(cluster.may_issue(0));  // not pending
  cluster.issued(1);
  release(cluster, 0);
  CHECK_FALSE(cluster.among_best(1));
  CHECK(cluster.may_issue(1));

  takt::as_published::priority_donation<takt::as_published::donation_without_gate, 3> printed{1};
  release(printed, 1);
  release(printed, 2);
  CHECK(printed.may_issue(2));
}

TEST_CASE("rule P7b: a donee that rises among the best needs its donor no longer" * takt_tests::traces("GSD-24")) {
  takt::priority_donation<3> cluster{2};
  release(cluster, 0);
  release(cluster, 2);
  cluster.issued(2);
  CHECK(release(cluster, 1) == 2);
  CHECK(cluster.completed(0) == 1);
  CHECK(cluster.among_best(2));
  CHECK_FALSE(cluster.is_donor(1));
  CHECK(cluster.donor_of(2) == no_request);
  CHECK(cluster.may_issue(1));

  takt::as_published::priority_donation<takt::as_published::donation_to_the_end, 3> printed{2};
  release(printed, 0);
  release(printed, 2);
  printed.issued(2);
  CHECK(release(printed, 1) == 2);
  CHECK(printed.completed(0) == no_request);
  CHECK(printed.is_donor(1));
}

TEST_CASE("in every run, requests belong to the best or to donees of the best" * takt_tests::traces("GSD-24")) {
  for (const std::int32_t cpus : {1, 2, 3}) {
    takt::checking::donation_game<takt::ck_omlp<1, 4>> game{takt::ck_omlp<1, 4>{1}, {.cpus = cpus}};
    const auto worst = game.worst();
    CHECK(worst.indirect <= cpus);
    CHECK(game.deserted() == 0);
    CHECK(game.late_donations() == 0);
    CHECK(game.positions() >= 400);
  }
}
