// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>

#include "support/traces.hpp"
#include "unit/simulation/whole_kernels/fixtures.hpp"

using namespace accelerator_fixtures;

namespace {

constexpr options example_2{.pinned_slot = pinned_of_example_2, .gang_slot = gang_of_example_2};

auto within(const slot& s, ticks start, ticks end) -> bool {
  const ticks phase = (start - s.offset + s.period) % s.period;
  return phase + (end - start) <= s.budget;
}

}  // namespace

TEST_CASE("the slots of Example 2 make the last job of the first task late, and only that one" *
          takt_tests::traces("AP-15")) {
  takt::trace seen;
  const auto in_slots =
      takt::slots(takt::edf, takt::pinned_slot(takt::duration{0}, takt::duration{8}),
                  takt::gang_slot(takt::duration{8}, takt::duration{4}), takt::period(takt::duration{12}));
  const auto board = takt::platform(takt::pool(takt::accelerator(2), in_slots));
  const auto r = takt::simulate(board, table_1, {.horizon = takt::duration{61}}, seen);
  CHECK(worst(r) == responses{11, 12, 12, 5});
  CHECK(r.misses() == 1);
  CHECK(r.completed() == 21 + 1);
  const auto miss = std::ranges::find(seen.marks(), takt::mark_kind::miss, &takt::mark::what);
  REQUIRE(miss != seen.marks().end());
  CHECK(miss->task == 0);
  CHECK(miss->job == 5);
  CHECK(miss->time == 60);
  for (const takt::slice& s : seen.slices()) {
    const bool whole = s.where.count == 2;
    CHECK(whole == (s.task == 2));
    CHECK(within(whole ? gang_of_example_2 : pinned_of_example_2, s.start, s.end));
  }
}

TEST_CASE("a slot may reach into the next period, be empty, or be all there is" * takt_tests::traces("AP-15")) {
  constexpr kernels one = set_of({{3, 12, 12, 0, 0}});
  const auto response = [&](const slot& pinned, const slot& whole) {
    const auto r = simulate_kernels(edf, slotted{1}, one, periodic(one, 12),
                                    options{.pinned_slot = pinned, .gang_slot = whole, .limit = 60});
    return r.completed() == 1 ? r.tasks[0].worst_response : takt::no_instant;
  };
  CHECK(response({10, 4, 12}, {2, 8, 12}) == 11);
  CHECK(response({0, 12, 12}, {0, 0, 12}) == 3);
  CHECK(response({0, 0, 12}, {0, 12, 12}) == takt::no_instant);
  CHECK(response({4, 8, 12}, {0, 4, 12}) == 7);
}

TEST_CASE("fixed priorities decide inside a slot as well" * takt_tests::traces("AP-35")) {
  kernels tasks = table_1;
  for (std::size_t i = 0; i < tasks.size(); ++i) { tasks.tasks[i].priority = static_cast<std::int32_t>(3 - i); }
  const auto r = simulate_kernels(by_priority, slotted{2}, tasks, periodic(tasks, 60), example_2);
  CHECK(r.tasks[1].worst_response == 9);
  CHECK(r.tasks[0].worst_response > 10);
}

TEST_CASE("with a guard band no wave leaves its slot, on any number of levels") {
  constexpr kernels waves = set_of({{3, 20, 20, 1}, {4, 36, 40, 2}});
  constexpr options in_slot{.costs = preemption_cost_model::ideal,
                            .pinned_slot = pinned_of_example_2,
                            .gang_slot = gang_of_example_2,
                            .guard_band = true};
  for (const std::int32_t levels : {1, 4}) {
    takt::trace seen;
    const auto r = simulate_kernels(edf, slotted{1, levels}, waves, periodic(waves, 120), in_slot, seen);
    CHECK(worst(r) == responses{9, 13});
    for (const takt::slice& s : seen.slices()) { CHECK(within(pinned_of_example_2, s.start, s.end)); }
  }
}

TEST_CASE("without a guard band waves run over the end of their slot and hold the other one up") {
  constexpr kernels longer = set_of({{9, 24, 24, 5, 0}, {1, 24, 24, 1, gang}});
  options o{.costs = preemption_cost_model::ideal, .pinned_slot = {0, 8, 12}, .gang_slot = {8, 4, 12}};
  CHECK(worst(simulate_kernels(edf, slotted{1}, longer, periodic(longer, 24), o)) == responses{9, 10});
  o.guard_band = true;
  CHECK(worst(simulate_kernels(edf, slotted{1}, longer, periodic(longer, 24), o)) == responses{16, 9});
}
