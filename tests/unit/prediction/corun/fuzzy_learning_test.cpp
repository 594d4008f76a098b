// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <takt/prediction/corun/fuzzy_fit.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include <takt/prediction/corun/training.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using line_network = fuzzy_network<1, 4>;
using plane = fuzzy_network<2, 6>;
using point = std::array<double, 2>;

auto printed_network() -> line_network {
  line_network net;
  for (const auto& [center, weight] : {std::pair{0.2, 1.0}, std::pair{0.8, 2.0}}) {
    fuzzy_rule<1> r;
    r.center = {center};
    r.width = {0.3};
    r.weight = weight;
    REQUIRE(net.rules.try_push_back(r));
  }
  return net;
}

auto random_plane(random_stream& random, std::size_t rules) -> plane {
  plane net;
  for (std::size_t j = 0; j < rules; ++j) {
    fuzzy_rule<2> r;
    for (std::size_t i = 0; i < 2; ++i) {
      r.center[i] = takt::detail::draw_unit(random);
      r.width[i] = 0.1 + takt::detail::draw_unit(random);
      r.slope[i] = 2 * takt::detail::draw_unit(random) - 1;
    }
    r.weight = 2 * takt::detail::draw_unit(random) - 1;
    REQUIRE(net.rules.try_push_back(r));
  }
  return net;
}

auto half_square(const plane& net, const point& x, double target) -> double {
  const double error = net.output(x) - target;
  return error * error / 2;
}

/// The error's slope along one parameter, from two networks that differ in it.
template <class Parameter>
auto finite_difference(plane net, const point& x, double target, Parameter parameter) -> double {
  constexpr double step = 1e-6;
  double& value = parameter(net);
  const double here = value;
  value = here + step;
  const double above = half_square(net, x, target);
  value = here - step;
  const double below = half_square(net, x, target);
  return (above - below) / (2 * step);
}

auto sum_of_squares(const plane& net, const std::vector<point>& samples, const std::vector<double>& targets,
                    double ridge) -> double {
  double sum = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) { sum += 2 * half_square(net, samples[s], targets[s]); }
  for (const auto& r : net.rules) { sum += ridge * r.weight * r.weight; }
  return sum;
}

}  // namespace

TEST_CASE("one step of gradient descent has the published definition's values" * takt_tests::traces("WAMP-20")) {
  line_network net = printed_network();
  const double before = descend(net, {0.4}, 1.7, {.center = 0.1, .width = 0.1, .consequent = 0.1});
  CHECK(before == doctest::Approx(1.3392436312341829).epsilon(1e-12));
  CHECK(net.rules[0].center[0] == doctest::Approx(0.18202973199715763).epsilon(1e-12));
  CHECK(net.rules[1].center[0] == doctest::Approx(0.7640594639943153).epsilon(1e-12));
  CHECK(net.rules[0].width[0] == doctest::Approx(0.2880198213314384).epsilon(1e-12));
  CHECK(net.rules[1].width[0] == doctest::Approx(0.3479207146742463).epsilon(1e-12));
  CHECK(net.rules[0].weight == doctest::Approx(1.0238372068234844).epsilon(1e-12));
  CHECK(net.rules[1].weight == doctest::Approx(2.0122384300530975).epsilon(1e-12));
}

TEST_CASE("every gradient agrees with finite differences, with constant and with affine consequents" *
          takt_tests::traces("WAMP-20")) {
  random_stream random{3};
  for (int n = 0; n < 50; ++n) {
    plane net = random_plane(random, 4);
    if (n % 2 == 0) {
      for (auto& r : net.rules) { r.slope = {}; }
    }
    const point x{takt::detail::draw_unit(random), takt::detail::draw_unit(random)};
    const double target = 2 * takt::detail::draw_unit(random) - 1;
    const plane gradient = takt::detail::error_gradient(net, x, target);
    const auto agrees = [&](double derivative, auto parameter) {
      return std::abs(derivative - finite_difference(net, x, target, parameter)) < 1e-7;
    };
    for (std::size_t j = 0; j < net.rules.size(); ++j) {
      CHECK(agrees(gradient.rules[j].weight, [j](plane& p) -> double& { return p.rules[j].weight; }));
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(agrees(gradient.rules[j].center[i], [=](plane& p) -> double& { return p.rules[j].center[i]; }));
        CHECK(agrees(gradient.rules[j].width[i], [=](plane& p) -> double& { return p.rules[j].width[i]; }));
        CHECK(agrees(gradient.rules[j].slope[i], [=](plane& p) -> double& { return p.rules[j].slope[i]; }));
      }
    }
  }
}

