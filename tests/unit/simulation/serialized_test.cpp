// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <doctest/doctest.h>

#include <takt/report/trace_queries.hpp>
#include <takt/simulation.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

using namespace fixtures;
using takt::period;
using takt::priority;
using takt::stage;
using takt::task;
using takt::task_set;

namespace {

constexpr auto on_own_sms = board(takt::fixed_priority, takt::serialized(takt::federated));
constexpr auto on_all_sms = board(takt::fixed_priority, takt::serialized(takt::whole_gpu));
constexpr auto two_chains = task_set(task("high", period(60_ns), cpu(3), copy(2), kernel(24), copy(2), cpu(4)),
                                     task("low", period(120_ns), cpu(5), copy(3), kernel(36), copy(3), cpu(4)));

}  // namespace

TEST_CASE("a stretch is one critical section, its kernel on the task's SMs" * takt_tests::traces("RTGPU-47")) {
  takt::trace t;
  const auto r = takt::simulate(on_own_sms, two_chains, takt::dedicate(1, 3), {.horizon = 60_ns}, t);
  CHECK(spans_of(t, 0, 1, stage::copy) == spans{{3, 5}});
  CHECK(spans_of(t, 0, 2, stage::kernel) == spans{{5, 29}});
  CHECK(spans_of(t, 0, 3, stage::copy) == spans{{29, 31}});
  CHECK(spans_of(t, 1, 0, stage::cpu) == spans{{3, 8}});
  CHECK(spans_of(t, 1, 1, stage::copy) == spans{{31, 34}});
  CHECK(spans_of(t, 1, 2, stage::kernel) == spans{{34, 46}});
  CHECK(spans_of(t, 1, 3, stage::copy) == spans{{46, 49}});
  CHECK(r.tasks[0].worst_response == 35);
  CHECK(r.tasks[1].worst_response == 53);
  CHECK(r.visit_response(1, 1) == 26);
}

TEST_CASE("a kernel under the lock takes all SMs, without a plan" * takt_tests::traces("RTGPU-47")) {
  takt::trace t;
  const auto r = takt::simulate(on_all_sms, two_chains, takt::plan<2>{}, {.horizon = 60_ns}, t);
  CHECK(spans_of(t, 0, 2, stage::kernel) == spans{{5, 11}});
  CHECK(spans_of(t, 1, 2, stage::kernel) == spans{{16, 25}});
  CHECK(r.tasks[1].worst_response == 32);
  for (const takt::slice& s : t.slices() | takt::views::slices_on(stage::kernel)) {
    CHECK(s.where == takt::track{stage::kernel, 0, 0, 4});
  }
}

TEST_CASE("the lock goes to the highest that waits, and its holder is not preempted") {
  constexpr auto tasks = task_set(task("high", period(100_ns), priority(0), cpu(1), kernel(4), cpu(1)),
                                  task("middle", period(100_ns), priority(1), cpu(1), kernel(8), cpu(1)),
                                  task("low", period(100_ns), priority(2), cpu(1), kernel(12), cpu(1)));
  const std::array offsets{6_ns, 2_ns, 0_ns};
  takt::trace t;
  (void)takt::simulate(on_own_sms, tasks, takt::dedicate(1, 1, 1), {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 2, 1, stage::kernel) == spans{{1, 13}});
  CHECK(spans_of(t, 0, 1, stage::kernel) == spans{{13, 17}});
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{17, 25}});
}

TEST_CASE("a CPU segment of length zero ends a critical section") {
  constexpr auto tasks =
      task_set(task("high", period(100_ns), priority(0), cpu(3), kernel(4), cpu(1)),
               task("low", period(100_ns), priority(1), cpu(0), kernel(5), cpu(0), kernel(5), cpu(1)));
  takt::trace t;
  (void)takt::simulate(on_own_sms, tasks, takt::dedicate(1, 1), {.horizon = 100_ns}, t);
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{0, 5}});
  CHECK(spans_of(t, 0, 1, stage::kernel) == spans{{5, 9}});
  CHECK(spans_of(t, 1, 3, stage::kernel) == spans{{9, 14}});
}

TEST_CASE("a stretch of length zero does not ask for the lock") {
  constexpr auto tasks =
      task_set(task("long", period(100_ns), priority(1), cpu(0), copy(30), kernel(1), cpu(1)),
               task("none", period(100_ns), priority(0), cpu(2), copy(0), kernel(0), copy(0), cpu(2)));
  const auto r = takt::simulate(on_own_sms, tasks, takt::dedicate(1, 1), {.horizon = 100_ns});
  CHECK(r.tasks[1].worst_response == 4);
}
