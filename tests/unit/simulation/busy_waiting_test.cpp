// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <doctest/doctest.h>

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

constexpr auto spinning = board(takt::busy_waiting(takt::fixed_priority), takt::federated);

}  // namespace

TEST_CASE("a spinning job keeps its core until it completes" * takt_tests::traces("RTGPU-47")) {
  constexpr auto tasks = task_set(task("high", period(60_ns), cpu(3), copy(2), kernel(24), copy(2), cpu(4)),
                                  task("low", period(120_ns), cpu(5), copy(3), kernel(38), copy(3), cpu(4)));
  takt::trace t;
  const auto r = takt::simulate(spinning, tasks, takt::dedicate(1, 1), {.horizon = 120_ns}, t);
  CHECK(spans_of(t, 0, 2, stage::cpu) == spans{{5, 29}, {65, 89}});
  CHECK(spans_of(t, 0, 2, stage::kernel) == spans{{5, 29}, {65, 89}});
  CHECK(spans_of(t, 1, 0, stage::cpu) == spans{{35, 40}});
  CHECK(spans_of(t, 1, 2, stage::cpu) == spans{{43, 60}});
  CHECK(spans_of(t, 1, 2, stage::kernel) == spans{{43, 81}});
  CHECK(spans_of(t, 1, 3, stage::copy) == spans{{95, 98}});
  CHECK(r.tasks[0].worst_response == 35);
  CHECK(r.tasks[1].worst_response == 102);
}

TEST_CASE("each preempted spinner has one copy under way: 20 beats the maximum of F10, 15" *
          takt_tests::traces("RTGPU-47")) {
  constexpr auto tasks =
      task_set(task("high", period(100_ns), priority(0), cpu(1), copy(1), kernel(1), copy(1), cpu(1)),
               task("middle", period(100_ns), priority(1), cpu(1), copy(10), kernel(1), copy(1), cpu(1)),
               task("low", period(100_ns), priority(2), cpu(1), copy(10), kernel(1), copy(1), cpu(1)));
  const std::array offsets{4_ns, 2_ns, 0_ns};
  takt::trace t;
  const auto r = takt::simulate(spinning, tasks, takt::dedicate(1, 1, 1), {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 2, 1, stage::copy) == spans{{1, 11}});
  CHECK(spans_of(t, 0, 1, stage::copy) == spans{{11, 12}});
  CHECK(spans_of(t, 1, 1, stage::copy) == spans{{12, 22}});
  CHECK(spans_of(t, 0, 3, stage::copy) == spans{{22, 23}});
  CHECK(r.tasks[0].worst_response == 20);

  SUBCASE("and the adversary finds it") {
    takt::ticks worst = 0;
    for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
      const auto run =
          takt::simulate(spinning, tasks, takt::dedicate(1, 1, 1),
                         {.horizon = 1'200_ns, .releases = takt::release_pattern::adversarial, .seed = seed});
      worst = run.tasks[0].worst_response > worst ? run.tasks[0].worst_response : worst;
    }
    CHECK(worst == 20);
  }
}

TEST_CASE("a preempted spinner starts nothing until it has its core back") {
  constexpr auto tasks = task_set(task("high", period(100_ns), priority(0), cpu(20)),
                                  task("low", period(100_ns), priority(1), cpu(2), kernel(5), copy(3), cpu(1)));
  const std::array offsets{4_ns, 0_ns};
  takt::trace t;
  (void)takt::simulate(spinning, tasks, takt::dedicate(0, 1), {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{2, 7}});
  CHECK(spans_of(t, 1, 1, stage::cpu) == spans{{2, 4}});
  CHECK(spans_of(t, 1, 2, stage::copy) == spans{{24, 27}});
  CHECK(spans_of(t, 1, 3, stage::cpu) == spans{{27, 28}});
}

TEST_CASE("a job preempted when its kernel ends does not start its next copy at that instant") {
  constexpr auto tasks = task_set(task("high", period(100_ns), priority(0), cpu(20)),
                                  task("low", period(100_ns), priority(1), cpu(2), kernel(5), copy(3), cpu(1)));
  const std::array offsets{7_ns, 0_ns};
  takt::trace t;
  (void)takt::simulate(spinning, tasks, takt::dedicate(0, 1), {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 1, 2, stage::copy) == spans{{27, 30}});
}

TEST_CASE("a spinner that ends with a copy may complete while it is preempted") {
  constexpr auto tasks = task_set(task("high", period(100_ns), priority(0), cpu(20)),
                                  task("low", period(100_ns), priority(1), cpu(2), copy(5), kernel(0), cpu(0)));
  const std::array offsets{4_ns, 0_ns};
  takt::trace t;
  const auto r = takt::simulate(spinning, tasks, takt::dedicate(0, 1), {.horizon = 300_ns, .offsets = offsets}, t);
  CHECK(r.tasks[1].worst_response == 7);
  CHECK(r.tasks[1].completed == 3);
}
