// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task.hpp>
#include <takt/model/task_set.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::model_fault;
using takt::verdict_status;

constexpr auto tx2 = takt::accelerator(2, 2);

template <class Rule>
constexpr auto under(const Rule& rule) {
  return takt::platform(takt::pool(tx2, rule));
}

// Zahaf and Lipari 2020, Table 1: kernels that stop anywhere.
constexpr auto table_1 = takt::task_set(
    takt::task("t1", takt::period(10_ms), takt::kernel(takt::wcet(3_ms), takt::preemption_cost(0_ms), takt::on_sm(0))),
    takt::task("t2", takt::period(15_ms), takt::kernel(takt::wcet(5_ms), takt::preemption_cost(0_ms), takt::on_sm(0))),
    takt::task("t3", takt::period(12_ms), takt::kernel(takt::wcet(4_ms), takt::preemption_cost(0_ms))),
    takt::task("t4", takt::period(10_ms), takt::kernel(takt::wcet(1_ms), takt::preemption_cost(0_ms), takt::on_sm(1))));

constexpr auto four_kernels =
    takt::task_set(takt::task("t1", takt::period(12_ms), takt::deadline(10_ms),
                              takt::kernel(takt::wcet(2_ms), takt::preemption_cost(1_ms))),
                   takt::task("t2", takt::period(30_ms), takt::deadline(20_ms),
                              takt::kernel(takt::wcet(3_ms), takt::preemption_cost(1_ms))),
                   takt::task("t3", takt::period(40_ms), takt::deadline(36_ms),
                              takt::kernel(takt::wcet(5_ms), takt::preemption_cost(2_ms))),
                   takt::task("t4", takt::period(60_ms), takt::kernel(takt::wcet(6_ms), takt::preemption_cost(1_ms))));

using kernel_table = takt::task_rows<takt::accelerator_task<takt::ticks>, 2>;

auto one_kernel() -> takt::accelerator_task<takt::ticks> {
  return {.name = "a", .wcet = 4, .period = 10, .deadline = 10, .width = takt::kernel_width::all_cores};
}

auto analyze_one(const takt::accelerator_task<takt::ticks>& t) {
  kernel_table table;
  table.add(t);
  return takt::analysis::analyze_by<takt::published>(under(takt::gang(takt::edf)), table);
}

template <class Rule, class Set>
void check_slack(const Rule& rule, const Set& tasks, takt::duration at, takt::duration slack) {
  const auto v = takt::analysis::analyze_by<takt::published>(under(rule), tasks);
  CAPTURE(v.method);
  const auto parts = takt::analysis::evidence_of<takt::published>(under(rule), tasks, v.plan).parts;
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].core == takt::unassigned_core);
  CHECK(parts[0].test.at == at.count());
  CHECK(parts[0].test.slack == slack.count());
  CHECK(v.schedulable() == (slack.count() >= 0));
}

}  // namespace

