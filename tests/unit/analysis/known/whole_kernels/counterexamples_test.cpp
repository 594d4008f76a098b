// SPDX-License-Identifier: Apache-2.0
// The counterexamples of docs/errata.md, run: what the printed form accepts, takt rejects, and a job is late.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>

#include "support/traces.hpp"
#include "unit/simulation/whole_kernels/fixtures.hpp"

using namespace accelerator_fixtures;
using namespace takt::analysis;

TEST_CASE("the jobs of the counterexamples to the printed Lemma 1 are late" * takt_tests::traces("AP-13")) {
  const auto lasting = [](const kernels& tasks, std::int32_t levels, preemption_cost_model model,
                          const std::vector<std::vector<ticks>>& releases) {
    const takt::level_stack<kernels::max_tasks, takt::limited_by_started_jobs> stack{levels};
    return worst(simulate_kernels(edf, stack, tasks, at(tasks, releases), {.costs = model}));
  };
  const kernels blocked = set_of({{1, 3, 10}, {4, 8, 20}, {6, 40, 40}});
  CHECK(as_published::level_stack_edf(blocked, 2).schedulable());
  CHECK(!level_stack_edf(blocked, 2, preemption_cost_model::ideal).schedulable());
  CHECK(lasting(blocked, 2, preemption_cost_model::ideal, {{2}, {1}, {0}})[0] == 4);

  const kernels charged = set_of({{1, 2, 12, 0}, {5, 6, 6, 1}});
  CHECK(as_published::level_stack_edf(charged, 3).schedulable());
  CHECK(!level_stack_edf(charged, 3, preemption_cost_model::overhead).schedulable());
  CHECK(lasting(charged, 3, preemption_cost_model::overhead, {{5}, {3}})[1] == 7);

  const kernels waiting = set_of({{2, 12, 20, 1}, {2, 6, 8, 2}, {4, 19, 20, 2}});
  CHECK(!level_stack_edf(waiting, 2, preemption_cost_model::race).schedulable());
  CHECK(lasting(waiting, 2, preemption_cost_model::race, {{1}, {1}, {0}})[1] == 7);
}

TEST_CASE("a sporadic release leaves its chunk, and the abstraction no longer holds" * takt_tests::traces("AP-23")) {
  const kernels tasks = set_of({{4, 5, 10}, {6, 40, 40}});
  const slot wide{0, 16, 20};
  const options in_slot{.free_preemption = true, .pinned_slot = wide, .gang_slot = {0, 0, 20}};
  CHECK(slot_abstraction_edf(tasks, wide).schedulable());
  CHECK(simulate_kernels(edf, slotted{1, 4}, tasks, periodic(tasks, 40), in_slot).misses() == 0);
  CHECK(simulate_kernels(edf, slotted{1, 4}, tasks, at(tasks, {{4, 14}, {}}), in_slot).misses() == 1);
}

TEST_CASE("the periodic sets that the printed Theorems 4 and 6 accept are late inside their slot" *
          takt_tests::traces("AP-23 AP-26")) {
  const options in_slot{.free_preemption = true, .pinned_slot = pinned_of_example_2, .gang_slot = gang_of_example_2};
  const kernels starved = set_of({{3, 4, 4}});
  CHECK(as_published::slot_abstraction_edf(starved, pinned_of_example_2).schedulable());
  CHECK(simulate_kernels(edf, slotted{1, 4}, starved, periodic(starved, 12), in_slot).misses() == 1);
  const kernels early = set_of({{4, 6, 12}, {4, 6, 12}});
  CHECK(as_published::slot_harmonic_edf(early, pinned_of_example_2).schedulable());
  CHECK(worst(simulate_kernels(edf, slotted{1, 4}, early, periodic(early, 12), in_slot)) == responses{4, 8});
}

TEST_CASE("waves end ahead of the guard band in the worked example" * takt_tests::traces("AP-X04")) {
  const kernels waves = set_of({{3, 20, 20, 1}, {4, 36, 40, 2}});
  const options in_slot{.costs = preemption_cost_model::ideal,
                        .pinned_slot = pinned_of_example_2,
                        .gang_slot = gang_of_example_2,
                        .guard_band = true};
  CHECK(takt::analysis::detail::slot_guarded_edf(waves, pinned_of_example_2).schedulable());
  CHECK(worst(simulate_kernels(edf, slotted{1, 4}, waves, periodic(waves, 120), in_slot)) == responses{9, 13});
}
