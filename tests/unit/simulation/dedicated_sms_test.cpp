// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <doctest/doctest.h>

#include <takt/report/trace_queries.hpp>
#include <takt/simulation.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

using namespace fixtures;
using takt::deadline;
using takt::on_core;
using takt::period;
using takt::stage;
using takt::task;
using takt::task_set;

namespace {

constexpr auto two_chains = task_set(task("high", period(60_ns), cpu(3), copy(2), kernel(24), copy(2), cpu(4)),
                                     task("low", period(120_ns), cpu(5), copy(3), kernel(38), copy(3), cpu(4)));

}  // namespace

static_assert(
    takt::simulate(dedicated(), two_chains, takt::dedicate(1, 1), {.horizon = 240_ns}).tasks[1].worst_response == 56);

TEST_CASE("two chains released together" * takt_tests::traces("RTGPU-47")) {
  takt::trace t;
  const auto r = takt::simulate(dedicated(), two_chains, takt::dedicate(1, 1), {.horizon = 60_ns}, t);
  CHECK(r.status() == takt::observation_status::no_miss);
  CHECK(r.end == 60);
  CHECK(spans_of(t, 0, 0, stage::cpu) == spans{{0, 3}});
  CHECK(spans_of(t, 0, 1, stage::copy) == spans{{3, 5}});
  CHECK(spans_of(t, 0, 2, stage::kernel) == spans{{5, 29}});
  CHECK(spans_of(t, 0, 3, stage::copy) == spans{{29, 31}});
  CHECK(spans_of(t, 0, 4, stage::cpu) == spans{{31, 35}});
  CHECK(spans_of(t, 1, 0, stage::cpu) == spans{{3, 8}});
  CHECK(spans_of(t, 1, 1, stage::copy) == spans{{8, 11}});
  CHECK(spans_of(t, 1, 2, stage::kernel) == spans{{11, 49}});
  CHECK(spans_of(t, 1, 3, stage::copy) == spans{{49, 52}});
  CHECK(spans_of(t, 1, 4, stage::cpu) == spans{{52, 56}});
  CHECK(r.tasks[0].worst_response == 35);
  CHECK(r.tasks[1].worst_response == 56);
  CHECK(r.visit_response(1, 0) == 8);
  CHECK(r.visit_response(1, 1) == 3);
}

TEST_CASE("a higher task preempts, in pieces, on its own core only" * takt_tests::traces("RTGPU-17")) {
  constexpr auto tasks =
      task_set(task("high", period(10_ns), on_core(0), cpu(2)), task("low", period(40_ns), on_core(0), cpu(13)),
               task("elsewhere", period(41_ns), on_core(1), cpu(9)));
  takt::trace t;
  const auto r = takt::simulate(dedicated(2), tasks, takt::dedicate(0, 0, 0), {.horizon = 40_ns}, t);
  CHECK(spans_of(t, 1, 0, stage::cpu) == spans{{2, 10}, {12, 17}});
  CHECK(spans_of(t, 2, 0, stage::cpu) == spans{{0, 9}});
  CHECK(r.tasks[1].worst_response == 17);
  CHECK(r.tasks[0].completed == 4);
}

TEST_CASE("a copy that has started is not preempted and blocks once" * takt_tests::traces("RTGPU-15")) {
  constexpr auto tasks = task_set(task("high", period(100_ns), cpu(1), copy(4), kernel(1), copy(4), cpu(1)),
                                  task("middle", period(101_ns), cpu(1), copy(7), kernel(1), copy(7), cpu(1)),
                                  task("low", period(102_ns), cpu(1), copy(9), kernel(1), copy(9), cpu(1)));
  const std::array offsets{2_ns, 3_ns, 0_ns};
  takt::trace t;
  const auto r =
      takt::simulate(dedicated(), tasks, takt::dedicate(1, 1, 1), {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 2, 1, stage::copy) == spans{{1, 10}});
  CHECK(spans_of(t, 0, 1, stage::copy) == spans{{10, 14}});
  CHECK(spans_of(t, 1, 1, stage::copy) == spans{{14, 21}});
  CHECK(spans_of(t, 0, 3, stage::copy) == spans{{21, 25}});
  CHECK(r.visit_response(0, 1) == 11);
}

