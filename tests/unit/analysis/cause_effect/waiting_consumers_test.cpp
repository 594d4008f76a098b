// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/cause_effect/waiting_consumers.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/tags.hpp>

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

namespace {

using takt::ticks;
using takt::wait_obstacle;
using tasks_type = takt::runtime_task_set<4, 8, 1, 1>;

struct task {
  ticks deadline = 0;
  std::int32_t core = 0;
  ticks lower = 1;
  ticks jitter = 0;
};

/// Tasks of a period of 100 with one visit each, the first the most urgent.
template <class... Tasks>
[[nodiscard]] constexpr auto all_of(const Tasks&... given) -> tasks_type {
  tasks_type out;
  std::int32_t priority = 0;
  const auto add = [&](const task& t) {
    static_cast<void>(out.add_task({.name = "t",
                                    .period = 100,
                                    .deadline = t.deadline,
                                    .jitter = t.jitter,
                                    .priority = priority++,
                                    .core = t.core}));
    takt::runtime_visit v{};
    v.known.add(takt::visit_fact::time);
    v.time = {t.lower, 10};
    static_cast<void>(out.add_visit(v));
  };
  (add(given), ...);
  return out;
}

template <class Rule>
[[nodiscard]] constexpr auto obstacle(const Rule& rule, const tasks_type& all, std::size_t producer,
                                      std::size_t consumer) -> wait_obstacle {
  return takt::obstacle_to_waiting(rule, takt::platform(takt::pool(takt::processors(2), rule)), all, takt::plan<4>{},
                                   producer, consumer);
}

constexpr tasks_type two = all_of(task{90}, task{50});

}  // namespace

TEST_CASE("a task waits for a more urgent one of its core, in the order that the rule gives") {
  static_assert(obstacle(takt::fixed_priority, two, 0, 1) == wait_obstacle::none);
  static_assert(obstacle(takt::fixed_priority, two, 1, 0) == wait_obstacle::consumer_more_urgent);
  static_assert(obstacle(takt::nonpreemptive(takt::fixed_priority), two, 0, 1) == wait_obstacle::none);
  CHECK(obstacle(takt::edf, two, 0, 1) == wait_obstacle::consumer_more_urgent);
  CHECK(obstacle(takt::edf, two, 1, 0) == wait_obstacle::none);
  CHECK(obstacle(takt::fixed_priority_rule<takt::by_relative_deadline>{}, two, 1, 0) == wait_obstacle::none);
  CHECK(obstacle(takt::fixed_priority, all_of(task{50}, task{50}), 0, 1) == wait_obstacle::none);
  CHECK(obstacle(takt::edf, all_of(task{50}, task{50}), 0, 1) == wait_obstacle::order_tied);
  CHECK(obstacle(takt::edf, all_of(task{50}, task{50}), 1, 0) == wait_obstacle::order_tied);
  CHECK(obstacle(takt::deadline_monotonic, all_of(task{50}, task{50}), 0, 1) == wait_obstacle::order_tied);
}

TEST_CASE("what keeps a task from waiting is told") {
  CHECK(obstacle(takt::fixed_priority, all_of(task{50}, task{50, 1}), 0, 1) == wait_obstacle::consumer_elsewhere);
  CHECK(obstacle(takt::fixed_priority, all_of(task{50}, task{50, 0, 0}), 0, 1) ==
        wait_obstacle::consumer_takes_no_time);
  CHECK(obstacle(takt::fixed_priority, all_of(task{50, 0, 1, 5}, task{50}), 0, 1) == wait_obstacle::producer_late);
  CHECK(obstacle(takt::fixed_priority, two, 0, 7) == wait_obstacle::workload_unknown);
  CHECK(obstacle(takt::fifo, two, 0, 1) == wait_obstacle::rule_unknown);
  CHECK(obstacle(takt::clustered(takt::fixed_priority, 2), two, 0, 1) == wait_obstacle::rule_unknown);
  takt::plan<4, 8> guarded;
  guarded.offsets.unchecked_push_back(0);
  CHECK(takt::obstacle_to_waiting(takt::fixed_priority,
                                  takt::platform(takt::pool(takt::processors(2), takt::fixed_priority)), two, guarded,
                                  0, 1) == wait_obstacle::visits_held_back);
}

TEST_CASE("a plan decides cores and priorities where it names them") {
  const auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority));
  takt::plan<4> p;
  p.priorities.unchecked_push_back(1);
  p.priorities.unchecked_push_back(0);
  CHECK(takt::obstacle_to_waiting(takt::fixed_priority, board, two, p, 1, 0) == wait_obstacle::none);
  p.cores.unchecked_push_back(0);
  p.cores.unchecked_push_back(1);
  CHECK(takt::obstacle_to_waiting(takt::fixed_priority, board, two, p, 1, 0) == wait_obstacle::consumer_elsewhere);
}
