// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <takt/prediction/corun/exponential.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include "support/traces.hpp"

namespace {

using takt::exponential;

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(exponential(0) == 1);
static_assert(exponential(-746) == 0);
static_assert(exponential(710) == infinity);
static_assert(exponential(-infinity) == 0);

}  // namespace

TEST_CASE("the exponential for constant expressions is within two units in the last place of the library's" *
          takt_tests::traces("WAMP-17")) {
  takt::random_stream random{1};
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double spread = i % 3 == 0 ? 1400 : (i % 3 == 1 ? 20 : 1);
    const double x = spread * (takt::detail::draw_unit(random) - 0.5);
    const double known = std::exp(x);
    const double unit = std::nextafter(known, infinity) - known;
    worst = std::max(worst, std::abs(exponential(x) - known) / unit);
  }
  CHECK(worst <= 2);
}

TEST_CASE("the exponential is right at its edges" * takt_tests::traces("WAMP-17")) {
  for (const double x : {709.78, 709.782712893384, -708.3, -708.5, -720.0, -745.0, 1e-300, -1e-17}) {
    CAPTURE(x);
    const double known = std::exp(x);
    CHECK(std::abs(exponential(x) - known) <= 2 * (std::nextafter(known, infinity) - known));
  }
  CHECK(exponential(-746) == 0);
  CHECK(exponential(709.79) == infinity);
  CHECK(std::isnan(exponential(std::numeric_limits<double>::quiet_NaN())));
}