TEST_CASE("requests of one instant compete by priority, whatever ends or is released there" *
          takt_tests::traces("RTGPU-13")) {
  SUBCASE("two CPU segments end") {
    constexpr auto tasks =
        task_set(task("low", period(100_ns), takt::priority(1), cpu(5), copy(10), kernel(1), cpu(1)),
                 task("high", period(100_ns), takt::priority(0), on_core(1), cpu(5), copy(10), kernel(1), cpu(1)));
    takt::trace t;
    (void)takt::simulate(dedicated(2), tasks, takt::dedicate(1, 1), {.horizon = 100_ns}, t);
    CHECK(spans_of(t, 1, 1, stage::copy) == spans{{5, 15}});
    CHECK(spans_of(t, 0, 1, stage::copy) == spans{{15, 25}});
  }
  SUBCASE("a kernel ends when a CPU segment does") {
    constexpr auto tasks =
        task_set(task("high", period(100_ns), takt::priority(0), cpu(1), copy(1), kernel(5), copy(3), cpu(1)),
                 task("low", period(100_ns), takt::priority(1), cpu(6), copy(10), kernel(1), cpu(1)));
    takt::trace t;
    (void)takt::simulate(dedicated(), tasks, takt::dedicate(1, 1), {.horizon = 100_ns}, t);
    CHECK(spans_of(t, 0, 3, stage::copy) == spans{{7, 10}});
    CHECK(spans_of(t, 1, 1, stage::copy) == spans{{10, 20}});
  }
  SUBCASE("a job whose CPU segment takes no time is released when a CPU segment ends") {
    constexpr auto tasks =
        task_set(task("high", period(100_ns), takt::priority(0), cpu(0), copy(3), kernel(1), cpu(1)),
                 task("low", period(100_ns), takt::priority(1), cpu(6), copy(10), kernel(1), cpu(1)));
    const std::array offsets{6_ns};
    takt::trace t;
    (void)takt::simulate(dedicated(), tasks, takt::dedicate(1, 1), {.horizon = 100_ns, .offsets = offsets}, t);
    CHECK(spans_of(t, 0, 1, stage::copy) == spans{{6, 9}});
    CHECK(spans_of(t, 1, 1, stage::copy) == spans{{9, 19}});
  }
  SUBCASE("a copy ends when a higher one is requested") {
    constexpr auto tasks =
        task_set(task("high", period(100_ns), takt::priority(0), on_core(1), cpu(4), copy(3), kernel(1), cpu(1)),
                 task("low", period(100_ns), takt::priority(1), cpu(1), copy(3), kernel(0), copy(5), cpu(1)));
    takt::trace t;
    (void)takt::simulate(dedicated(2), tasks, takt::dedicate(1, 1), {.horizon = 100_ns}, t);
    CHECK(spans_of(t, 1, 1, stage::copy) == spans{{1, 4}});
    CHECK(spans_of(t, 0, 1, stage::copy) == spans{{4, 7}});
    CHECK(spans_of(t, 1, 3, stage::copy) == spans{{7, 12}});
  }
}

TEST_CASE("completion and release of one core at one instant") {
  constexpr auto tasks = task_set(task("high", period(20_ns), cpu(2)), task("low", period(60_ns), cpu(20)));
  const std::array offsets{20_ns, 0_ns};
  takt::trace t;
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(0, 0), {.horizon = 40_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 1, 0, stage::cpu) == spans{{0, 20}});
  CHECK(spans_of(t, 0, 0, stage::cpu) == spans{{20, 22}});
  CHECK(r.tasks[1].worst_response == 20);
}

TEST_CASE("one engine serves both directions, two serve one each") {
  constexpr auto tasks =
      task_set(task("down", period(100_ns), cpu(1), copy(10, takt::to_host), kernel(1), cpu(1)),
               task("up", period(100_ns), on_core(1), cpu(1), copy(10, takt::to_device), kernel(1), cpu(1)),
               task("any", period(100_ns), on_core(2), cpu(1), copy(10), kernel(1), cpu(1)));
  takt::trace one;
  (void)takt::simulate(dedicated(3, 1), tasks, takt::dedicate(1, 1, 1), {.horizon = 100_ns}, one);
  CHECK(spans_of(one, 1, 1, stage::copy) == spans{{11, 21}});
  takt::trace two;
  (void)takt::simulate(dedicated(3, 2), tasks, takt::dedicate(1, 1, 1), {.horizon = 100_ns}, two);
  CHECK(spans_of(two, 0, 1, stage::copy) == spans{{1, 11}});
  CHECK(spans_of(two, 1, 1, stage::copy) == spans{{1, 11}});
  CHECK(spans_of(two, 2, 1, stage::copy) == spans{{11, 21}});
}

