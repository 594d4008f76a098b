// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/systems/locked_gpus/tasks/placed.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace {

using takt::model_fault;
using table = takt::task_rows<takt::gpusync_task<takt::ticks, 1>, 3>;
using plan = takt::plan<3>;

/// Two tasks on the CPU cluster 1, the second of which uses the GPU cluster 2.
auto two_tasks() -> table {
  table t;
  REQUIRE(t.add({.name = "cpu", .wcet = 1, .period = 10, .deadline = 10, .cpu_cluster = 1}));
  REQUIRE(t.add({.name = "gpu",
                 .wcet = 1,
                 .period = 10,
                 .deadline = 10,
                 .kernels = {},
                 .cpu_cluster = 1,
                 .gpu_cluster = 2,
                 .gpu = true}));
  return t;
}

}  // namespace

TEST_CASE("a plan moves tasks to its clusters, and what it does not say stays as it is") {
  const table untouched = takt::placed(two_tasks(), plan{});
  CHECK(untouched.tasks[0].cpu_cluster == 1);
  CHECK(untouched.tasks[1].cpu_cluster == 1);
  CHECK(untouched.tasks[1].gpu_cluster == 2);
  table only_gpu;
  REQUIRE(only_gpu.add(two_tasks().tasks[1]));
  CHECK(takt::placed(only_gpu, plan{}).tasks[0].gpu_cluster == 2);

  plan p;
  for (const std::int32_t core : {3, 4}) { REQUIRE(p.cores.try_push_back(core)); }
  for (const std::int32_t gpu : {0, 5}) { REQUIRE(p.shares.try_push_back({gpu, 0})); }
  CHECK_FALSE(takt::gpusync_plan_fault(two_tasks(), p));
  const table moved = takt::placed(two_tasks(), p);
  CHECK(moved.tasks[0].cpu_cluster == 3);
  CHECK(moved.tasks[0].gpu_cluster == takt::no_cluster);
  CHECK(moved.tasks[1].cpu_cluster == 4);
  CHECK(moved.tasks[1].gpu_cluster == 5);
}

TEST_CASE("a plan of locked GPUs hands out no SMs, and no GPU to a task without GPU work") {
  plan p;
  REQUIRE(p.shares.try_push_back({1, 0}));
  REQUIRE(p.shares.try_push_back({0, 0}));
  CHECK(takt::gpusync_plan_fault(two_tasks(), p) == takt::fault_at(model_fault::plan_does_not_fit, 0));
  p.shares[0] = {0, 0};
  p.shares[1] = {1, 0};
  CHECK_FALSE(takt::gpusync_plan_fault(two_tasks(), p));
  p.shares[1] = {1, 2};
  CHECK(takt::gpusync_plan_fault(two_tasks(), p) == takt::fault_at(model_fault::plan_does_not_fit, 1));
}
