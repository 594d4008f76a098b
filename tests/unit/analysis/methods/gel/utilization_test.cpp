// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/analysis/methods/gel/bounded_response.hpp>
#include <takt/analysis/methods/gel/uniprocessor.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/gel/simulated_cluster.hpp"

using namespace gel_tests;
using namespace takt::analysis;
using takt::rational;
using takt::verdict_status;

namespace {

constexpr auto half_and_third = set_of<ticks>({{1, 2, 2}, {1, 3, 3}});  // product (3/2)(4/3) = 2
static_assert(liu_layland(half_and_third) == verdict_status::not_proven);
static_assert(hyperbolic(half_and_third) == verdict_status::schedulable);
static_assert(edf_utilization(half_and_third) == verdict_status::schedulable);

}  // namespace

TEST_CASE("the Liu-Layland bound is decided on both sides of its irrational limit without roots" *
          takt_tests::traces("GSD-11")) {
  // Two tasks: 2 (sqrt 2 - 1) = 0.828427124746...
  const auto two = [](ticks load) {
    return set_of<ticks>({{load, 2'000'000'000, 2'000'000'000}, {load, 2'000'000'000, 2'000'000'000}});
  };
  CHECK(liu_layland(two(828'427'124)) == verdict_status::schedulable);
  CHECK(liu_layland(two(828'427'125)) == verdict_status::not_proven);
  // Three tasks: 3 (2^(1/3) - 1) = 0.779763149684...
  const auto three = [](std::int64_t load) {
    const rational c{load, 1'000'000'000};
    return set_of<rational>({{c, 3, 3}, {c, 3, 3}, {c, 3, 3}});
  };
  CHECK(liu_layland(three(779'763'149)) == verdict_status::schedulable);
  CHECK(liu_layland(three(779'763'150)) == verdict_status::not_proven);
  // One task may take all; none is schedulable; a deadline before the period's end is not its business.
  CHECK(liu_layland(set_of<ticks>({{7, 7, 7}})) == verdict_status::schedulable);
  CHECK(liu_layland(set_of<ticks>({{8, 7, 7}})) == verdict_status::not_proven);
  CHECK(liu_layland(task_set{}) == verdict_status::schedulable);
  CHECK(liu_layland(set_of<ticks>({{1, 7, 6}})) == verdict_status::invalid_model);
  CHECK(liu_layland(set_of<ticks>({{1, 7, 8}})) == verdict_status::schedulable);
}

TEST_CASE("rate-monotonic jobs of accepted sets meet their deadlines" * takt_tests::traces("GSD-11")) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 200); ++seed) {
    takt::random_stream random{seed};
    task_set set;
    for (int i = 0; i < 3; ++i) {
      const ticks period = random.between(3, 14);
      static_cast<void>(set.add({.wcet = random.between(1, 1 + period / 3), .period = period, .deadline = period}));
    }
    if (liu_layland(set) == verdict_status::schedulable) {
      CHECK(hyperbolic(set) == verdict_status::schedulable);  // accepts more
    }
    if (hyperbolic(set) != verdict_status::schedulable) { continue; }
    ++accepted;
    // Fixed priorities as points that no release reaches.
    for (auto& t : set.tasks) { t.point = t.period * 1'000'000; }
    const auto worst = worst_responses(set, {.policy = gel_policy::given_points});
    for (std::size_t i = 0; i < set.size(); ++i) { CHECK(worst[i] <= set.tasks[i].period); }
  }
  CHECK(accepted > 20);
}

