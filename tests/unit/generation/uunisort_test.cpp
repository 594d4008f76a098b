// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <numeric>
#include <span>

#include <doctest/doctest.h>

#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include "support/traces.hpp"

namespace {

using takt::random_stream;
using takt::ticks;
namespace gen = takt::generation;
using options = gen::benchmark_set_options;

}  // namespace

TEST_CASE("W12: UUniSort of seed 1" * takt_tests::traces("WAMP-43")) {
  random_stream random{1};
  std::array<double, 5> parts{};
  gen::detail::uunisort(random, 1.5, parts);
  constexpr std::array expected{0.6665388255836582, 0.1833035371747631, 0.26883027313563046, 0.3378314944861427,
                                0.04349586961980556};
  for (std::size_t i = 0; i < parts.size(); ++i) { CHECK(parts[i] == expected[i]); }
}

TEST_CASE("parts are positive and add up, and each is as large as another on average" * takt_tests::traces("WAMP-43")) {
  random_stream random{3};
  constexpr int draws = 4000;
  std::array<double, 10> means{};
  for (int i = 0; i < draws; ++i) {
    std::array<double, 10> parts{};
    gen::detail::uunisort(random, 2.0, parts);
    CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == doctest::Approx(2.0).epsilon(1e-12));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      CHECK(parts[k] >= 0);
      means[k] += parts[k] / draws;
    }
  }
  for (const double m : means) { CHECK(m == doctest::Approx(0.2).epsilon(0.05)); }
  std::array<double, 1> one{};
  gen::detail::uunisort(random, 0.7, one);
  CHECK(one[0] == 0.7);
  gen::detail::uunisort(random, 0.7, std::span<double>{});
}

TEST_CASE("periods of benchmark sets follow from their utilizations, deadlines are the periods" *
          takt_tests::traces("WAMP-43")) {
  takt::application_set<10> table;
  for (const std::int32_t permille : {200, 1000, 2200}) {
    REQUIRE(gen::generate(options{.utilization_permille = permille}, 1, 5, table) == takt::model_fault::none);
    REQUIRE(table.size() == 10);
    REQUIRE_FALSE(takt::validate(table));
    double sum = 0;
    for (const auto& t : table.tasks) {
      CHECK(t.deadline == t.period);
      sum += static_cast<double>(t.alone.at(takt::full_share)) / static_cast<double>(t.period);
    }
    CHECK(sum == doctest::Approx(permille / 1000.0).epsilon(1e-3));
  }
  CHECK(gen::detail::period_for(100, 0.0) == 1'000'000);
  CHECK(gen::detail::period_for(100, 3.0) == 33);
  CHECK(gen::detail::period_for(1, 10.0) == 1);
}

TEST_CASE("subsets of the benchmarks have the asked size, and every benchmark turns up in them" *
          takt_tests::traces("WAMP-43")) {
  takt::application_set<10> table;
  std::array<int, 10> seen{};
  for (std::uint64_t i = 0; i < 200; ++i) {
    const options three{.applications = 3, .utilization_permille = 300};
    REQUIRE(gen::generate(three, 1, i, table) == takt::model_fault::none);
    REQUIRE(table.size() == 3);
    for (const auto& t : table.tasks) { ++seen[static_cast<std::size_t>(10 - t.priority)]; }
  }
  for (const int n : seen) { CHECK(n > 30); }
  CHECK(gen::generate(options{.applications = 0}, 1, 1, table) == takt::model_fault::options_out_of_range);
  CHECK(gen::generate(options{.applications = 11}, 1, 1, table) == takt::model_fault::options_out_of_range);
  CHECK(gen::generate(options{.utilization_permille = 0}, 1, 1, table) == takt::model_fault::options_out_of_range);
  takt::application_set<2> small;
  CHECK(gen::generate(options{.applications = 3}, 1, 1, small) == takt::model_fault::set_does_not_fit);
}
