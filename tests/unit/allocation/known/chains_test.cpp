// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>

#include "support/runtime_sets.hpp"
#include "support/same_verdict.hpp"
#include "support/small_systems.hpp"

using namespace takt_tests;

namespace {

constexpr auto in_order = takt::nonpreemptive(takt::deadline_monotonic);

/// The same bounds, status and plan for run-time tasks as for the flat table at the door of chains, whose proofs of
/// misses are fewer.
template <class Cpu, class Gpu, class Platform, class Table>
void check_same(const Table& table, const takt::platform_record& sizes, const Cpu& cpus, const Gpu& gpus,
                const Platform& platform) {
  const auto described = runtime_of(table);
  const auto typed = takt::analysis::analyze_by<takt::published>(platform, table);
  const auto answer = takt::judge_chains(described, hardware_of(sizes), cpus, gpus);
  const auto& found = answer.verdict;
  auto expected = typed;
  // Run-time tasks know more reasons to miss.
  const bool more_is_known = !answer.misses.empty() && typed.status == takt::verdict_status::not_proven;
  if (more_is_known) { expected.status = takt::verdict_status::unschedulable; }
  check_same_verdict(found, expected);
  const auto again = takt::detail::judge_planned_chains(described, hardware_of(sizes), cpus, gpus, found.plan);
  check_same_verdict(again.verdict, found);
}

template <class Table>
void check_all_rules(const Table& table, std::int32_t sms) {
  const auto sizes = board(sms, 2);
  const auto cpus = takt::pool(takt::processors(1), takt::deadline_monotonic);
  const auto engines = takt::pool(takt::copy_engines(1), in_order);
  const auto gpu = takt::virtual_sms(sms, 2);
  const auto with = [&](const auto& rule) { return takt::platform(cpus, engines, takt::pool(gpu, rule)); };
  const auto& dm = takt::deadline_monotonic;
  check_same(table, sizes, dm, takt::federated, with(takt::federated));
  check_same(table, sizes, dm, takt::federated_virtual, with(takt::federated_virtual));
  check_same(table, sizes, dm, takt::serialized(takt::federated), with(takt::serialized(takt::federated)));
  check_same(table, sizes, dm, takt::serialized(takt::whole_gpu), with(takt::serialized(takt::whole_gpu)));
  check_same(table, sizes, takt::busy_waiting(dm), takt::federated,
             takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(dm)), engines,
                            takt::pool(gpu, takt::federated)));
  const auto behind = [&](const auto& order) {
    const auto rule = takt::locked(order, 2);
    check_same(table, sizes, dm, rule,
               takt::platform(cpus, takt::pool(takt::copy_engines(1), takt::fifo), takt::pool(gpu, rule)));
  };
  behind(takt::k_fmlp_order);
  behind(takt::r2dglp_order);
  behind(takt::ck_omlp_order);
}

using small = takt::runtime_task_set<4, 16, 4, 64>;
[[nodiscard]] constexpr auto one_gpu(std::int32_t sms, std::int32_t cores = 1) -> takt::hardware {
  takt::hardware out;
  out.processors = cores;
  out.copy_engines = 1;
  out.gpus.unchecked_push_back({.sms = sms, .virtual_per_sm = 1});
  return out;
}

}  // namespace

TEST_CASE("generated chains have the same bounds and plans as a described workload under every rule") {
  using table_type = takt::task_table<ticks, 5, 5 * 17>;
  for (const auto copies : {takt::generation::copies_per_kernel::one, takt::generation::copies_per_kernel::two}) {
    for (const std::int32_t level : {300, 700, 1100, 1500}) {
      for (std::uint64_t i = 0; i < 5; ++i) {
        table_type table;
        REQUIRE(takt::generation::generate({.utilization_permille = level, .copies = copies, .sms = 10}, 11, i,
                                           table) == takt::model_fault::none);
        CAPTURE(level);
        CAPTURE(i);
        check_all_rules(table, 10);
      }
    }
  }
}