TEST_CASE("a kernel never queues and stays on the SMs of its task" * takt_tests::traces("RTGPU-10")) {
  constexpr auto tasks = task_set(task("a", period(50_ns), cpu(1), kernel(20), cpu(1)),
                                  task("b", period(50_ns), on_core(1), cpu(1), kernel(20), cpu(1)),
                                  task("c", period(50_ns), on_core(2), cpu(1), kernel(20), cpu(1)));
  takt::trace t;
  const auto r = takt::simulate(dedicated(3), tasks, takt::dedicate(1, 2, 1), {.horizon = 500_ns}, t);
  CHECK(r.visit_response(0, 1) == 20);
  CHECK(r.visit_response(1, 1) == 10);
  CHECK(r.visit_response(2, 1) == 20);
  for (const takt::slice& s : t.slices() | takt::views::slices_on(stage::kernel)) {
    CHECK(s.where.index == (s.task == 0 ? 0 : s.task == 1 ? 1 : 3));
    CHECK(s.where.count == (s.task == 1 ? 2 : 1));
  }
}

TEST_CASE("segments of length zero ask for nothing") {
  constexpr auto tasks = task_set(task("high", period(100_ns), takt::priority(0), cpu(10), copy(2), kernel(1), cpu(1)),
                                  task("low", period(100_ns), takt::priority(1), cpu(0), copy(0), kernel(4), copy(0),
                                       cpu(0), copy(6), kernel(0), copy(0), cpu(0)));
  takt::trace t;
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(1, 1), {.horizon = 100_ns}, t);
  CHECK(spans_of(t, 1, 2, stage::kernel) == spans{{0, 4}});
  CHECK(spans_of(t, 1, 5, stage::copy) == spans{{4, 10}});
  CHECK(r.tasks[1].worst_response == 10);
  CHECK(r.tasks[1].completed == 1);
}

TEST_CASE("jobs that take no time at all complete at their release") {
  constexpr auto tasks = task_set(task("empty", period(10_ns), cpu(0), kernel(0), cpu(0)));
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(1), {.horizon = 100_ns});
  CHECK(r.tasks[0].completed == 10);
  CHECK(r.tasks[0].worst_response == 0);
}

TEST_CASE("a tie between tasks of equal deadline goes to the one given first") {
  constexpr auto tasks = task_set(task("first", period(10_ns), cpu(2)), task("second", period(10_ns), cpu(2)));
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(0, 0), {.horizon = 10_ns});
  CHECK(r.tasks[0].worst_response == 2);
  CHECK(r.tasks[1].worst_response == 4);
}

TEST_CASE("a platform without engines and GPU runs CPU tasks") {
  constexpr auto cpus = takt::platform(takt::pool(takt::processors(1), takt::rate_monotonic));
  constexpr auto tasks =
      task_set(task("slow", period(20_ns), deadline(9_ns), cpu(4)), task("fast", period(10_ns), cpu(3)));
  const auto r = takt::simulate(cpus, tasks, takt::plan<2>{}, {.horizon = 20_ns});
  CHECK(r.tasks[0].worst_response == 7);
  CHECK(r.tasks[1].worst_response == 3);
}

TEST_CASE("execution times take the bounds that the options name") {
  constexpr auto tasks = task_set(
      task("one", period(100_ns), takt::cpu(3_ns, 5_ns), takt::kernel(takt::work(8_ns, 20_ns)), takt::cpu(1_ns, 1_ns)));
  const auto at = [&](takt::execution_times e) {
    return takt::simulate(dedicated(), tasks, takt::dedicate(2), {.horizon = 100'000_ns, .execution = e}).tasks[0];
  };
  CHECK(at(takt::execution_times::lower).worst_response == 3 + 4 + 1);
  CHECK(at(takt::execution_times::upper).worst_response == 5 + 10 + 1);
  const auto random = at(takt::execution_times::random);
  CHECK(random.worst_response == 16);
  CHECK(random.mean_response() > 8);
  CHECK(random.mean_response() < 16);
}
