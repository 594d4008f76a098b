// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/rational.hpp>
#include <takt/prediction/corun/error_metrics.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>
#include <takt/prediction/corun/scheduling_overhead.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;

auto errors_falling_to(double last) -> std::vector<progress_error> {
  std::vector<progress_error> out;
  for (int i = 0; i < 1000; ++i) {
    const double progress = i / 1000.0;
    out.push_back({progress, last + (progress < 0.75 ? 0.05 * (1 - progress) : 0)});
  }
  return out;
}

}  // namespace

TEST_CASE("the error is relative to the estimate as published, to the measurement, and in the unit itself" *
          takt_tests::traces("WAMP-40")) {
  const auto errors = takt::detail::measure_errors(std::array{100.0, 200.0, 400.0}, std::array{110.0, 190.0, 400.0})
                          .value_or(error_metrics{});
  CHECK(errors.percent_of_estimate == doctest::Approx(4.784688995).epsilon(1e-9));
  CHECK(errors.percent_of_measurement == doctest::Approx(5).epsilon(1e-12));
  CHECK(errors.root_mean_square == doctest::Approx(8.164965809).epsilon(1e-9));
}

TEST_CASE("errors relative to nothing are refused" * takt_tests::traces("WAMP-40")) {
  CHECK_FALSE(takt::detail::measure_errors({}, {}));
  CHECK_FALSE(takt::detail::measure_errors(std::array{1.0}, std::array{1.0, 2.0}));
  CHECK_FALSE(takt::detail::measure_errors(std::array{1.0}, std::array{0.0}));
  CHECK_FALSE(takt::detail::measure_errors(std::array{-1.0}, std::array{1.0}));
  CHECK_FALSE(takt::detail::measure_errors(std::array{1.0}, std::array{std::numeric_limits<double>::infinity()}));
}

TEST_CASE("the overhead of scheduling is the mean over applications of the mean over their jobs") {
  using overhead = application_overhead<ticks>;
  CHECK(mean_overhead<ticks>(std::array{overhead{20, 2}, overhead{30, 3}}) == rational{10});
  CHECK(mean_overhead<ticks>(std::array{overhead{1, 2}, overhead{1, 3}}) == rational{5, 12});
  CHECK_FALSE(mean_overhead<ticks>({}).has_value());
  CHECK_FALSE(mean_overhead<ticks>(std::array{overhead{20, 2}, overhead{0, 0}}).has_value());
  CHECK_FALSE(mean_overhead<ticks>(std::array{overhead{INT64_MAX, 2}, overhead{INT64_MAX, 3}}).has_value());
}

TEST_CASE("the threshold is where the error falls below the bound for good" * takt_tests::traces("WAMP-42")) {
  CHECK(pick_threshold(errors_falling_to(0.005), 0.01) == 0.75);
  CHECK(pick_threshold(errors_falling_to(0.005), 0.04) == doctest::Approx(0.3));
  CHECK(pick_threshold(errors_falling_to(0.005), 1) == 0);
  CHECK(pick_threshold(errors_falling_to(0.02), 0.01) == 1);
}

TEST_CASE("a late error raises the threshold, by itself only if every sample has to be below the bound" *
          takt_tests::traces("WAMP-42")) {
  auto samples = errors_falling_to(0.005);
  samples.push_back({0.905, 0.05});
  CHECK(pick_threshold(samples, 0.01) == 0.75);
  CHECK(pick_threshold(samples, 0.01, threshold_criterion::every_sample) == 0.91);
  for (int i = 0; i < 5; ++i) { samples.push_back({0.905, 0.05}); }
  CHECK(pick_threshold(samples, 0.01) == 0.91);
}

TEST_CASE("nothing is trusted beyond a progress without samples" * takt_tests::traces("WAMP-42")) {
  std::vector<progress_error> samples = errors_falling_to(0);
  std::erase_if(samples, [](const progress_error& s) { return s.progress >= 0.86 && s.progress < 0.87; });
  CHECK(pick_threshold(samples, 0.01) == 0.87);
  CHECK(pick_threshold({}, 0.01) == 1);
  CHECK_FALSE(pick_threshold(std::array{progress_error{1.1, 0}}, 0.01).has_value());
  CHECK_FALSE(pick_threshold(std::array{progress_error{0.5, -1}}, 0.01).has_value());
  CHECK_FALSE(pick_threshold(samples, 0).has_value());
}