TEST_CASE("measured kernels stay measured") {
  takt::task_table<ticks, 3, 16, 8> table;
  table.samples.unchecked_push_back({40, 60});
  table.samples.unchecked_push_back({20, 35});
  table.samples.unchecked_push_back({20, 30});
  table.add_task("a", 200, 150);
  table.add_segment({.time = {1, 5}});
  table.add_segment({.where = takt::stage::kernel, .samples = 3});
  table.add_segment({.time = {1, 5}});
  table.add_task("b", 300, 300);
  table.add_segment({.time = {10, 40}});
  check_all_rules(table, 4);
}

TEST_CASE("other facts of kernels become times on every number of SMs that a plan can give") {
  runtime_builder<small> b;
  takt::runtime_visit grid{.where = resource_kind::gpu, .blocks = 8, .threads = 64, .block_length = 10};
  grid.known.add(visit_fact::grid);
  grid.known.add(visit_fact::block_length);
  b.task({.name = "a", .period = 200}).cpu(1, 5).visit(grid).cpu(1, 5);
  b.task({.name = "b", .period = 300}).cpu(1, 30);
  REQUIRE(b.good());
  const auto answer = takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated);
  REQUIRE(answer.verdict.schedulable());
  CHECK(answer.verdict.plan.shares[0] == takt::sm_share{0, 1});
  CHECK(answer.verdict.tasks[0].bound.value == 5 + 80 + 5);
  auto tight = b.done();
  tight.tasks[0].deadline = 50;
  const auto more = takt::judge_chains(tight, one_gpu(4), takt::deadline_monotonic, takt::federated);
  REQUIRE(more.verdict.schedulable());
  CHECK(more.verdict.plan.shares[0] == takt::sm_share{0, 2});
  CHECK(more.verdict.tasks[0].bound.value == 5 + 40 + 5);
}

TEST_CASE("times that are derived prove no miss") {
  runtime_builder<small> b;
  takt::runtime_visit grid{.where = resource_kind::gpu, .blocks = 8, .threads = 64, .block_length = 10};
  grid.known.add(visit_fact::grid);
  grid.known.add(visit_fact::block_length);
  b.task({.name = "a", .period = 25}).cpu(1, 5).visit(grid).cpu(1, 5);
  const auto answer = takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated);
  CHECK(answer.verdict.status == takt::verdict_status::not_proven);
  CHECK(answer.misses.empty());
  runtime_builder<small> given;
  given.task({.name = "a", .period = 25}).cpu(1, 5).work(0, 80).cpu(1, 5);
  CHECK(takt::judge_chains(given.done(), one_gpu(4), takt::deadline_monotonic, takt::federated).verdict.status ==
        takt::verdict_status::unschedulable);
}

TEST_CASE("a time on the whole GPU serves the task that can have it, and else a fact is missing") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 200}).cpu(1, 5).whole(40).cpu(1, 5);
  const auto alone = takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated);
  REQUIRE(alone.verdict.schedulable());
  CHECK(alone.verdict.plan.shares[0] == takt::sm_share{0, 4});
  CHECK(alone.verdict.tasks[0].bound.value == 50);
  b.task({.name = "b", .period = 300}).cpu(1, 5).work(0, 30).cpu(1, 5);
  const auto both = takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated);
  CHECK(both.verdict.error.fault == takt::model_fault::visit_time_unknown);
  CHECK(both.verdict.error.task == 0);
  CHECK(both.verdict.error.visit == 1);
  CHECK(both.verdict.error.name == "a");
  CHECK(both.verdict.error.lacks.one_of.has(visit_fact::work));
  // One after the other they both have it.
  const auto in_turn =
      takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::serialized(takt::whole_gpu));
  CHECK(in_turn.verdict.schedulable());
}

