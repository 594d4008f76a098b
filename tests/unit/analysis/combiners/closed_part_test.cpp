// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt;
using namespace takt::literals;
namespace an = takt::analysis;

using table = visit_table<4, 12>;
using board = any_stations<4, 12>;
using relation = an::delay_relation<4, 12>;

struct npu {
  std::int32_t count = 1;
  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return count > 0; }
};

/// A task of one visit for each station, of one tick each.
void add(table& set, std::int32_t priority, std::initializer_list<std::uint32_t> stations) {
  REQUIRE(set.add_task({.name = "t", .period = 100, .deadline = 100, .priority = priority}));
  for (const std::uint32_t s : stations) { REQUIRE(set.add_next(s, 0, 1)); }
}

}  // namespace

TEST_CASE(
    "a less important task delays nobody under preemptive fixed priorities, and everybody where nobody is preempted") {
  table set;
  add(set, 0, {0});
  add(set, 1, {0});
  board eager;
  REQUIRE(eager.add(fixed_priority));
  const relation by_points{set, eager};
  CHECK(by_points.delays(0, 1));
  CHECK_FALSE(by_points.delays(1, 0));
  board patient;
  REQUIRE(patient.add(nonpreemptive(fixed_priority)));
  CHECK(relation{set, patient}.delays(1, 0));
  board by_deadline;
  REQUIRE(by_deadline.add(edf));
  CHECK(relation{set, by_deadline}.delays(1, 0));
  board apart;
  REQUIRE(apart.add(federated));
  CHECK_FALSE(relation{set, apart}.delays(0, 1));
}

TEST_CASE("equal priorities delay each other") {
  table set;
  add(set, 3, {0});
  add(set, 3, {0});
  board eager;
  REQUIRE(eager.add(fixed_priority));
  const relation both{set, eager};
  CHECK(both.delays(0, 1));
  CHECK(both.delays(1, 0));
}

TEST_CASE("tokens join their users, and where they lend priorities all tasks on the processors of these") {
  table set;
  add(set, 0, {0});
  add(set, 1, {1, 2});
  add(set, 2, {0, 2});
  REQUIRE(set.sections.try_push_back({1, 0, 2}));
  REQUIRE(set.sections.try_push_back({2, 0, 1}));
  for (const bool lends : {false, true}) {
    CAPTURE(lends);
    board places;
    REQUIRE(places.add(fixed_priority));
    REQUIRE(places.add(fixed_priority));
    REQUIRE(places.add(federated));
    if (lends) {
      REQUIRE(places.add_tokens(k_fmlp_order, 1));
    } else {
      REQUIRE(places.add_tokens(fifo_order, 1));
    }
    const relation reach{set, places};
    CHECK(reach.delays(2, 1));
    CHECK(reach.delays(1, 2));
    CHECK(reach.delays(2, 0) == lends);
  }
}

TEST_CASE("what is dropped takes along all that it can delay, directly or by others") {
  table set;
  add(set, 0, {0});
  add(set, 1, {0, 1});
  add(set, 2, {1});
  add(set, 3, {2});
  board places;
  for (int s = 0; s < 3; ++s) { REQUIRE(places.add(fixed_priority)); }
  const relation reach{set, places};
  bool kept[4]{true, true, true, true};
  reach.drop(1, kept);
  CHECK(kept[0]);
  CHECK_FALSE(kept[1]);
  CHECK_FALSE(kept[2]);
  CHECK(kept[3]);
}

TEST_CASE("an overloaded task leaves the bounds of those that it cannot delay, and the verdict as it is") {
  constexpr auto tasks = task_set(
      task("fast", period(10_ms), deadline(10_ms), priority(0), on_core(0), cpu(2_ms)),
      task("long", period(10_ms), deadline(5_ms), priority(1), on_core(0), cpu(6_ms)),
      task("behind", period(50_ms), deadline(50_ms), priority(2), on_core(0), cpu(1_ms)),
      task("apart", period(20_ms), deadline(20_ms), priority(3), on_core(1), cpu(1_ms), visit<npu>(takes(7_ms))));
  constexpr auto two_cores = platform(pool(processors(2), fixed_priority), pool(npu{}, fifo));
  constexpr auto verdict = analyze(two_cores, tasks, plan<4, 4>{}, takt::published_methods);
  static_assert(!verdict.schedulable());
  static_assert(verdict.end_to_end(0) == 2_ms && verdict.end_to_end(3) == 8_ms);
  static_assert(!verdict.tasks[1].bound.exists && !verdict.tasks[2].bound.exists);
  CHECK(verdict.tasks[3].method == std::string_view{an::detail::closed_holistic});
  CHECK(an::is_of_closed_part(verdict.tasks[0].method));
  CHECK(verdict.tasks[1].method.empty());
  CHECK_FALSE(verdict.tasks[1].meets);
}

TEST_CASE("one whose search for a bound was given up leaves them, too") {
  constexpr ticks far = ticks{1} << 40;
  table set;
  for (const auto& [time, period, station] : {std::array<ticks, 3>{6, 6, 0}, {2, far, 0}, {1, 20, 1}}) {
    REQUIRE(set.add_task(
        {.name = "t", .period = period, .deadline = period, .priority = static_cast<std::int32_t>(set.size())}));
    REQUIRE(set.add_next(static_cast<std::uint32_t>(station), 0, time));
  }
  board places;
  REQUIRE(places.add(fixed_priority));
  REQUIRE(places.add(fixed_priority));
  const auto judge = [&](const table& part) { return an::holistic(part, places); };
  auto verdict = judge(set);
  REQUIRE(verdict.why == obstacle::passes);
  an::bound_closed_part(set, relation{set, places}, judge, an::detail::closed_holistic, verdict);
  CHECK(verdict.tasks[0].bound.value == 6);
  CHECK_FALSE(verdict.tasks[1].bound.exists);
  CHECK(verdict.tasks[2].bound.value == 1);
  CHECK(verdict.why == obstacle::passes);
}
