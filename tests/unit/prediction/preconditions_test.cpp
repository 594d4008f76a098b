// SPDX-License-Identifier: Apache-2.0
#include <takt/prediction/corun/estimate_log.hpp>
#include <takt/prediction/corun/fuzzy_network.hpp>
#include <takt/prediction/corun/indicators.hpp>
#include <takt/prediction/corun/scaled_predictor.hpp>
#include <takt/prediction/corun/training_workloads.hpp>
#include <takt/prediction/corun/value_range.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/prediction/least_squares.hpp>

#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <support/broken_precondition.hpp>

using takt_test::breaks_precondition;

TEST_CASE("samples that are empty or do not fit together end the program") {
  CHECK(breaks_precondition([] { static_cast<void>(takt::range_of({})); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::widened({}, {})); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::fuzzy_network<2, 2>{}.output({})); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::to_profile({}, 0)); }));
  const std::array<takt::ticks, 2> lengths{1, 2};
  const std::array<double, 1> times{1};
  CHECK(breaks_precondition([&] { static_cast<void>(takt::detail::remaining_time_errors<2>(lengths, times)); }));
}

TEST_CASE("a line in 1/n needs two different numbers of SMs") {
  const std::array<takt::kernel_sample, 2> same{{{4, 10}, {4, 12}}};
  const std::array<takt::kernel_sample, 2> two{{{4, 10}, {8, 6}}};
  const std::array<takt::kernel_sample, 2> none{{{0, 10}, {8, 6}}};
  CHECK_FALSE(takt::detail::have_two_sizes(same));
  CHECK(takt::detail::have_two_sizes(two));
  CHECK_FALSE(takt::detail::have_two_sizes(none));
}

TEST_CASE("workloads beyond the last, and times below zero, end the program") {
  constexpr takt::training_workloads<4> workloads{3, 1, 2, 1};
  CHECK(workloads.applications() == 3);
  CHECK_FALSE(breaks_precondition([&] { static_cast<void>(workloads[workloads.size() - 1]); }));
  CHECK(breaks_precondition([&] { static_cast<void>(workloads[workloads.size()]); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::training_workloads<4>{3, 3, 2, 1}); }));
  CHECK_FALSE(breaks_precondition([] { static_cast<void>(takt::detail::slowed_down(0, 0)); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::detail::slowed_down(-1, 0)); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::detail::slowed_down(1, -1'000'000)); }));
}