TEST_CASE("a width never falls below its floor, and slopes move only where they are wanted" *
          takt_tests::traces("WAMP-20")) {
  random_stream random{4};
  plane net = random_plane(random, 3);
  plane affine = net;
  const plane before = net;
  descend(net, {0.5, 0.5}, 100, {.center = 0, .width = 1e6, .consequent = 0.1, .least_width = 0.05});
  descend(affine, {0.5, 0.5}, 100, {.center = 0, .width = 0, .consequent = 0.1, .affine = true});
  bool floored = false;
  for (std::size_t j = 0; j < net.rules.size(); ++j) {
    for (const double w : net.rules[j].width) {
      CHECK(w >= 0.05);
      floored = floored || w == 0.05;
    }
    CHECK(net.rules[j].slope == before.rules[j].slope);
    CHECK(affine.rules[j].slope != before.rules[j].slope);
  }
  CHECK(floored);
}

TEST_CASE("least squares gives the weights of the published definition" * takt_tests::traces("WAMP-20")) {
  line_network net = printed_network();
  const std::vector<std::array<double, 1>> samples{{0.0}, {0.3}, {0.6}, {1.0}};
  const std::vector<double> targets{1, 1.3, 1.6, 2};
  REQUIRE(takt::detail::fit_consequents<1>(net, samples, targets, 0));
  CHECK(net.rules[0].weight == doctest::Approx(1.0105364813560762).epsilon(1e-12));
  CHECK(net.rules[1].weight == doctest::Approx(2.0043788705331536).epsilon(1e-12));
}

TEST_CASE("no other weights have a smaller penalised error than the fitted ones" * takt_tests::traces("WAMP-20")) {
  random_stream random{5};
  for (int n = 0; n < 20; ++n) {
    plane net = random_plane(random, 5);
    for (auto& r : net.rules) { r.slope = {}; }
    std::vector<point> samples;
    std::vector<double> targets;
    for (int s = 0; s < 40; ++s) {
      samples.push_back({takt::detail::draw_unit(random), takt::detail::draw_unit(random)});
      targets.push_back(takt::detail::draw_unit(random));
    }
    constexpr double ridge = 1e-4;
    REQUIRE(takt::detail::fit_consequents<2>(net, samples, targets, ridge));
    const double fitted = sum_of_squares(net, samples, targets, ridge);
    for (std::size_t j = 0; j < net.rules.size(); ++j) {
      for (const double step : {-1e-3, 1e-3}) {
        plane other = net;
        other.rules[j].weight += step;
        CHECK(sum_of_squares(other, samples, targets, ridge) > fitted);
      }
    }
  }
}

TEST_CASE("affine consequents fit an affine function exactly" * takt_tests::traces("WAMP-20")) {
  random_stream random{6};
  plane net = random_plane(random, 3);
  std::vector<point> samples;
  std::vector<double> targets;
  for (int s = 0; s < 60; ++s) {
    samples.push_back({takt::detail::draw_unit(random), takt::detail::draw_unit(random)});
    targets.push_back(3 - 2 * samples.back()[0] + 0.5 * samples.back()[1]);
  }
  REQUIRE(takt::detail::fit_consequents<2>(net, samples, targets, 1e-12, consequent_form::affine));
  for (std::size_t s = 0; s < samples.size(); ++s) {
    CHECK(net.output(samples[s]) == doctest::Approx(targets[s]).epsilon(1e-6));
  }
}

TEST_CASE("weights that the samples do not determine are refused, and a ridge determines them" *
          takt_tests::traces("WAMP-20")) {
  line_network net = printed_network();
  const std::vector<std::array<double, 1>> samples{{0.3}, {0.3}};
  const std::vector<double> targets{1, 1};
  CHECK_FALSE(takt::detail::fit_consequents<1>(net, samples, targets, 0));
  CHECK(net.rules[0].weight == 1);
  CHECK(net.rules[1].weight == 2);
  CHECK(takt::detail::fit_consequents<1>(net, samples, targets, 1e-6));
  CHECK(net.output({0.3}) == doctest::Approx(1).epsilon(1e-5));
  line_network none;
  CHECK_FALSE(takt::detail::fit_consequents<1>(none, samples, targets, 1));
  CHECK_FALSE(takt::detail::fit_consequents<1>(net, samples, std::vector<double>{1}, 1));
}
