// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/place_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<4, 8>;

/// Kernels for one SM each, of tasks with a period of 100.
auto kernels(const std::vector<std::pair<ticks, std::int32_t>>& all) -> tasks_type {
  tasks_type out;
  for (const auto& [wcet, sm] : all) {
    REQUIRE(out.add_task({.period = 100, .deadline = 100}));
    takt::runtime_visit v{.where = takt::resource_kind::gpu};
    v.known.add(visit_fact::wcet);
    v.known.add(visit_fact::pinning);
    v.wcet = wcet;
    v.width = takt::kernel_width::one_core;
    v.sm = sm;
    REQUIRE(out.add_visit(v));
  }
  return out;
}
auto placed(tasks_type& tasks, std::int32_t sms) -> std::vector<std::pair<std::size_t, std::int32_t>> {
  std::vector<std::pair<std::size_t, std::int32_t>> out;
  takt::place_kernels(tasks, sms, [&out](std::size_t task, std::int32_t sm) { out.emplace_back(task, sm); });
  return out;
}

}  // namespace

TEST_CASE("kernels for one SM that name none go where the least load is, the greatest first") {
  auto tasks = kernels({{10, takt::unassigned_core}, {60, 0}, {30, takt::unassigned_core}});
  const auto seen = placed(tasks, 2);
  REQUIRE(seen.size() == 2);
  CHECK(tasks.visits[2].sm == 1);
  CHECK(tasks.visits[0].sm == 1);
  CHECK(tasks.visits[1].sm == 0);
  CHECK(placed(tasks, 2).empty());
}

TEST_CASE("kernels for all SMs, and boards without SMs, leave nothing to place") {
  auto tasks = kernels({{10, takt::unassigned_core}});
  CHECK(placed(tasks, 0).empty());
  tasks.visits[0].width = takt::kernel_width::all_cores;
  CHECK(placed(tasks, 2).empty());
  CHECK(tasks.visits[0].sm == takt::unassigned_core);
}
