// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <takt/prediction/corun/fuzzy_structure.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using plane = fuzzy_network<2, 16>;
using point = std::array<double, 2>;

auto printed_options() -> fuzzy_structure_options<2> {
  fuzzy_structure_options<2> o;
  o.first_width = {0.01, 0.01};
  o.growth_threshold = 0.1;
  o.firing_threshold = 0.1;
  o.pruning_bound = 0.1;
  return o;
}

}  // namespace

TEST_CASE("a sample that no rule covers founds one, centred on it, with a weight that the seed decides" *
          takt_tests::traces("WAMP-18")) {
  plane net;
  random_stream random{1};
  const std::vector<point> samples{{0.2, 0.2}, {0.205, 0.2}, {0.8, 0.8}, {0.8, 0.8},
                                   {0.8, 0.8}, {0.8, 0.8},   {0.8, 0.8}};
  const std::vector<std::size_t> rules{1, 1, 2, 2, 2, 2, 2};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto step = takt::detail::learn_structure(net, samples[i], printed_options(), random);
    CHECK(step.grown == (i == 0 || i == 2));
    CHECK(step.pruned == 0);
    CHECK(net.rules.size() == rules[i]);
  }
  CHECK(net.rules[0].center == point{0.2, 0.2});
  CHECK(net.rules[1].center == point{0.8, 0.8});
  CHECK(net.rules[1].width == point{0.01, 0.01});
  CHECK(net.rules[0].weight == doctest::Approx(0.1331231503445618).epsilon(1e-12));
  CHECK(net.rules[1].weight == doctest::Approx(0.49156351452540226).epsilon(1e-12));
  CHECK(net.rules[0].importance == doctest::Approx(0.30495300596233044).epsilon(1e-12));
  CHECK(net.rules[1].importance == doctest::Approx(2.3044400876682847).epsilon(1e-12));
}

TEST_CASE("a firing strength equal to the growth threshold still founds a rule" * takt_tests::traces("WAMP-18")) {
  fuzzy_structure_options<1> o;
  o.first_width = {1};
  o.growth_threshold = std::exp(-0.5);
  fuzzy_network<1, 4> net;
  random_stream random{1};
  CHECK(takt::detail::learn_structure(net, {0.0}, o, random).grown);
  CHECK_FALSE(takt::detail::learn_structure(net, {0.999}, o, random).grown);
  CHECK(takt::detail::learn_structure(net, {1.0}, o, random).grown);
}

TEST_CASE("a full network says so and goes on learning importance" * takt_tests::traces("WAMP-18")) {
  fuzzy_network<2, 1> net;
  random_stream random{1};
  CHECK(takt::detail::learn_structure(net, {0, 0}, printed_options(), random).grown);
  const double before = net.rules[0].importance;
  const auto step = takt::detail::learn_structure(net, {1, 1}, printed_options(), random);
  CHECK(step.full);
  CHECK_FALSE(step.grown);
  CHECK(net.rules[0].importance < before);
}

TEST_CASE("importance halves at most when a rule is idle, and grows ever slower when it fires" *
          takt_tests::traces("WAMP-19")) {
  double idle = 5;
  for (int i = 0; i < 40; ++i) {
    const double next = takt::detail::next_importance(idle, false, 1, 1);
    CHECK(next < idle);
    CHECK(next > idle / 2);
    idle = next;
  }
  double active = 1.3;
  double gain = 1;
  for (int i = 0; i < 40; ++i) {
    const double next = takt::detail::next_importance(active, true, 1, 1);
    CHECK(next > active);
    CHECK(next - active < gain);
    gain = next - active;
    active = next;
  }
  CHECK(takt::detail::next_importance(1e6, true, 1, 1) >= 1e6);
}

TEST_CASE("a rule at the pruning bound dies, but the most important one outlives every bound" *
          takt_tests::traces("WAMP-19")) {
  auto o = printed_options();
  plane net;
  random_stream random{1};
  CHECK(takt::detail::learn_structure(net, {0.1, 0.1}, o, random).grown);
  CHECK(takt::detail::learn_structure(net, {0.9, 0.9}, o, random).grown);
  // Importance 1 falls to 0.1 in five samples, of which the second rule's founding was one.
  std::size_t pruned = 0;
  for (int i = 0; i < 6; ++i) { pruned += takt::detail::learn_structure(net, {0.9, 0.9}, o, random).pruned; }
  CHECK(pruned == 1);
  REQUIRE(net.rules.size() == 1);
  CHECK(net.rules[0].center == point{0.9, 0.9});

  o.growth_threshold = 1e-300;
  o.first_width = {10, 10};
  o.pruning_bound = 1000;
  plane last;
  CHECK(takt::detail::learn_structure(last, {0.1, 0.1}, o, random).pruned == 0);
  CHECK(last.rules.size() == 1);
}

TEST_CASE("sorted samples prune what shuffled ones keep, and without a bound nothing is pruned" *
          takt_tests::traces("WAMP-19")) {
  const auto rules_after = [](bool sorted, double bound) {
    auto o = printed_options();
    o.pruning_bound = bound;
    plane net;
    random_stream random{1};
    for (std::size_t i = 0; i < 80; ++i) {
      const auto group = static_cast<double>(sorted ? i / 20 : i % 4);
      static_cast<void>(takt::detail::learn_structure(net, {group / 4, 0.5}, o, random));
    }
    return net.rules.size();
  };
  CHECK(rules_after(true, 0.1) <= 2);
  CHECK(rules_after(false, 0.1) == 4);
  CHECK(rules_after(true, -1) == 4);
}
