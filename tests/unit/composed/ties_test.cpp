// SPDX-License-Identifier: Apache-2.0
// Equal priorities: the plan of a verdict says in which order they go, and simulations under it keep that order.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/analysis/any_board.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using tasks_type = takt::runtime_task_set<2, 4>;
using board_type = takt::any_board<1, 4>;
using plan_type = takt::plan<2, 4>;

void add_time(tasks_type& out, takt::ticks time, takt::visit_mask before) {
  takt::runtime_visit v{.predecessors = before};
  v.known.add(takt::visit_fact::time);
  v.time = {time, time};
  REQUIRE(out.add_visit(v));
}
/// A long visit before a short one, and a short job that comes often, with one priority for both.
auto tied(bool long_first, std::int32_t priority = 3) -> tasks_type {
  tasks_type out;
  for (const bool is_long : {long_first, !long_first}) {
    const takt::ticks period = is_long ? 100 : 2;
    REQUIRE(out.add_task(
        {.name = is_long ? "long" : "often", .period = period, .deadline = 100, .priority = priority, .core = 0}));
    add_time(out, is_long ? 10 : 1, 0);
    if (is_long) { add_time(out, 1, 1); }
  }
  return out;
}
auto one_processor() -> board_type {
  board_type out;
  REQUIRE(out.add(takt::pool(takt::processors(1), takt::fixed_priority)));
  return out;
}

}  // namespace

TEST_CASE("a proof of equal priorities states their order, which is kept and can be given back") {
  const board_type board = one_processor();
  for (const bool long_first : {true, false}) {
    const tasks_type tasks = tied(long_first);
    const auto verdict = takt::analyze(board, tasks, plan_type{}, takt::published_methods);
    REQUIRE(verdict.schedulable());
    REQUIRE(verdict.plan.priorities.size() == 2);
    CHECK(verdict.plan.priorities[0] == 0);
    CHECK(verdict.plan.priorities[1] == 1);
    const auto again = takt::analyze(board, tasks, verdict.plan, takt::published_methods);
    CHECK(again.plan.priorities == verdict.plan.priorities);
    const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = takt::duration{1000}, .releases = {}});
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(again.tasks[i].bound.value == verdict.tasks[i].bound.value);
      CHECK(seen.tasks[i].worst_response == verdict.tasks[i].bound.value);
    }
    const std::size_t of_long = long_first ? 0 : 1;
    CHECK(verdict.tasks[of_long].bound.value == (long_first ? 11 : 22));
  }
}

TEST_CASE("nothing is stated where no two priorities are equal, or none are read") {
  auto tasks = tied(true);
  tasks.tasks[1].priority = 4;
  CHECK(takt::analyze(one_processor(), tasks, plan_type{}, takt::published_methods).plan.priorities.empty());
  board_type by_deadline;
  REQUIRE(by_deadline.add(takt::pool(takt::processors(1), takt::edf)));
  CHECK(takt::analyze(by_deadline, tied(true), plan_type{}, takt::published_methods).plan.priorities.empty());
}