TEST_CASE("what a model of an accelerator must not be is a status with the field, from a table as from types" *
          takt_tests::traces("AP-01")) {
  struct wrong {
    model_fault fault = model_fault::none;
    takt::accelerator_task<takt::ticks> task;
  };
  auto changed = [](auto change) {
    auto t = one_kernel();
    change(t);
    return t;
  };
  const wrong cases[] = {
      {model_fault::kernel_time_not_positive, changed([](auto& t) { t.wcet = 0; })},
      {model_fault::preemption_cost_exceeds_time, changed([](auto& t) { t.preemption_cost = 5; })},
      {model_fault::negative_time, changed([](auto& t) { t.preemption_cost = -1; })},
      {model_fault::deadline_exceeds_period, changed([](auto& t) { t.deadline = 11; })},
      {model_fault::period_not_positive, changed([](auto& t) { t.period = 0; })},
      {model_fault::core_out_of_range, changed([](auto& t) {
         t.width = takt::kernel_width::one_core;
         t.core = 2;
       })},
      {model_fault::core_not_chosen, changed([](auto& t) { t.width = takt::kernel_width::one_core; })},
      {model_fault::negative_core, changed([](auto& t) { t.core = -2; })},
  };
  CHECK(analyze_one(one_kernel()).schedulable());
  for (const wrong& w : cases) {
    const auto v = analyze_one(w.task);
    CHECK(v.status == verdict_status::invalid_model);
    CHECK(v.error == takt::model_error{.fault = w.fault, .task = 0});
  }
  const auto costly = analyze_one(changed([](auto& t) { t.preemption_cost = 5; })).error;
  CHECK((costly.has_value && costly.value == 5 && costly.has_limit && costly.limit == 4));
  const auto late = analyze_one(changed([](auto& t) { t.deadline = 11; })).error;
  CHECK((late.has_value && late.value == 11 && late.has_limit && late.limit == 10));
  for (const auto time : {std::numeric_limits<takt::ticks>::max(), std::numeric_limits<takt::ticks>::max() / 4}) {
    const auto v = analyze_one(changed([time](auto& t) { t.period = time; }));
    CHECK(v.status == verdict_status::overflow);
    CHECK(v.error == takt::model_error{.fault = model_fault::time_overflow, .task = 0});
    CHECK(analyze_one(changed([time](auto& t) { t.wcet = time; })).status == verdict_status::overflow);
  }
  const auto typed =
      takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(1_ms), takt::on_sm(2))));
  CHECK(takt::analysis::analyze_by<takt::published>(under(takt::gang(takt::edf)), typed).error.fault ==
        model_fault::core_out_of_range);
  const auto none = takt::platform(takt::pool(takt::accelerator(2, 0), takt::levels(takt::edf)));
  CHECK(takt::analysis::analyze_by<takt::published>(none, four_kernels).error.fault ==
        model_fault::platform_size_out_of_range);
  const auto clash = takt::platform(takt::pool(
      tx2, takt::slots(takt::edf, takt::pinned_slot(0_ms, 8_ms), takt::gang_slot(7_ms, 4_ms), takt::period(12_ms))));
  CHECK(takt::analysis::analyze_by<takt::published>(clash, table_1).error.fault == model_fault::slots_overlap);
  CHECK(takt::simulate(clash, table_1).error.fault == model_fault::slots_overlap);
}

TEST_CASE("a kernel is pinned by on_sm, and needs all cores without it" * takt_tests::traces("AP-06")) {
  const auto flat = table_1.table();
  CHECK(flat.tasks[0].width == takt::kernel_width::one_core);
  CHECK(flat.tasks[3].core == 1);
  CHECK(flat.tasks[2].width == takt::kernel_width::all_cores);
  CHECK(flat.tasks[2].core == takt::unassigned_core);
  takt::trace t;
  takt::simulate(under(takt::gang(takt::edf)), table_1, {.horizon = 60_ms}, t);
  CHECK(t.slices().size() > 0);
  for (const takt::slice& s : t.slices()) {
    const takt::track all{takt::stage::kernel, 0, 0, 2};
    const takt::track one{takt::stage::kernel, 0, s.task == 3 ? 1 : 0, 1};
    CHECK(s.where == (s.task == 2 ? all : one));
  }
}

TEST_CASE("the same tasks are judged and run under every strategy" * takt_tests::traces("AP-07")) {
  using cost = takt::preemption_cost_model;
  check_slack(takt::nonpreemptive(takt::edf), four_kernels, 10_ms, 2_ms);
  check_slack(takt::levels(takt::edf, cost::ideal), four_kernels, 10_ms, 2_ms);
  check_slack(takt::levels(takt::edf), four_kernels, 10_ms, 0_ms);
  check_slack(takt::levels(takt::edf, cost::overhead), four_kernels, 10_ms, 0_ms);
  check_slack(takt::gang(takt::edf), four_kernels, 10_ms, 6_ms);
  check_slack(takt::slots(takt::edf, takt::pinned_slot(0_ms, 0_ms), takt::gang_slot(0_ms, 5_ms), takt::period(5_ms)),
              four_kernels, 10_ms, 2_ms);
  const auto all = [](const auto& rule) {
    return takt::simulate(under(rule), four_kernels, {.horizon = 600_ms}).misses() == 0;
  };
  CHECK(all(takt::nonpreemptive(takt::edf)));
  CHECK(all(takt::levels(takt::edf, cost::ideal)));
  CHECK(all(takt::levels(takt::edf)));
  CHECK(all(takt::levels(takt::edf, cost::overhead)));
  CHECK(all(takt::gang(takt::edf)));
  CHECK(all(takt::gang(takt::edf, takt::strict)));
}

