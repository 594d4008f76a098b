// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <takt/prediction/corun/fuzzy_network.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using plane = fuzzy_network<2, 8>;

constexpr auto rule(std::array<double, 2> center, double width, double weight) -> fuzzy_rule<2> {
  fuzzy_rule<2> out;
  out.center = center;
  out.width = {width, width};
  out.weight = weight;
  return out;
}

constexpr auto two_rules() -> plane {
  plane net;
  net.rules.unchecked_push_back(rule({0.2, 0.2}, 0.01, 1));
  net.rules.unchecked_push_back(rule({0.8, 0.8}, 0.01, 3));
  return net;
}

auto random_network(random_stream& random) -> plane {
  plane net;
  const auto rules = random.between(1, 8);
  for (ticks j = 0; j < rules; ++j) {
    auto r = rule({takt::detail::draw_unit(random), takt::detail::draw_unit(random)},
                  0.01 + takt::detail::draw_unit(random), 10 * takt::detail::draw_unit(random) - 5);
    r.width[1] = 0.01 + takt::detail::draw_unit(random);
    net.rules.unchecked_push_back(r);
  }
  return net;
}

}  // namespace

TEST_CASE("membership falls as a Gaussian of the distance from the centre" * takt_tests::traces("WAMP-14")) {
  fuzzy_rule<1> r;
  r.center = {0.3};
  r.width = {0.2};
  CHECK(takt::detail::log_firing(r, {0.3}) == 0);
  for (const double x : {-1.0, 0.0, 0.1, 0.5, 0.9}) {
    const double membership = std::exp(-(x - 0.3) * (x - 0.3) / (2 * 0.2 * 0.2));
    CHECK(std::exp(takt::detail::log_firing(r, {x})) == doctest::Approx(membership).epsilon(1e-12));
    CHECK(takt::detail::log_firing(r, {x}) == doctest::Approx(takt::detail::log_firing(r, {0.6 - x})).epsilon(1e-12));
  }
}

TEST_CASE("a firing strength is the product of the memberships, and no distance makes it underflow" *
          takt_tests::traces("WAMP-15")) {
  random_stream random{1};
  for (int i = 0; i < 200; ++i) {
    const plane net = random_network(random);
    const std::array<double, 2> x{takt::detail::draw_unit(random), takt::detail::draw_unit(random)};
    const auto firings = net.log_firings(x);
    for (std::size_t j = 0; j < net.rules.size(); ++j) {
      const auto& r = net.rules[j];
      const fuzzy_rule<1> first{.center = {r.center[0]}, .width = {r.width[0]}, .slope = {}};
      const fuzzy_rule<1> second{.center = {r.center[1]}, .width = {r.width[1]}, .slope = {}};
      CHECK(firings[j] ==
            doctest::Approx(takt::detail::log_firing(first, {x[0]}) + takt::detail::log_firing(second, {x[1]}))
                .epsilon(1e-12));
    }
  }
  const plane net = two_rules();
  CHECK(std::exp(net.log_firings({0.5, 0.5})[0]) == 0);
  CHECK(net.log_firings({0.5, 0.5})[0] == doctest::Approx(-900).epsilon(1e-12));
  for (const double far : {1e3, 1e200, -1e308}) { CHECK(std::isfinite(net.log_firings({far, far})[1])); }
}

TEST_CASE("the output is finite everywhere and stays between the least and the greatest weight" *
          takt_tests::traces("WAMP-16")) {
  const plane net = two_rules();
  CHECK(net.output({0.5, 0.5}) == doctest::Approx(2).epsilon(1e-12));
  CHECK(net.output({0.49, 0.5}) == doctest::Approx(1).epsilon(1e-12));
  CHECK(net.output({0.2, 0.21}) == doctest::Approx(1).epsilon(1e-12));
  random_stream random{2};
  for (int i = 0; i < 500; ++i) {
    const plane drawn = random_network(random);
    double least = drawn.rules[0].weight;
    double greatest = least;
    for (const auto& r : drawn.rules) {
      least = std::min(least, r.weight);
      greatest = std::max(greatest, r.weight);
    }
    for (const double spread : {1.0, 1e3, 1e160, 1e307}) {
      const std::array<double, 2> x{spread * takt::detail::draw_unit(random),
                                    -spread * takt::detail::draw_unit(random)};
      const double y = drawn.output(x);
      CHECK(y >= least - 1e-12);
      CHECK(y <= greatest + 1e-12);
      double sum = 0;
      for (const double share : drawn.firing_shares(x)) { sum += share; }
      CHECK(sum == doctest::Approx(1).epsilon(1e-12));
    }
  }
}

TEST_CASE("a fixed network is evaluated at compile time, as it is at run time" * takt_tests::traces("WAMP-17")) {
  constexpr plane net = two_rules();
  constexpr double between = net.output({0.495, 0.505});
  static_assert(between > 1.9999 && between < 2.0001);
  static_assert(net.output({0.2, 0.21}) < 1.0001);
  const volatile double x = 0.4999;
  constexpr double known = net.output({0.4999, 0.5});
  CHECK(net.output({x, 0.5}) == doctest::Approx(known).epsilon(1e-15));
}

TEST_CASE("an affine consequent is exact for an affine function with a single rule" * takt_tests::traces("WAMP-17")) {
  fuzzy_network<2, 1> net;
  auto r = rule({0, 0}, 1, 0.5);
  r.slope = {2, -3};
  REQUIRE(net.rules.try_push_back(r));
  CHECK(net.output({0.25, 0.5}) == doctest::Approx(-0.5).epsilon(1e-12));
}
