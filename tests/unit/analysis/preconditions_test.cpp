// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/ascending.hpp>
#include <takt/analysis/job_count.hpp>
#include <takt/analysis/methods/demand/chunk_demand.hpp>
#include <takt/analysis/methods/demand/rate.hpp>
#include <takt/analysis/methods/demand/sporadic_demand.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/gel/upward.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_order.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/rules/tags.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <support/broken_precondition.hpp>

namespace {

namespace an = takt::analysis;
using takt::ticks;
using takt_test::breaks_precondition;

/// The numbers of visits that `for_ascending` makes, for so many positions.
void visit_all(std::size_t count) {
  std::size_t seen = 0;
  an::detail::for_ascending<2>(
      count, [](std::size_t) { return true; }, [](std::size_t j) { return j; }, [&](std::size_t) { ++seen; });
}
void add_demand(ticks wcet, ticks deadline, ticks period) {
  an::sporadic_demand<ticks, 2> demand;
  static_cast<void>(demand.add(wcet, deadline, period));
}
void add_chunk(const an::detail::demand_chunk<ticks>& c) {
  an::detail::chunk_demand<ticks, 1, 2> demand;
  static_cast<void>(demand.add_task(10));
  static_cast<void>(demand.add_chunk(c));
}
[[nodiscard]] auto visits_of(std::array<std::uint32_t, 3> tasks) -> std::array<takt::visit_demand, 3> {
  std::array<takt::visit_demand, 3> out{};
  for (std::size_t i = 0; i < tasks.size(); ++i) { out[i].task = tasks[i]; }
  return out;
}

}  // namespace

TEST_CASE("times and sizes that analyses cannot take end the program") {
  CHECK_FALSE(breaks_precondition([] { static_cast<void>(an::detail::jobs_released<ticks>(1, 0)); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::detail::jobs_released<ticks>(0, 1)); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::detail::jobs_released<ticks>(1, -1)); }));
  CHECK_FALSE(breaks_precondition([] { visit_all(2); }));
  CHECK(breaks_precondition([] { visit_all(3); }));
  CHECK_FALSE(breaks_precondition([] { static_cast<void>(an::rank_as_given<2>(2)); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::rank_as_given<2>(3)); }));
}

TEST_CASE("demands and supplies that are none end the program") {
  CHECK_FALSE(breaks_precondition([] { add_demand(0, 5, 5); }));
  CHECK(breaks_precondition([] { add_demand(-1, 5, 5); }));
  CHECK(breaks_precondition([] { add_demand(1, 6, 5); }));
  CHECK_FALSE(breaks_precondition([] { add_chunk({.offset = 9, .length = 10, .wcet = 0}); }));
  CHECK(breaks_precondition([] { add_chunk({.offset = 10, .length = 1, .wcet = 0}); }));
  CHECK(breaks_precondition([] { add_chunk({.offset = 0, .length = 11, .wcet = 0}); }));
  CHECK_FALSE(breaks_precondition([] { static_cast<void>(an::static_slot<ticks>{5, 5}); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::static_slot<ticks>{0, 5}); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::static_slot<ticks>{6, 5}); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::rate<ticks>{1, 0}); }));
  CHECK(breaks_precondition([] { static_cast<void>(an::detail::divide_product(1, 1, 0)); }));
}

TEST_CASE("a rest that is rounded towards zero is asked of positive numbers alone") {
  an::detail::load_sum<an::detail::upward> empty;
  CHECK(empty.divide_by_rest(an::detail::upward{-6}, 2).value() == -3);
  CHECK(breaks_precondition([] {
    an::detail::load_sum<an::detail::upward> half;
    half.add(an::detail::upward{1}, an::detail::upward{2});
    static_cast<void>(half.divide_by_rest(an::detail::upward{-6}, 2));
  }));
}

TEST_CASE("visits of a task stand together or not") {
  CHECK(an::detail::stand_together(visits_of({0, 0, 1})));
  CHECK(an::detail::stand_together(visits_of({2, 1, 1})));
  CHECK_FALSE(an::detail::stand_together(visits_of({0, 1, 0})));
}

TEST_CASE("stations that are not there, and what their rules do not do, end the program") {
  using stations = takt::any_stations<2, 4>;
  static stations one;
  REQUIRE(one.add(takt::edf));
  CHECK(one.units(0) == 1);
  CHECK(breaks_precondition([] { static_cast<void>(one.units(1)); }));
  CHECK(breaks_precondition([] { static_cast<void>(one.has_decision(1)); }));
  CHECK_FALSE(one.looks_beside(0));
  CHECK(breaks_precondition([] {
    takt::view_values own{};
    one.beside(0, own, own);
  }));
  CHECK(breaks_precondition([] { static_cast<void>(one.setting(0)); }));
}
