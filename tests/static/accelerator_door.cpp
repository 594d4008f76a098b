// SPDX-License-Identifier: Apache-2.0
// TAKT-TEST: AP-02 the partition of a constant set and its utilisations are constants
// TAKT-TEST: AP-07 exchanging the strategy changes no line of task code
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>

namespace accelerator_door {

using namespace takt::literals;

// Zahaf and Lipari 2020, Table 1.
constexpr auto table_1 = takt::task_set(
    takt::task("t1", takt::period(10_ms), takt::kernel(takt::wcet(3_ms), takt::preemption_cost(0_ms), takt::on_sm(0))),
    takt::task("t2", takt::period(15_ms), takt::kernel(takt::wcet(5_ms), takt::preemption_cost(0_ms), takt::on_sm(0))),
    takt::task("t3", takt::period(12_ms), takt::kernel(takt::wcet(4_ms), takt::preemption_cost(0_ms))),
    takt::task("t4", takt::period(10_ms), takt::kernel(takt::wcet(1_ms), takt::preemption_cost(0_ms), takt::on_sm(1))));

// excerpt: kernels
constexpr auto kernels = takt::task_set(
    takt::task("detect", takt::period(12_ms), takt::deadline(10_ms),
               takt::kernel(takt::wcet(2_ms), takt::preemption_cost(1_ms))),
    takt::task("track", takt::period(30_ms), takt::deadline(20_ms),
               takt::kernel(takt::wcet(3_ms), takt::preemption_cost(1_ms))),
    takt::task("map", takt::period(40_ms), takt::deadline(36_ms),
               takt::kernel(takt::wcet(5_ms), takt::preemption_cost(2_ms))),
    takt::task("plan", takt::period(60_ms), takt::kernel(takt::wcet(6_ms), takt::preemption_cost(1_ms))));
// end of excerpt

// excerpt: boards
constexpr auto tx2 = takt::accelerator(2, 2);
constexpr auto slots =
    takt::slots(takt::edf, takt::pinned_slot(0_ms, 8_ms), takt::gang_slot(8_ms, 4_ms), takt::period(12_ms));

constexpr auto by_levels = takt::platform(takt::pool(tx2, takt::levels(takt::edf)));
constexpr auto by_turns = takt::platform(takt::pool(tx2, takt::nonpreemptive(takt::edf)));
constexpr auto by_slots = takt::platform(takt::pool(tx2, slots));
constexpr auto by_gang = takt::platform(takt::pool(tx2, takt::gang(takt::edf)));
// end of excerpt
constexpr auto by_rank = takt::platform(takt::pool(tx2, takt::nonpreemptive(takt::deadline_monotonic)));

// Two cores and two levels under EDF.
constexpr auto verdict = takt::analysis::analyze_by<takt::published>(by_levels, kernels);
static_assert(takt::require_schedulable<verdict>);
constexpr takt::plan<4> as_named{};
constexpr auto evidence = takt::analysis::evidence_of<takt::published>(by_levels, kernels, as_named);
static_assert(evidence.parts[0].test.at == (10_ms).count() && evidence.parts[0].test.slack == 0);

static_assert(takt::analysis::evidence_of<takt::published>(by_turns, kernels, as_named).parts[0].test.slack ==
              (2_ms).count());
static_assert(takt::analysis::analyze_by<takt::published>(by_rank, kernels).tasks[3].bound.value == (16_ms).count());
static_assert(takt::analysis::analyze_by<takt::published>(by_gang, kernels).schedulable());
static_assert(!takt::analysis::analyze_by<takt::published>(by_slots, kernels).schedulable());
static_assert(takt::analysis::evidence_of<takt::published>(by_slots, table_1, as_named).parts[0].test.slack ==
              -(1_ms).count());

static_assert(takt::simulate(by_levels, kernels, {.horizon = 120_ms}).misses() == 0);
static_assert(takt::simulate(by_slots, table_1, {.horizon = 60_ms}).misses() == 1);
static_assert(takt::simulate(by_gang, table_1, {.horizon = 60_ms}).misses() == 0);

constexpr auto flat = table_1.table();
using takt::analysis::utilization;
static_assert(utilization(takt::analysis::detail::pinned_tasks(flat, 0)) == takt::rational{19, 30});
static_assert(utilization(takt::analysis::detail::pinned_tasks(flat, 1)) == takt::rational{1, 10});
static_assert(utilization(takt::analysis::gang_tasks(flat)) == takt::rational{1, 3});
static_assert(takt::analysis::detail::pinned_tasks(flat, 0).size() +
                  takt::analysis::detail::pinned_tasks(flat, 1).size() + takt::analysis::gang_tasks(flat).size() ==
              flat.size());

}  // namespace accelerator_door
