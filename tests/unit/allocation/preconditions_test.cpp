// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/compare.hpp>
#include <takt/allocation/ranking.hpp>
#include <takt/allocation/share_choices.hpp>
#include <takt/allocation/synthesis/core_priorities.hpp>
#include <takt/systems/accelerators/plans/slot_design.hpp>
#include <takt/systems/locked_gpus/plans/partition.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <doctest/doctest.h>

#include <support/broken_precondition.hpp>

namespace {

using takt::ticks;
using takt_test::breaks_precondition;

void places_of(std::size_t candidates) {
  const std::array<int, 3> areas{1, 2, 3};
  static_cast<void>(takt::area_ranking<2>::places_of(std::span<const int>{areas.data(), candidates}));
}
void correlate(std::array<std::int64_t, 2> a, std::array<std::int64_t, 2> b, std::size_t size) {
  static_cast<void>(takt::rank_correlation(a, std::span<const std::int64_t>{b.data(), size}));
}
void order(const takt::core_task& t, std::int64_t permille) {
  takt::inline_vector<takt::core_task, 1> tasks;
  tasks.unchecked_push_back(t);
  static_cast<void>(takt::assign_priorities(takt::core_service::preemptive, tasks, permille));
}

}  // namespace

TEST_CASE("rankings of more or fewer candidates than there are end the program") {
  CHECK_FALSE(breaks_precondition([] { static_cast<void>(takt::area_ranking<2>{2}); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::area_ranking<2>{0}); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::area_ranking<2>{3}); }));
  CHECK_FALSE(breaks_precondition([] { places_of(2); }));
  CHECK(breaks_precondition([] { places_of(3); }));
  CHECK_FALSE(breaks_precondition([] { correlate({1, 2}, {2, 1}, 2); }));
  CHECK(breaks_precondition([] { correlate({1, 2}, {2, 1}, 1); }));
  CHECK(breaks_precondition([] { correlate({1, 2}, {3, 1}, 2); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::comparison<1, 1, 1>{}.best()); }));
}

TEST_CASE("loads, shares and slots that are none end the program") {
  CHECK_FALSE(breaks_precondition([] { static_cast<void>(takt::load_of<ticks>(0, 1)); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::load_of<ticks>(0, 0)); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::load_of<ticks>(-1, 1)); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::detail::spares_more(2, 1, 0, 1)); }));
  const takt::platform_record none{};
  const takt::detail::share_choices<2> choices{none, 1, {}};
  CHECK_FALSE(breaks_precondition([&] { static_cast<void>(choices[0]); }));
  CHECK(breaks_precondition([&] { static_cast<void>(choices[1]); }));
  CHECK(breaks_precondition([&] { static_cast<void>(choices.first_gpu(0)); }));
}

TEST_CASE("an order is looked for among tasks with deadlines within their periods") {
  CHECK_FALSE(breaks_precondition([] { order({.wcet = 1, .period = 5, .deadline = 5}, 1000); }));
  CHECK(breaks_precondition([] { order({.wcet = 1, .period = 5, .deadline = 0}, 1000); }));
  CHECK(breaks_precondition([] { order({.wcet = 1, .period = 5, .deadline = 6}, 1000); }));
  CHECK(breaks_precondition([] { order({.wcet = 1, .period = 5, .deadline = 5}, 0); }));
}