TEST_CASE("fixed priorities can be chosen with every strategy, and every task has a bound of its own" *
          takt_tests::traces("AP-35")) {
  const auto bounds = [](const auto& rule, std::initializer_list<std::int64_t> expected) {
    const auto v = takt::analysis::analyze_by<takt::published>(under(rule), four_kernels);
    CAPTURE(v.method);
    CHECK(v.schedulable());
    std::size_t i = 0;
    for (const std::int64_t milliseconds : expected) {
      CHECK(v.tasks[i].bound.exists);
      CHECK(v.tasks[i++].bound.value == milliseconds * 1'000'000);
    }
    const auto run = takt::simulate(under(rule), four_kernels,
                                    {.horizon = 600_ms, .releases = takt::release_pattern::adversarial, .seed = 5});
    for (std::size_t k = 0; k < 4; ++k) { CHECK(run.tasks[k].worst_response <= v.tasks[k].bound.value); }
  };
  using cost = takt::preemption_cost_model;
  bounds(takt::nonpreemptive(takt::deadline_monotonic), {8, 11, 16, 16});
  bounds(takt::levels(takt::deadline_monotonic, cost::ideal), {8, 11, 11, 18});
  bounds(takt::levels(takt::rate_monotonic), {10, 19, 19, 29});
  bounds(takt::levels(takt::fixed_priority, cost::overhead), {10, 19, 19, 29});
  bounds(takt::gang(takt::deadline_monotonic), {4, 7, 11, 18});
  bounds(takt::slots(takt::deadline_monotonic, takt::pinned_slot(0_ms, 0_ms), takt::gang_slot(0_ms, 5_ms),
                     takt::period(5_ms)),
         {8, 15, 23, 54});
}

TEST_CASE("accelerator: slots are judged core by core, and the failing window is named") {
  const auto rule =
      takt::slots(takt::edf, takt::pinned_slot(0_ms, 8_ms), takt::gang_slot(8_ms, 4_ms), takt::period(12_ms));
  const auto v = takt::analysis::analyze_by<takt::published>(under(rule), table_1);
  CHECK(v.status == verdict_status::unschedulable);
  const auto parts = takt::analysis::evidence_of<takt::published>(under(rule), table_1, v.plan).parts;
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].core == 0);
  CHECK(parts[0].test.at == (30_ms).count());
  CHECK(parts[0].test.slack == -(1_ms).count());
  CHECK(parts[1].core == 1);
  CHECK(parts[1].test.slack == (5_ms).count());
  CHECK(parts[2].core == takt::unassigned_core);
  CHECK(parts[2].test.slack == 0);
  CHECK(v.first_unproven() == 0);
  CHECK_FALSE(v.tasks[1].meets);
  CHECK(v.tasks[2].meets);
  CHECK(v.tasks[3].meets);
  const auto run = takt::simulate(under(rule), table_1, {.horizon = 61_ms});
  CHECK(run.tasks[0].misses == 1);
  CHECK(run.tasks[0].worst_response == (11_ms).count());
  CHECK(run.tasks[1].worst_response == (12_ms).count());
}

TEST_CASE("accelerator: more than a core has is a proof of a miss, too little proof is none") {
  const auto load = [](takt::duration c) {
    return takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(c), takt::preemption_cost(c))),
                          takt::task("b", takt::period(20_ms),
                                     takt::kernel(takt::wcet(11_ms), takt::preemption_cost(7_ms), takt::on_sm(1))));
  };
  const auto status = [&](const auto& rule, takt::duration c) {
    return takt::analysis::analyze_by<takt::published>(under(rule), load(c)).status;
  };
  CHECK(status(takt::levels(takt::edf), 5_ms) == verdict_status::unschedulable);
  CHECK(status(takt::levels(takt::edf), 4_ms) == verdict_status::not_proven);
  CHECK(status(takt::nonpreemptive(takt::edf), 4_ms) == verdict_status::unschedulable);
  CHECK(status(takt::gang(takt::edf), 5_ms) == verdict_status::unschedulable);
  CHECK(status(takt::gang(takt::edf), 4_ms) == verdict_status::not_proven);
  const auto v = takt::analysis::analyze_by<takt::published>(under(takt::gang(takt::edf)), load(4_ms));
  const auto parts =
      takt::analysis::evidence_of<takt::published>(under(takt::gang(takt::edf)), load(4_ms), v.plan).parts;
  CHECK(parts[0].test.reason == takt::analysis::edf_reason::not_applicable);
}