TEST_CASE("a wcet above the divided work counts where there are many SMs") {
  runtime_builder<small> b;
  takt::runtime_visit k{.where = resource_kind::gpu, .work = {0, 80}, .wcet = 30};
  k.known.add(visit_fact::work);
  k.known.add(visit_fact::interleave);
  k.interleave_numerator = 1;
  k.known.add(visit_fact::wcet);
  b.task({.name = "a", .period = 45}).cpu(1, 5).visit(k).cpu(1, 5);
  const auto answer = takt::judge_chains(b.done(), one_gpu(8), takt::deadline_monotonic, takt::federated);
  REQUIRE(answer.verdict.schedulable());
  CHECK(answer.verdict.plan.shares[0] == takt::sm_share{0, 3});
  CHECK(answer.verdict.tasks[0].bound.value == 40);
}

TEST_CASE("chains that begin and end on a device, or visit two in a row, are read with CPU segments of no time") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 200}).copy(1, 4).work(0, 40).copy(1, 4).copy(1, 4).work(0, 20);
  b.task({.name = "b", .period = 300}).cpu(1, 5).cpu(2, 6);
  REQUIRE(b.good());
  const auto answer = takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated);
  REQUIRE(answer.verdict.schedulable());
  CHECK(answer.verdict.tasks[0].bound.value == 4 + 40 + 4 + 4 + 20);
  CHECK(answer.verdict.tasks[1].bound.value == 11);
  const auto locked =
      takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::locked(takt::k_fmlp_order, 1));
  CHECK(locked.verdict.error.fault == takt::model_fault::chain_does_not_alternate);
  CHECK(locked.verdict.error.visit == 0);
}

TEST_CASE("deadlines after the period, or none, are proven as the period, and nothing is proven to miss them") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100, .deadline = 150}).cpu(1, 30);
  b.task({.name = "b", .period = 120, .limited = false}).cpu(1, 30);
  const auto answer = takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated);
  REQUIRE(answer.verdict.schedulable());
  CHECK(answer.verdict.tasks[0].deadline == 150);
  CHECK(answer.verdict.tasks[0].limited);
  CHECK_FALSE(answer.verdict.tasks[1].limited);
  auto heavy = b.done();
  heavy.visits[0].time = {1, 72};  // done 102 after its release: after the period, before the deadline
  CHECK(takt::judge_chains(heavy, one_gpu(4), takt::deadline_monotonic, takt::federated).verdict.status ==
        takt::verdict_status::not_proven);
}

TEST_CASE("orders by deadlines go by those that were said, also where the period is proven") {
  runtime_builder<small> b;
  b.task({.name = "late", .period = 20, .deadline = 60}).cpu(1, 5);
  b.task({.name = "soon", .period = 40, .deadline = 40}).cpu(1, 5);
  for (const auto& bounds : {takt::judge_chains(b.done(), one_gpu(4), takt::deadline_monotonic, takt::federated),
                             takt::judge_chains(b.done(), one_gpu(4), takt::fixed_priority, takt::federated)}) {
    REQUIRE(bounds.verdict.schedulable());
    CHECK(bounds.verdict.tasks[0].bound.value == 10);
    CHECK(bounds.verdict.tasks[1].bound.value == 5);
  }
}

TEST_CASE("tasks that name no core are placed, greatest demand first") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100}).cpu(1, 30);
  b.task({.name = "b", .period = 100}).cpu(1, 60);
  b.task({.name = "c", .period = 100, .core = 0}).cpu(1, 20);
  b.task({.name = "d", .period = 100}).cpu(1, 10);
  const auto answer = takt::judge_chains(b.done(), one_gpu(4, 2), takt::deadline_monotonic, takt::federated);
  REQUIRE(answer.verdict.schedulable());
  CHECK(answer.cores_were_chosen);
  CHECK(answer.verdict.plan.cores[0] == 0);
  CHECK(answer.verdict.plan.cores[1] == 1);
  CHECK(answer.verdict.plan.cores[2] == 0);
  CHECK(answer.verdict.plan.cores[3] == 0);
}

