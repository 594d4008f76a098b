// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/classical_rta.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>
#include <takt/systems/rtgpu/analysis/terms.hpp>
#include <takt/takt.hpp>

#include "support/small_systems.hpp"

using namespace takt_tests;
using takt::analysis::fixed_priority_rta;

namespace {

[[nodiscard]] auto draw_tasks(takt::random_stream& random, std::int32_t cores) -> table {
  static constexpr std::string_view names[] = {"a", "b", "c", "d", "e", "f"};
  std::vector<task_of> tasks;
  for (const auto name : names) {
    const ticks period = random.between(5, 60);
    const ticks wcet = random.between(0, 1 + period / 4);
    tasks.push_back({name, period, random.between(wcet + 1, period), {{0, wcet}}, {}, {}});
    tasks.back().deadline = std::max(tasks.back().deadline, ticks{1});
    tasks.back().core = static_cast<std::int32_t>(random.below(cores));
  }
  return table_of(tasks);
}

}  // namespace

TEST_CASE("fixed-priority analysis agrees with the plain recurrence, task by task, on several cores") {
  takt::random_stream random{41};
  int bounds = 0;
  int misses = 0;
  for (int round = 0; round < 2000; ++round) {
    const table t = draw_tasks(random, 1 + round % 3);
    fixed_priority_rta a(t, board(1, 1, false, 3));
    for (std::size_t k = 0; k < t.size(); ++k) {
      const auto plain = takt::analysis::classical_response(t, k, [](std::size_t) { return ticks{0}; });
      const bool meets = a.evaluate(k);
      REQUIRE(meets == plain.exists());
      if (!meets) {
        ++misses;
        break;
      }
      REQUIRE(a.bound(k).value == plain.value);
      ticks sum = 0;
      a.for_each_term(k, [&sum](const takt::term<ticks>& part) { sum += part.time; });
      REQUIRE(sum == plain.value);
      ++bounds;
    }
  }
  CHECK(bounds > 1000);
  CHECK(misses > 300);
}

TEST_CASE("fixed-priority analysis is exact: a synchronous release attains every bound") {
  takt::random_stream random{43};
  for (int round = 0; round < 200; ++round) {
    const table t = draw_tasks(random, 2);
    const auto p = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority));
    const auto plan = takt::allocate_by<takt::published>(p, t);
    const auto v = takt::analysis::analyze_by<takt::published>(p, t, plan);
    CHECK(v.method == "fixed-priority-rta");
    CHECK(v.status != takt::verdict_status::not_proven);
    const auto simulated =
        takt::simulate(p, t, plan, {.horizon = takt::duration{60}, .execution = takt::execution_times::upper});
    for (std::size_t i = 0; v.schedulable() && i < v.tasks.size(); ++i) {
      CHECK(simulated.tasks[i].worst_response == v.tasks[i].bound.value);
    }
  }
}

TEST_CASE("fixed-priority analysis refuses every task that has a kernel, also the first") {
  table t = table_of({{"a", 10, 10, {{1, 1}, {1, 1}}, {}, {{{1, 2}, 0, 1, 1}}}, {"b", 20, 20, {{1, 1}}, {}, {}}});
  CHECK(fixed_priority_rta<table>::fits(t, board(1, 1)).fault == takt::model_fault::kernel_without_gpu);
  CHECK(fixed_priority_rta<table>::fits(t, board(1, 1)).task == 0);
  t = table_of({{"a", 10, 10, {{1, 1}}, {}, {}}, {"b", 20, 20, {{1, 1}}, {}, {}}});
  CHECK_FALSE(fixed_priority_rta<table>::fits(t, board(1, 1)));
  CHECK(fixed_priority_rta(t, board(1, 1)).monotone());
}

TEST_CASE("fixed-priority analysis may be asked again") {
  const table t = table_of({{"1", 100, 100, {{40, 40}}, {}, {}},
                            {"2", 150, 150, {{40, 40}}, {}, {}},
                            {"3", 350, 350, {{100, 100}}, {}, {}}});
  fixed_priority_rta a(t, board(1, 1));
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(a.evaluate(2));
    CHECK(a.bound(2).value == 300);
    CHECK(a.evaluate(0));
    CHECK(a.bound(0).value == 40);
  }
}
