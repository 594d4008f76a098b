// SPDX-License-Identifier: Apache-2.0
// CPU time with non-preemptive regions under every policy: whoever proves it counts the regions, or refuses.
#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/policies.hpp>

#include <cstddef>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<4, 16, 4, 4>;

constexpr ticks ms = 1'000'000;

[[nodiscard]] auto on_cpu(ticks upper, ticks region, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = resource_kind::processor, .predecessors = before, .region = region};
  v.known.add(visit_fact::time);
  v.time = {0, upper};
  return v;
}
[[nodiscard]] auto kernel(ticks work, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = resource_kind::gpu, .predecessors = before};
  v.known.add(visit_fact::work);
  v.known.add(visit_fact::interleave);
  v.known.add(visit_fact::wcet);
  v.known.add(visit_fact::preemption_cost);
  v.preemption_cost = work;
  v.work = {0, work};
  v.wcet = work;
  return v;
}
/// A short task, and a longer one with a kernel, on one core. The time of the longer one that it keeps the core is
/// longer than the short one can wait, or is not.
[[nodiscard]] auto control_above(ticks region) -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task({.name = "control", .period = 10 * ms, .deadline = 10 * ms}));
  REQUIRE(out.add_visit(on_cpu(ms, 0, 0)));
  REQUIRE(out.add_task({.name = "logging", .period = 80 * ms, .deadline = 80 * ms}));
  REQUIRE(out.add_visit(on_cpu(12 * ms, region, 0)));
  REQUIRE(out.add_visit(kernel(ms, 0b1)));
  REQUIRE(out.add_visit(on_cpu(ms, 0, 0b10)));
  return out;
}
[[nodiscard]] auto board() -> takt::hardware {
  takt::hardware out{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(
      out.gpus.try_push_back({.sms = 8, .preemption_levels = 2, .context_switch = 250'000, .switch_is_known = true}));
  return out;
}
constexpr auto some =
    takt::policies(takt::federated_policy{}, takt::whole_gpu_policy{}, takt::tokens_k_fmlp_policy{},
                   takt::levels_policy{}, takt::gang_policy{}, takt::time_sliced_policy{}, takt::busy_waiting_policy{});

[[nodiscard]] auto compared(ticks region) {
  return takt::compare<takt::published_judges>(control_above(region), board(), some,
                                               takt::cpu_rules(takt::fixed_priority, takt::edf, takt::g_edf));
}

}  // namespace

TEST_CASE("no policy proves a task that cannot wait for the region of another one") {
  std::size_t proven = 0;
  for (const auto& line : compared(0).lines) { proven += line.judged && line.verdict.schedulable() ? 1U : 0U; }
  CHECK(proven >= 6);
  for (const auto& line : compared(12 * ms).lines) {
    CAPTURE(line.policy);
    CAPTURE(line.cpus);
    CHECK_FALSE((line.judged && line.verdict.schedulable()));
  }
}

TEST_CASE("a region that another task can wait for is part of its bound, and no policy spins beside it") {
  std::size_t proven = 0;
  for (const auto& line : compared(4 * ms).lines) {
    CAPTURE(line.policy);
    CAPTURE(line.cpus);
    if (!line.judged || !line.verdict.schedulable()) { continue; }
    ++proven;
    CHECK(line.policy != "busy-waiting");
    CHECK(line.verdict.tasks[0].bound.value >= 5 * ms);
  }
  CHECK(proven >= 4);
}