TEST_CASE("accelerator: cores of large numbers cost nothing, and a trace has them as they are") {
  const auto wide = takt::platform(takt::pool(takt::accelerator(132, 3), takt::gang(takt::edf)));
  const auto tasks =
      takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(3_ms), takt::on_sm(131))),
                     takt::task("b", takt::period(10_ms), takt::kernel(takt::wcet(3_ms), takt::on_sm(7))));
  takt::trace t;
  const auto run = takt::simulate(wide, tasks, {.horizon = 20_ms}, t);
  CHECK(run.misses() == 0);
  CHECK(run.tasks[1].worst_response == (3_ms).count());
  for (const takt::slice& s : t.slices()) { CHECK(s.where.index == (s.task == 0 ? 131 : 7)); }
  const auto v = takt::analysis::analyze_by<takt::published>(wide, tasks);
  CHECK(v.schedulable());
  CHECK(takt::analysis::evidence_of<takt::published>(wide, tasks, v.plan).parts.size() == 2);
}

TEST_CASE("accelerator: priorities count only where every task of the set has one, also for the tasks of one core") {
  const auto tasks = [](auto... last) {
    return takt::task_set(takt::task("slow", takt::period(40_ms), takt::priority(0),
                                     takt::kernel(takt::wcet(6_ms), takt::preemption_cost(0_ms), takt::on_sm(0))),
                          takt::task("fast", takt::period(10_ms), takt::priority(1),
                                     takt::kernel(takt::wcet(3_ms), takt::preemption_cost(0_ms), takt::on_sm(0))),
                          takt::task("other", takt::period(20_ms), last...,
                                     takt::kernel(takt::wcet(1_ms), takt::preemption_cost(0_ms), takt::on_sm(1))));
  };
  const auto slots = under(takt::slots(takt::fixed_priority, takt::pinned_slot(0_ms, 5_ms), takt::gang_slot(0_ms, 0_ms),
                                       takt::period(5_ms)));
  const auto given = takt::analysis::analyze_by<takt::published>(slots, tasks(takt::priority(2)));
  CHECK(given.tasks[0].bound.value == (6_ms).count());
  CHECK(given.tasks[1].bound.value == (9_ms).count());
  const auto by_deadline = takt::analysis::analyze_by<takt::published>(slots, tasks());
  CHECK(by_deadline.tasks[0].bound.value == (9_ms).count());
  CHECK(by_deadline.tasks[1].bound.value == (3_ms).count());
  const takt::simulation_options options{.horizon = 400_ms};
  CHECK(takt::simulate(slots, tasks(takt::priority(2)), options).tasks[1].worst_response == (9_ms).count());
  CHECK(takt::simulate(slots, tasks(), options).tasks[1].worst_response == (3_ms).count());
}

TEST_CASE("accelerator: the first miss can stop the simulation at the deadline that passes") {
  const auto rule =
      takt::slots(takt::edf, takt::pinned_slot(0_ms, 8_ms), takt::gang_slot(8_ms, 4_ms), takt::period(12_ms));
  const auto whole = takt::simulate(under(rule), table_1, {.horizon = 600_ms});
  CHECK(whole.misses() == 10);
  takt::trace t;
  const auto run = takt::simulate(under(rule), table_1, {.horizon = 600_ms, .stop_at_first_miss = true}, t);
  CHECK(run.end == (60_ms).count());
  CHECK(run.misses() == 1);
  CHECK(run.tasks[0].misses == 1);
  CHECK(run.tasks[0].completed < run.tasks[0].released);
  CHECK(run.status() == takt::observation_status::missed);
  int misses = 0;
  for (const takt::mark& m : t.marks()) {
    if (m.what != takt::mark_kind::miss) { continue; }
    ++misses;
    CHECK(m.task == 0);
    CHECK(m.time == run.end);
  }
  CHECK(misses == 1);
  const auto gang = under(takt::gang(takt::edf));
  const takt::simulation_options stops{.horizon = 600_ms, .stop_at_first_miss = true};
  const auto good = takt::simulate(gang, table_1, {.horizon = 600_ms});
  CHECK(good.misses() == 0);
  CHECK(takt::simulate(gang, table_1, stops).misses() == 0);
  CHECK(takt::simulate(gang, table_1, stops).completed() == good.completed());
}
