// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/pools/region_responses.hpp>

#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/pools/deadlines.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/tags.hpp>

namespace {

using takt::ticks;

/// A task of one visit, by its place in the order.
constexpr auto visit(std::uint32_t task, ticks wcet, ticks region, ticks period) -> takt::visit_demand {
  return {.task = task,
          .point = {static_cast<std::int64_t>(task), 0},
          .wcet = wcet,
          .region = region,
          .period = period,
          .deadline = period,
          .job_deadline = period,
          .limit = period,
          .response = wcet};
}
template <std::size_t N>
constexpr auto responses(std::array<takt::visit_demand, N> visits, auto bound) -> std::array<ticks, N> {
  bound(std::span<takt::visit_demand>{visits});
  std::array<ticks, N> out{};
  for (std::size_t i = 0; i < N; ++i) { out[i] = visits[i].response; }
  return out;
}
constexpr auto by_priority = [](std::span<takt::visit_demand> v) { takt::analysis::region_priority_responses(v); };
constexpr auto by_deadline = [](std::span<takt::visit_demand> v) { takt::analysis::region_edf_responses(v); };

}  // namespace

TEST_CASE("a visit waits for one region, and no longer than until it starts where it keeps the unit") {
  // Behind 2: 2 + 1 until it starts at 3.
  static_assert(responses(std::array{visit(0, 1, 0, 4), visit(1, 3, 3, 16), visit(2, 4, 2, 40)}, by_priority)[1] == 6);
  // Another job of the first comes at 4 before it is done: 2 + 3 + 2.
  static_assert(responses(std::array{visit(0, 1, 0, 4), visit(1, 3, 1, 16), visit(2, 4, 2, 40)}, by_priority)[1] == 7);
  // The first itself waits for the longest region of both.
  static_assert(responses(std::array{visit(0, 1, 0, 4), visit(1, 3, 3, 16), visit(2, 4, 2, 40)}, by_priority)[0] == 4);
  // Nobody is less important than the last one: 4 + 1 + 3 and jobs of the first at 4 and 8.
  static_assert(responses(std::array{visit(0, 1, 0, 4), visit(1, 3, 3, 16), visit(2, 4, 2, 40)}, by_priority)[2] == 10);
}

TEST_CASE("a region keeps others waiting for the next job of its own task") {
  // A job of the second that keeps the unit for 3 leaves a job of the first behind, and with it another one 5 later.
  constexpr auto r = responses(std::array{visit(0, 2, 0, 5), visit(1, 3, 3, 10)}, by_priority);
  static_assert(r[0] == 5 && r[1] == 7);
  static_assert(responses(std::array{visit(0, 2, 0, 5), visit(1, 3, 0, 10)}, by_priority)[1] == 5);
}

TEST_CASE("under EDF the longest region of a visit that is due later counts, and no other") {
  constexpr auto r = responses(std::array{visit(0, 2, 0, 10), visit(1, 3, 3, 12), visit(2, 6, 5, 40)}, by_deadline);
  static_assert(r[0] == 8);  // 5 + 3 + 2, ready 2 after the second, which is due at the same instant
  CHECK(r[1] == 10);         // 5 + 2 + 3
  CHECK(r[2] == 16);         // nobody is due later: 6, and two jobs of each of the others
  const std::array tight{visit(0, 2, 0, 7), visit(1, 3, 3, 12), visit(2, 6, 5, 40)};
  const std::array late{visit(0, 2, 0, 6), visit(1, 3, 3, 12), visit(2, 6, 5, 40)};
  CHECK(takt::analysis::edf_decides(tight));
  CHECK_FALSE(takt::analysis::edf_decides(late));
}

TEST_CASE("on several units each job that may go first lets a less important one keep its unit once more") {
  const auto global = [](std::span<takt::visit_demand> v) {
    takt::analysis::detail::pool_bounds<takt::fixed_priority_rule<>>::responds(takt::fixed_priority, v, 2);
  };
  const std::array plain{visit(0, 2, 0, 20), visit(1, 3, 0, 20), visit(2, 9, 0, 60), visit(3, 9, 0, 60)};
  const std::array kept{visit(0, 2, 0, 20), visit(1, 3, 0, 20), visit(2, 9, 4, 60), visit(3, 9, 4, 60)};
  CHECK(responses(plain, global)[0] == 2);
  CHECK(responses(kept, global)[0] >= 2 + 4);
  CHECK(responses(kept, global)[0] <= 2 + 8);
}
