// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/allocation/analyze.hpp>
#include <takt/generation/whole_kernels.hpp>
#include <takt/model/platform.hpp>
#include <takt/systems/accelerators/plans/judge.hpp>
#include <takt/systems/methods.hpp>

#include "support/accelerator_examples.hpp"
#include "support/runtime_sets.hpp"
#include "support/same_verdict.hpp"

using namespace takt_tests;
using takt::verdict_status;

namespace {

[[nodiscard]] constexpr auto one_gpu(std::int32_t sms, std::int32_t levels) -> takt::hardware {
  takt::hardware out;
  out.gpus.unchecked_push_back({.sms = sms, .virtual_per_sm = 2, .preemption_levels = levels});
  return out;
}

template <std::size_t N, class Rule>
void check_same(const takt::task_rows<takt::accelerator_task<ticks>, N>& table, std::int32_t sms, std::int32_t levels,
                const Rule& rule) {
  const auto typed = takt::analysis::analyze_by<takt::published>(
      takt::platform(takt::pool(takt::accelerator(sms, levels), rule)), table);
  const auto described = runtime_of(table);
  const auto found = takt::judge_whole_kernels(described, one_gpu(sms, levels), rule);
  CHECK_FALSE(found.cores_were_chosen);
  check_same_verdict(found.verdict, typed);
  check_same_verdict(takt::judge_whole_kernels(described, one_gpu(sms, 0), rule, levels).verdict, typed);
  const auto again = takt::judge_whole_kernels(described, one_gpu(sms, levels), rule, 0, found.verdict.plan);
  check_same_verdict(again.verdict, typed);
}

template <std::size_t N, class Order>
void check_order(const takt::task_rows<takt::accelerator_task<ticks>, N>& table, std::int32_t sms, const Order& order,
                 ticks period) {
  check_same(table, sms, 1, takt::nonpreemptive(order));
  for (const std::int32_t levels : {1, 2, 4}) {
    check_same(table, sms, levels, takt::levels(order));
    check_same(table, sms, levels, takt::levels(order, takt::preemption_cost_model::ideal));
    check_same(table, sms, levels, takt::levels(order, takt::preemption_cost_model::overhead));
  }
  check_same(table, sms, 2, takt::gang(order));
  check_same(table, sms, 2, takt::gang(order, takt::strict));
  const ticks half = period / 2;
  check_same(table, sms, 2,
             takt::slots(order, takt::pinned_slot(takt::duration{0}, takt::duration{half}),
                         takt::gang_slot(takt::duration{half}, takt::duration{period - half}),
                         takt::period(takt::duration{period})));
}

using small = takt::runtime_task_set<4, 8>;

}  // namespace

