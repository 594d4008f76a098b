// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using takt::ticks;

constexpr std::size_t most_tasks = 5;
constexpr std::int32_t cores = 2;
using table_type = takt::task_rows<takt::accelerator_task<ticks>, most_tasks>;

auto systems() -> int { return takt_tests::from_environment<int>("TAKT_ACCELERATOR_SETS", 400); }

auto random_table(takt::random_stream& random) -> table_type {
  static constexpr std::array<std::string_view, most_tasks> names{"a", "b", "c", "d", "e"};
  table_type out;
  const auto size = random.between(1, most_tasks);
  const bool free_preemption = random.chance(1, 3);
  const ticks heaviest = random.between(2, 12);
  for (ticks i = 0; i < size; ++i) {
    const ticks period = random.chance(1, 2) ? 6 * random.between(1, 8) : random.between(4, 60);
    const ticks deadline = random.chance(1, 2) ? period : random.between((period + 1) / 2, period);
    const ticks wcet = random.between(1, std::max<ticks>(1, deadline * heaviest / 24));
    const bool pinned = random.chance(1, 2);
    out.add({.name = names[static_cast<std::size_t>(i)],
             .wcet = wcet,
             .period = period,
             .deadline = deadline,
             .preemption_cost = free_preemption ? 0 : random.between(0, std::min<ticks>(wcet, 4)),
             .width = pinned ? takt::kernel_width::one_core : takt::kernel_width::all_cores,
             .core = pinned ? static_cast<std::int32_t>(random.below(cores)) : takt::unassigned_core});
  }
  return out;
}

struct random_slots {
  takt::pinned_slot_time pinned;
  takt::gang_slot_time gang;
  takt::period_attribute every;
};

auto random_slot_pair(takt::random_stream& random) -> random_slots {
  const ticks period = random.between(4, 24);
  const ticks border = random.between(1, period - 1);
  const ticks gap = random.chance(1, 2) ? 0 : random.below(period - border);
  const bool pinned_first = random.chance(1, 2);
  const ticks first = pinned_first ? border : period - border - gap;
  const takt::duration none{};
  if (pinned_first) {
    return {{none, takt::duration{first}},
            {takt::duration{border}, takt::duration{period - border - gap}},
            takt::period(takt::duration{period})};
  }
  return {{takt::duration{first}, takt::duration{border}},
          {none, takt::duration{first}},
          takt::period(takt::duration{period})};
}

/// Whether one of the runs misses that start all tasks together at some instant, but for one of them earlier and one of
/// them later by a tick.
template <class P>
auto some_start_misses(const P& platform, const table_type& table, ticks last_start) -> bool {
  for (const ticks horizon : {600, 20'000}) {
    for (ticks start = 1; start <= last_start + 1; ++start) {
      for (std::size_t pair = 0; pair < (table.size() + 1) * (table.size() + 1); ++pair) {
        std::array<takt::duration, most_tasks + 1> offsets{};
        offsets.fill(takt::duration{start});
        offsets[pair / (table.size() + 1)] = takt::duration{start + 1};
        offsets[pair % (table.size() + 1)] = takt::duration{start - 1};
        const auto own = std::span<const takt::duration>{offsets}.first(table.size());
        if (takt::simulate(platform, table, {.horizon = takt::duration{horizon}, .offsets = own}).misses() > 0) {
          return true;
        }
      }
    }
  }
  return false;
}

struct counts {
  int proven = 0;
  int refuted = 0;
  int open = 0;
};

template <class Rule>
void check(const table_type& table, const Rule& rule, std::int32_t levels, std::uint64_t seed, counts& seen,
           ticks last_start = 0) {
  const auto platform = takt::platform(takt::pool(takt::accelerator(cores, levels), rule));
  const auto v = takt::analysis::analyze_by<takt::published>(platform, table);
  CAPTURE(v.method);
  REQUIRE(!v.error);
  REQUIRE(v.tasks.size() == table.size());
  for (int run = 0; run < 3; ++run) {
    const takt::simulation_options options{
        .horizon = takt::duration{800},
        .releases = run == 0 ? takt::release_pattern::sporadic : takt::release_pattern::adversarial,
        .execution = run == 1 ? takt::execution_times::upper : takt::execution_times::random,
        .seed = seed * 3 + static_cast<std::uint64_t>(run)};
    const auto went = takt::simulate(platform, table, v.plan, options);
    REQUIRE(!went.error);
    for (std::size_t i = 0; i < table.size(); ++i) {
      CAPTURE(table.tasks[i].name);
      CHECK(v.tasks[i].evaluated);
      if (v.tasks[i].meets) { CHECK(went.tasks[i].misses == 0); }
      if (v.tasks[i].meets && v.tasks[i].bound.exists) {
        CHECK(went.tasks[i].worst_response <= v.tasks[i].bound.value);
      }
    }
  }
  switch (v.status) {
    case takt::verdict_status::schedulable: ++seen.proven; break;
    case takt::verdict_status::unschedulable:
      ++seen.refuted;
      CHECK(some_start_misses(platform, table, last_start));
      break;
    case takt::verdict_status::not_proven: ++seen.open; break;
    default: FAIL("neither an overflow nor a wrong model is expected");
  }
}

template <class Order>
void check_strategies(const table_type& table, const Order& order, std::uint64_t seed, takt::random_stream& random,
                      counts& seen) {
  const auto levels = static_cast<std::int32_t>(random.between(1, 4));
  check(table, takt::nonpreemptive(order), 2, seed, seen);
  for (const auto cost :
       {takt::preemption_cost_model::ideal, takt::preemption_cost_model::race, takt::preemption_cost_model::overhead}) {
    check(table, takt::levels(order, cost), levels, seed, seen);
  }
  check(table, takt::gang(order, takt::backfill), 2, seed, seen);
  check(table, takt::gang(order, takt::strict), 2, seed, seen);
  const auto slots = random_slot_pair(random);
  check(table, takt::slots(order, slots.pinned, slots.gang, slots.every), 2, seed, seen, slots.every.value.count());
}

}  // namespace

TEST_CASE("what analyze proves or refutes under any strategy and order, the simulation does not contradict" *
          takt_tests::traces("AP-35")) {
  counts seen;
  for (int i = 0; i < systems(); ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    CAPTURE(seed);
    takt::random_stream random{seed};
    const table_type table = random_table(random);
    check_strategies(table, takt::edf, seed, random, seen);
    check_strategies(table, takt::deadline_monotonic, seed, random, seen);
    check_strategies(table, takt::rate_monotonic, seed, random, seen);
  }
  MESSAGE(seen.proven << " proven, " << seen.refuted << " refuted, " << seen.open << " open");
  CHECK(seen.proven > 0);
  CHECK(seen.refuted > 0);
  CHECK(seen.open > 0);
}