TEST_CASE("EDF on one processor is schedulable exactly if U <= 1, whatever the size of the numbers" *
          takt_tests::traces("GSD-12")) {
  CHECK(edf_utilization(set_of<ticks>({{1, 2, 2}, {1, 3, 3}, {1, 6, 6}})) == verdict_status::schedulable);
  CHECK(edf_utilization(set_of<ticks>({{1, 2, 2}, {1, 3, 3}, {2, 11, 11}})) == verdict_status::unschedulable);
  // Coprime nanoseconds, whose sum of fractions does not fit.
  const auto large = [](ticks last) {
    return set_of<ticks>({{300'000'007, 1'000'000'007, 1'000'000'007},
                          {300'000'011, 1'000'000'009, 1'000'000'009},
                          {last, 1'000'000'021, 1'000'000'021}});
  };
  CHECK(edf_utilization(large(399'999'000)) == verdict_status::schedulable);
  CHECK(edf_utilization(large(400'001'000)) == verdict_status::unschedulable);
  CHECK(edf_utilization(set_of<ticks>({{1, 7, 6}})) == verdict_status::invalid_model);
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 100); ++seed) {
    takt::random_stream random{seed};
    constexpr ticks periods[]{2, 3, 4, 6, 12};
    task_set set;
    ticks twelfths = 0;
    for (int i = 0; i < 3; ++i) {
      const ticks period = periods[random.below(5)];
      const ticks wcet = random.between(1, 1 + period / 3);
      twelfths += wcet * 12 / period;
      static_cast<void>(set.add({.wcet = wcet, .period = period, .deadline = period}));
    }
    bool meets = true;
    const auto worst = worst_responses(set, {.horizon = 60});
    for (std::size_t i = 0; i < set.size(); ++i) { meets = meets && worst[i] <= set.tasks[i].deadline; }
    CHECK((edf_utilization(set) == verdict_status::schedulable) == (twelfths <= 12));
    CHECK(meets == (twelfths <= 12));
  }
}

TEST_CASE("tardiness is bounded by U <= m and, for sequential jobs, every u <= 1, in each cluster" *
          takt_tests::traces("GSD-13 OVX-06")) {
  const auto heavy = set_of<ticks>({{9, 5, 5}, {2, 5, 5}, {7, 10, 10}});  // u = 9/5, U = 29/10
  CHECK(takt::analysis::detail::bounded_response(heavy, 4) == gel_status::task_overload);
  CHECK(takt::analysis::detail::bounded_response(heavy, 4, job_overlap::unlimited) == gel_status::bounded);
  CHECK(takt::analysis::detail::bounded_response(heavy, 3, job_overlap::unlimited) == gel_status::bounded);
  CHECK(takt::analysis::detail::bounded_response(heavy, 2, job_overlap::unlimited) == gel_status::cluster_overload);
  auto limited = heavy;
  limited.tasks[0].parallelism = 2;
  CHECK(takt::analysis::detail::bounded_response(limited, 3, job_overlap::as_given) == gel_status::bounded);
  limited.tasks[0].parallelism = 1;
  CHECK(takt::analysis::detail::bounded_response(limited, 3, job_overlap::as_given) == gel_status::task_overload);
  CHECK(takt::analysis::detail::bounded_response(heavy, 3, static_cast<job_overlap>(99)) == gel_status::invalid_model);
  CHECK(name_of(gel_status::invalid_model) == "invalid-model");
  CHECK(name_of(gel_status::overflow) == "overflow");
  // Equality: U = m.
  CHECK(takt::analysis::detail::bounded_response(set_of<ticks>({{4, 4, 4}, {3, 3, 3}}), 2) == gel_status::bounded);
  // Four processors suffice, two clusters of two do not.
  CHECK(takt::analysis::detail::bounded_response(set_of<ticks>({{3, 4, 4}, {3, 4, 4}, {3, 4, 4}, {1, 4, 4}}), 4) ==
        gel_status::bounded);
  CHECK(takt::analysis::detail::bounded_response(set_of<ticks>({{3, 4, 4}, {3, 4, 4}, {3, 4, 4}}), 2) ==
        gel_status::cluster_overload);
  CHECK(takt::analysis::detail::bounded_response(set_of<ticks>({{1, 4, 4}}), 2) == gel_status::bounded);
  // Above the limit responses do grow.
  const auto over = set_of<ticks>({{4, 4, 4}, {4, 4, 4}, {1, 20, 20}});
  const auto shorter = worst_responses(over, {.processors = 2, .horizon = 200});
  const auto longer = worst_responses(over, {.processors = 2, .horizon = 400});
  CHECK(takt::analysis::detail::bounded_response(over, 2) == gel_status::cluster_overload);
  CHECK(longer[0] > shorter[0]);
}