TEST_CASE("whole kernels have the same verdicts as a described workload under every rule") {
  takt::task_rows<takt::accelerator_task<ticks>, 8> example = takt_examples::table_1;
  check_order(example, 2, takt::edf, 12);
  check_order(example, 2, takt::deadline_monotonic, 12);
  takt::generation::accelerator_set_options options;
  for (const ticks period : {10'000, 15'000, 20'000, 30'000, 60'000}) { options.periods.unchecked_push_back(period); }
  for (const std::int32_t load : {100, 200, 300}) {
    for (std::uint64_t i = 0; i < 6; ++i) {
      options.core_utilization_permille = load;
      options.gang_utilization_permille = load;
      options.wave_percent = i % 2 == 0 ? 0 : 20;
      takt::task_rows<takt::accelerator_task<ticks>, 16> table;
      REQUIRE(takt::generation::generate(options, 5, i, table) == takt::model_fault::none);
      CAPTURE(load);
      CAPTURE(i);
      check_order(table, 2, takt::edf, 4'000);
      check_order(table, 2, takt::rate_monotonic, 4'000);
      check_order(table, 2, takt::fixed_priority, 4'000);
    }
  }
}

TEST_CASE("kernels for one SM that name none are placed, greatest load first") {
  auto table = takt_examples::table_1;
  for (auto& t : table.tasks) { t.core = takt::unassigned_core; }
  const auto found = takt::judge_whole_kernels(runtime_of(table), one_gpu(2, 2), takt::gang(takt::edf));
  CHECK(found.cores_were_chosen);
  CHECK(found.verdict.plan.cores[1] == 0);
  CHECK(found.verdict.plan.cores[0] == 1);
  CHECK(found.verdict.plan.cores[3] == 1);
  CHECK(found.verdict.plan.cores[2] == takt::unassigned_core);
}

TEST_CASE("a kernel that does not say what it costs to stop it runs to its end") {
  runtime_builder<small> b;
  b.task({.name = "long", .period = 100}).whole(30);
  b.task({.name = "short", .period = 40, .deadline = 25}).whole(5);
  const auto levels = takt::levels(takt::edf, takt::preemption_cost_model::ideal);
  CHECK_FALSE(takt::judge_whole_kernels(b.done(), one_gpu(0, 2), levels).verdict.schedulable());
  auto stops = b.done();
  for (auto& v : stops.visits) {
    v.known.add(visit_fact::preemption_cost);
    v.preemption_cost = 2;
  }
  CHECK(takt::judge_whole_kernels(stops, one_gpu(0, 2), levels).verdict.schedulable());
}

TEST_CASE("times that are derived prove kernels, and prove no miss") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100}).work(0, 320);
  const auto rule = takt::nonpreemptive(takt::edf);
  const auto fits = takt::judge_whole_kernels(b.done(), one_gpu(4, 2), rule);
  CHECK(fits.verdict.schedulable());
  auto tight = b.done();
  tight.tasks[0].deadline = 30;
  CHECK(takt::judge_whole_kernels(tight, one_gpu(4, 2), rule).verdict.status == verdict_status::not_proven);
  runtime_builder<small> given;
  given.task({.name = "a", .period = 100, .deadline = 30}).whole(40);
  CHECK(takt::judge_whole_kernels(given.done(), one_gpu(4, 2), rule).verdict.status == verdict_status::unschedulable);
  auto later = given.done();
  later.tasks[0].limited = false;
  later.visits[0].wcet = 120;
  CHECK(takt::judge_whole_kernels(later, one_gpu(4, 2), rule).verdict.status == verdict_status::not_proven);
}

TEST_CASE("slots are found for kernels on one SM and on all") {
  const auto table = takt_examples::table_1;
  const auto found = takt::judge_in_slots(runtime_of(table), one_gpu(2, 2), takt::edf);
  CHECK(found.verdict.plan.slots.size() == 2);
  CHECK(found.verdict.status != verdict_status::unschedulable);
  runtime_builder<small> light;
  light.task({.name = "a", .period = 1000}).whole(100);
  light.task({.name = "b", .period = 2000}).whole(200);
  auto tasks = light.done();
  tasks.visits[0].known.add(visit_fact::pinning);
  tasks.visits[0].width = takt::kernel_width::one_core;
  for (auto& v : tasks.visits) {
    v.known.add(visit_fact::preemption_cost);
    v.preemption_cost = 10;
  }
  const auto both = takt::judge_in_slots(tasks, one_gpu(2, 2), takt::edf);
  REQUIRE(both.verdict.schedulable());
  CHECK(both.verdict.plan.slots[0].budget > 0);
  CHECK(both.verdict.plan.slots[1].budget > 0);
  const auto& slots = both.verdict.plan.slots;
  const auto rule =
      takt::slots(takt::edf, takt::pinned_slot(takt::duration{slots[0].offset}, takt::duration{slots[0].budget}),
                  takt::gang_slot(takt::duration{slots[1].offset}, takt::duration{slots[1].budget}),
                  takt::period(takt::duration{slots[0].period}));
  CHECK(takt::judge_whole_kernels(tasks, one_gpu(2, 2), rule).verdict.schedulable());
}

TEST_CASE("what is no kernel, and a GPU that nothing is known of, are refused with their place") {
  const auto rule = takt::levels(takt::edf);
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100}).whole(10);
  b.task({.name = "b", .period = 100}).cpu(1, 5).whole(10);
  CHECK(takt::judge_whole_kernels(b.done(), one_gpu(2, 2), rule).verdict.error ==
        takt::fault_at(takt::model_fault::workload_part_unused, 1, 0));
  runtime_builder<small> alone;
  alone.task({.name = "a", .period = 100}).whole(10);
  CHECK(takt::judge_whole_kernels(alone.done(), one_gpu(2, 0), rule).verdict.error.fault ==
        takt::model_fault::platform_size_out_of_range);
  CHECK(takt::judge_whole_kernels(alone.done(), takt::hardware{}, rule).verdict.error.fault ==
        takt::model_fault::kernel_without_gpu);
  auto late = alone.done();
  late.tasks[0].jitter = 1;
  CHECK(takt::judge_whole_kernels(late, one_gpu(2, 2), rule).verdict.error ==
        takt::fault_at(takt::model_fault::workload_part_unused, 0));
  auto blank = alone.done();
  blank.visits[0].known = {};
  const auto missing = takt::judge_whole_kernels(blank, one_gpu(2, 2), rule).verdict.error;
  CHECK(missing == takt::fault_at(takt::model_fault::visit_time_unknown, 0, 0));
  CHECK(missing.lacks.first == visit_fact::wcet);
}

TEST_CASE("described kernels are judged at compile time") {
  static constexpr auto tasks = [] {
    runtime_builder<small> b;
    b.task({.name = "a", .period = 100}).whole(30);
    b.task({.name = "b", .period = 100}).whole(20);
    return b.done();
  }();
  static constexpr auto one_after_the_other =
      takt::judge_whole_kernels(tasks, one_gpu(4, 2), takt::nonpreemptive(takt::edf));
  static_assert(one_after_the_other.verdict.schedulable());
  CHECK(one_after_the_other.verdict.method == "single-stream-edf");
}
