// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/allocation/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/generated_name.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/plans/judge.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>
#include <takt/systems/methods.hpp>

#include "support/runtime_sets.hpp"
#include "support/same_verdict.hpp"

using namespace takt_tests;

namespace {

using board = takt::gpusync_board<>;
using table = takt::task_rows<takt::gpusync_task<ticks, 16>, 8>;

[[nodiscard]] auto gpus(std::int32_t cpus, std::int32_t count) -> takt::hardware {
  takt::hardware out;
  out.processors = cpus;
  for (std::int32_t g = 0; g < count; ++g) { out.gpus.unchecked_push_back({.sms = 4, .virtual_per_sm = 2}); }
  return out;
}

[[nodiscard]] auto random_board(takt::random_stream& random) -> board {
  board out;
  out.shape = takt::studied_configurations[static_cast<std::size_t>(random.between(0, 56))].value;
  auto& c = out.shape;
  c.cpus = 4;
  c.cpu_cluster_size = c.cpu_cluster_size == 12 ? 4 : c.cpu_cluster_size == 6 ? 2 : 1;
  c.gpus = 4;
  c.gpu_cluster_size = c.gpu_cluster_size > 4 ? 4 : c.gpu_cluster_size;
  c.numa_nodes = 1;
  c.dma_chunk = 64;
  out.costs.kinds = {{{2, 1, 32}, {3, 1, 32}, {4, 1, 16}}};
  out.overheads.schedule = 1;
  return out;
}

/// Tasks on the GPU cluster that a run-time workload would be placed on.
[[nodiscard]] auto random_tasks(takt::random_stream& random, const takt::gpusync_configuration& c) -> table {
  table out;
  for (std::size_t i = 0; i < 6; ++i) {
    table::task_type t;
    t.name = takt::generation::generated_name(i);
    t.period = random.between(2'000, 6'000);
    t.deadline = c.scheduler.task_level ? t.period : random.between(1'000, 7'000);
    t.priority = static_cast<std::int32_t>(5 - i);
    t.cpu_cluster = static_cast<std::int32_t>(random.between(0, c.cpu_clusters() - 1));
    t.wcet = random.between(50, 400);
    if (random.chance(2, 3)) {
      t.gpu = true;
      t.cpu_in_gpu_section = t.wcet / 10;
      for (std::int64_t k = random.between(1, 3); k > 0; --k) {
        t.kernels.unchecked_push_back(random.between(10, 300));
      }
      t.bytes_in = c.copy_engines > 0 ? random.between(0, 500) : 0;
      t.bytes_out = c.copy_engines > 0 ? random.between(0, 500) : 0;
      t.bytes_state = c.copy_engines > 0 ? random.between(0, 200) : 0;
      for (std::int32_t a = 0; t.gpu_cluster == takt::no_cluster; ++a) {
        if (c.serves(a, t.cpu_cluster)) { t.gpu_cluster = a; }
      }
    }
    out.add(t);
  }
  return out;
}

using small = takt::runtime_task_set<4, 24>;

}  // namespace

TEST_CASE("tasks on locked GPUs have the same bounds as a described workload") {
  std::size_t bounded = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    takt::random_stream random{seed};
    const board platform = random_board(random);
    const table tasks = random_tasks(random, platform.shape);
    auto typed = takt::analysis::analyze_by<takt::published>(platform, tasks);
    for (std::size_t i = 0; i < typed.tasks.size(); ++i) { typed.limit(i, tasks.tasks[i].deadline); }
    const auto described = runtime_of(tasks);
    const auto found = takt::judge_locked_gpus(described, gpus(4, 4), platform);
    check_same_verdict(found, typed);
    const auto again = takt::judge_locked_gpus(described, gpus(4, 4), platform, found.plan);
    check_same_verdict(again, found);
    bounded += found.bounded() ? 1U : 0U;
  }
  CHECK(bounded > 50);
}

TEST_CASE("a section that nobody marks is what lies between two CPU visits") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 1000}).cpu(1, 20);
  takt::runtime_visit copy{.where = resource_kind::copy_engine, .bytes = 64};
  copy.known.add(visit_fact::bytes);
  b.visit(copy).whole(30).visit(copy).cpu(1, 10);
  board platform;
  platform.costs.kinds = {{{2, 1, 32}, {3, 1, 32}, {4, 1, 16}}};
  takt::analysis::detail::locked_gpu_table<small> read;
  REQUIRE_FALSE(takt::analysis::read_sections(b.done(), gpus(1, 1), platform.shape, read));
  const auto& task = read.tasks[0];
  CHECK(task.wcet == 30);
  CHECK(task.cpu_in_gpu_section == 0);
  REQUIRE(task.kernels.size() == 1);
  CHECK(task.kernels[0] == 30);
  CHECK(task.bytes_in == 64);
  CHECK(task.bytes_out == 64);
  CHECK(task.gpu_cluster == 0);
  CHECK(takt::judge_locked_gpus(b.done(), gpus(1, 1), platform).schedulable());
  const auto twice = b.task({.name = "b", .period = 1000}).cpu(1, 5).whole(3).cpu(1, 5).whole(3).cpu(1, 5).done();
  CHECK(takt::judge_locked_gpus(twice, gpus(1, 1), platform).error ==
        takt::fault_at(takt::model_fault::workload_part_unused, 1, 3));
  auto unknown = b.done();
  unknown.visits[1].known = {};
  const auto error = takt::judge_locked_gpus(unknown, gpus(1, 1), platform).error;
  CHECK(error == takt::fault_at(takt::model_fault::visit_time_unknown, 0, 1));
  CHECK(error.lacks.first == visit_fact::bytes);
}

TEST_CASE("a task without a deadline needs a bound only, and one after the period is kept under EDF") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100, .deadline = 130}).cpu(1, 60);
  b.task({.name = "b", .period = 100, .limited = false}).cpu(1, 35);
  board platform;
  platform.shape.scheduler = takt::cpu_scheduler::earliest_deadline;
  const auto found = takt::judge_locked_gpus(b.done(), gpus(1, 1), platform);
  CHECK(found.schedulable());
  CHECK(found.tasks[0].deadline == 130);
  CHECK_FALSE(found.tasks[1].limited);
  CHECK(found.tasks[1].meets);
  runtime_builder<small> swapped;
  swapped.task({.name = "b", .period = 100, .limited = false}).cpu(1, 35);
  swapped.task({.name = "a", .period = 100, .deadline = 130}).cpu(1, 60);
  const auto again = takt::judge_locked_gpus(swapped.done(), gpus(1, 1), platform);
  CHECK_FALSE(again.tasks[0].limited);
  CHECK(again.tasks[1].deadline == 130);
}
