// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>

#include <takt/rules/helper_registry.hpp>
#include "support/traces.hpp"

namespace {

using takt::helped_job;
using takt::helper_scope;
using takt::thread_rank;
using takt::detail::helps_nobody;

constexpr thread_rank urgent{.point = 1};
constexpr thread_rank callback{.in = takt::thread_class::callback};

}  // namespace

TEST_CASE("a task takes the threads that run, those to come, or both, and never one that runs jobs" *
          takt_tests::traces("GSD-87")) {
  takt::helper_registry<8> threads;
  REQUIRE(threads.start(0, true));
  REQUIRE(threads.start(1));
  SUBCASE("those that run") {
    threads.take(3, helper_scope::current);
    REQUIRE(threads.start(2));
    CHECK(threads.helped_by(1) == 3);
    CHECK(threads.helped_by(2) == takt::detail::helps_nobody);
  }
  SUBCASE("those to come") {
    threads.take(3, helper_scope::future);
    REQUIRE(threads.start(2));
    REQUIRE(threads.start(4, true));
    CHECK(threads.helped_by(1) == takt::detail::helps_nobody);
    CHECK(threads.helped_by(2) == 3);
    CHECK(threads.helped_by(4) == takt::detail::helps_nobody);
  }
  SUBCASE("both, of which an earlier task keeps its own") {
    threads.take(5, helper_scope::current);
    threads.take(3, helper_scope::current_and_future);
    REQUIRE(threads.start(2));
    CHECK(threads.helped_by(1) == 5);
    CHECK(threads.helped_by(2) == 3);
    threads.release(3);
    REQUIRE(threads.start(6));
    CHECK(threads.helped_by(2) == takt::detail::helps_nobody);
    CHECK(threads.helped_by(6) == takt::detail::helps_nobody);
  }
  CHECK(threads.helped_by(0) == takt::detail::helps_nobody);
}

TEST_CASE("a helper goes at the rank of its task's job only while that waits for an engine that it holds" *
          takt_tests::traces("GSD-87")) {
  takt::helper_registry<2> threads;
  REQUIRE(threads.start(0));
  threads.take(1, helper_scope::current);
  std::array<helped_job, 2> jobs{helped_job{.suspended = true, .holds_engine_lock = true, .effective = {.point = -9}},
                                 helped_job{.suspended = true, .holds_engine_lock = true, .effective = urgent}};
  CHECK(threads.rank_of(0, callback, jobs) == urgent);
  jobs[1].holds_engine_lock = false;
  CHECK(threads.rank_of(0, callback, jobs) == callback);
  jobs[1] = {.suspended = false, .holds_engine_lock = true, .effective = urgent};
  CHECK(threads.rank_of(0, callback, jobs) == callback);
  jobs[1].suspended = true;
  CHECK(threads.rank_of(1, callback, jobs) == callback);
}

TEST_CASE("numbers out of range and in use are refused, and an ended thread helps nobody" *
          takt_tests::traces("GSD-87")) {
  takt::helper_registry<1> threads;
  CHECK_FALSE(threads.start(1));
  CHECK(threads.start(0));
  CHECK_FALSE(threads.start(0));
  threads.take(2, helper_scope::current);
  threads.end(0);
  CHECK(threads.helped_by(0) == takt::detail::helps_nobody);
  CHECK(threads.start(0));
  CHECK(threads.helped_by(0) == takt::detail::helps_nobody);
}
