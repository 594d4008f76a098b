// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include <doctest/doctest.h>

#include <takt/simulation/simulate_composed.hpp>

#include "support/traces.hpp"
#include "unit/simulation/whole_kernels/fixtures.hpp"

using namespace accelerator_fixtures;

namespace {

constexpr kernels four = set_of({{2, 10, 12, 1}, {3, 20, 30, 1}, {5, 36, 40, 2}, {6, 60, 60, 1}});

constexpr std::array models{preemption_cost_model::ideal, preemption_cost_model::race, preemption_cost_model::overhead};

/// Earliest deadline first; the urgent tasks come when the others have started.
template <class Limit>
auto nested(std::int32_t levels, preemption_cost_model model, Limit /*limit*/) -> responses {
  return worst(simulate_kernels(edf, takt::level_stack<kernels::max_tasks, Limit>{levels}, four,
                                at(four, {{3, 15}, {2}, {1}, {0}}), options{.costs = model}));
}

/// A kernel of so many waves of 8, and one of a single wave that is more urgent and comes one unit later.
auto interrupted(ticks waves, preemption_cost_model model) -> responses {
  const kernels tasks = ranked(set_of({{8, 200, 200, 8}, {8 * waves, 400, 400, 8}}));
  return worst(simulate_kernels(by_priority, level_stack{2}, tasks, at(tasks, {{1}, {0}}), options{.costs = model}));
}

}  // namespace

TEST_CASE("one to four levels under each cost model: responses of a set whose jobs nest as deep as they can" *
          takt_tests::traces("AP-11 AP-X11")) {
  const auto check = [](auto limit) {
    const auto at_levels = [limit](std::int32_t levels) {
      return std::array{nested(levels, models[0], limit), nested(levels, models[1], limit),
                        nested(levels, models[2], limit)};
    };
    for (const responses& r : at_levels(1)) { CHECK(r == responses{5, 9, 15, 6}); }
    CHECK(at_levels(2) == std::array{responses{5, 9, 5, 18}, responses{6, 11, 5, 18}, responses{6, 10, 6, 20}});
    CHECK(at_levels(3) == std::array{responses{5, 4, 10, 18}, responses{7, 4, 10, 18}, responses{4, 3, 11, 20}});
    CHECK(at_levels(4) == std::array{responses{2, 6, 10, 18}, responses{2, 6, 10, 18}, responses{3, 6, 12, 21}});
  };
  check(takt::limited_by_streams{});
  check(takt::limited_by_started_jobs{});
}

TEST_CASE("without preemption costs the three models are one" * takt_tests::traces("AP-11")) {
  kernels free = four;
  for (std::size_t i = 0; i < free.size(); ++i) { free.tasks[i].preemption_cost = 0; }
  const auto releases = at(free, {{3, 15}, {2}, {1}, {0}});
  for (std::int32_t levels = 1; levels <= 4; ++levels) {
    const auto of = [&](const kernels& tasks, const options& o) {
      return worst(simulate_kernels(edf, level_stack{levels}, tasks, releases, o));
    };
    const responses expected = of(free, {.costs = preemption_cost_model::ideal});
    for (const auto model : models) {
      CHECK(of(free, {.costs = model}) == expected);
      CHECK(of(four, {.costs = model, .free_preemption = true}) == expected);
    }
  }
}

TEST_CASE("a low task of one block wave is not preempted, longer ones are prolonged by the high task" *
          takt_tests::traces("AP-32")) {
  for (const auto model : {preemption_cost_model::ideal, preemption_cost_model::race}) {
    CHECK(interrupted(1, model) == responses{15, 8});
    CHECK(interrupted(2, model) == responses{15, 24});
    CHECK(interrupted(3, model) == responses{15, 32});
    CHECK(interrupted(4, model) == responses{15, 40});
  }
}

TEST_CASE("a completion lets the kernel below run for a wave before the next job starts only where they race" *
          takt_tests::traces("AP-X11")) {
  // The third task waits for the second one's end on a full stack; the first one's wave slips in between.
  const kernels tasks = set_of({{2, 12, 20, 1}, {2, 6, 8, 2}, {4, 19, 20, 2}});
  const auto releases = at(tasks, {{1}, {1}, {0}});
  const auto run = [&](preemption_cost_model model) {
    return worst(simulate_kernels(edf, level_stack{2}, tasks, releases, options{.costs = model}));
  };
  CHECK(run(preemption_cost_model::race) == responses{3, 7, 6});
  CHECK(run(preemption_cost_model::ideal) == responses{3, 5, 8});
}

TEST_CASE("lost time is spent once per preempted execution, whoever is pushed meanwhile" *
          takt_tests::traces("AP-X11")) {
  const kernels tasks = set_of({{1, 5, 50, 1}, {1, 10, 50, 1}, {9, 40, 50, 3}});
  const auto run = [&](ticks first) {
    return worst(simulate_kernels(edf, level_stack{3}, tasks, at(tasks, {{first}, {2}, {0}}),
                                  options{.costs = preemption_cost_model::overhead}));
  };
  CHECK(run(2) == responses{4, 5, 14});  // both at one instant
  CHECK(run(4) == responses{2, 5, 14});  // during the lost time
  CHECK(run(5) == responses{1, 5, 14});  // at its end: the second task has not started
}

TEST_CASE("late jobs of a kernel wait for each other, and count" * takt_tests::traces("AP-35")) {
  constexpr kernels tasks = ranked(set_of({{3, 4, 4}, {3, 6, 6}}));
  const auto r = simulate_kernels(by_priority, level_stack{2}, tasks, periodic(tasks, 12));
  CHECK(r.status() == takt::observation_status::missed);
  CHECK(r.completed() == 5);
  CHECK(worst(r) == responses{3, 12});
  CHECK(r.tasks[1].misses == 2);
  const auto e = simulate_kernels(edf, single_stream, tasks, periodic(tasks, 12));
  CHECK(worst(e) == responses{7, 6});  // at 9 the deadlines are equal, and the earlier release goes first
}

TEST_CASE("models that are wrong or do not fit are refused") {
  const auto under = [](const auto& rule) { return takt::platform(takt::pool(takt::accelerator(2), rule)); };
  const auto error_of = [](const auto& board, const kernels& tasks) {
    return takt::simulate(board, tasks, {.horizon = takt::duration{10}}).error;
  };
  kernels wrong = four;
  wrong.tasks[1].wcet = 0;
  const auto error = error_of(under(takt::levels(takt::edf)), wrong);
  CHECK(error.fault == takt::model_fault::kernel_time_not_positive);
  CHECK(error.task == 1);
  kernels far = four;
  far.tasks[0].core = 2;
  CHECK(error_of(under(takt::gang(takt::edf)), far).fault == takt::model_fault::core_out_of_range);
  const auto in_slots = [](ticks second, ticks every) {
    return takt::slots(takt::edf, takt::pinned_slot(takt::duration{0}, takt::duration{8}),
                       takt::gang_slot(takt::duration{second}, takt::duration{4}), takt::period(takt::duration{every}));
  };
  CHECK(error_of(under(in_slots(8, 0)), four).fault == takt::model_fault::period_not_positive);
  CHECK(error_of(under(in_slots(7, 12)), four).fault == takt::model_fault::slots_overlap);
}