TEST_CASE("what is no chain of a published method is refused with its place") {
  const auto refused = [](const small& tasks) {
    return takt::judge_chains(tasks, one_gpu(4), takt::deadline_monotonic, takt::federated).verdict.error;
  };
  runtime_builder<small> fork;
  fork.task({.name = "a", .period = 100}).cpu(1, 3).work(0, 5).cpu(1, 3);
  auto two_ends = fork.done();
  two_ends.visits[2].predecessors = 1;
  CHECK(refused(two_ends) == takt::fault_at(takt::model_fault::chain_does_not_alternate, 0));
  auto late = fork.done();
  late.tasks[0].jitter = 3;
  CHECK(refused(late) == takt::fault_at(takt::model_fault::workload_part_unused, 0));
  const auto held = [&](bool first, bool kernel, bool last) {
    auto tasks = fork.done();
    tasks.visits[0].in_section = first;
    tasks.visits[1].in_section = kernel;
    tasks.visits[2].in_section = last;
    return takt::judge_chains(tasks, one_gpu(4), takt::deadline_monotonic, takt::locked(takt::k_fmlp_order, 2))
        .verdict.error;
  };
  CHECK_FALSE(held(false, false, false));
  CHECK_FALSE(held(false, true, false));
  CHECK(held(true, true, false) == takt::fault_at(takt::model_fault::workload_part_unused, 0));
  CHECK(held(false, true, true) == takt::fault_at(takt::model_fault::workload_part_unused, 0));
  CHECK(held(true, false, false) == takt::fault_at(takt::model_fault::workload_part_unused, 0));
  auto own = fork.done();
  own.visits[1].where = resource_kind::own;
  CHECK(refused(own) == takt::fault_at(takt::model_fault::unknown_resource, 0, 1));
  auto loop = fork.done();
  loop.history.unchecked_push_back({0, 2, 0, 0});
  CHECK(refused(loop).fault == takt::model_fault::lag_not_positive);
  loop.history[0] = {0, 3, 0, 1};
  CHECK(refused(loop).fault == takt::model_fault::unknown_node);
  auto empty = fork.done();
  empty.visits[0].known = {};
  CHECK(refused(empty) == takt::fault_at(takt::model_fault::visit_time_unknown, 0, 0));
  CHECK(refused(empty).lacks.first == visit_fact::time);
}

TEST_CASE("a board of sizes that no board has is refused before kernels are read for it") {
  runtime_builder<small> b;
  takt::runtime_visit grid{.where = resource_kind::gpu, .blocks = 8, .threads = 64, .block_length = 10};
  grid.known.add(visit_fact::grid);
  grid.known.add(visit_fact::block_length);
  b.task({.name = "a", .period = 200}).cpu(1, 5).visit(grid).cpu(1, 5);
  const auto refused = [&](const takt::gpu_hardware& gpu) {
    takt::hardware board = one_gpu(4);
    board.gpus[0] = gpu;
    return takt::judge_chains(b.done(), board, takt::deadline_monotonic, takt::federated).verdict.error.fault;
  };
  CHECK(refused({.sms = 4}) == takt::model_fault::none);
  CHECK(refused({.sms = 4, .speed = {1, 0}}) == takt::model_fault::platform_size_out_of_range);
  CHECK(refused({.sms = 4, .granularity = 0}) == takt::model_fault::platform_size_out_of_range);
  CHECK(refused({.sms = 1 << 20, .virtual_per_sm = 1 << 20}) == takt::model_fault::platform_size_out_of_range);
}

TEST_CASE("described chains are judged at compile time") {
  static constexpr auto tasks = [] {
    runtime_builder<small> b;
    b.task({.name = "a", .period = 200}).cpu(1, 5).work(0, 80).cpu(1, 5);
    return b.done();
  }();
  static constexpr auto answer = takt::judge_chains(tasks, one_gpu(4), takt::deadline_monotonic, takt::federated);
  static_assert(answer.verdict.schedulable());
  static_assert(answer.verdict.tasks[0].bound.value == 90);
  static_assert(takt::judges_chains<takt::fixed_priority_rule<>, takt::federated_rule<true>>);
  static_assert(!takt::judges_chains<takt::edf_rule, takt::federated_rule<true>>);
  static_assert(!takt::judges_chains<takt::fixed_priority_rule<>, takt::time_slice_rule>);
  CHECK(answer.verdict.method == "rtgpu-best");
}
