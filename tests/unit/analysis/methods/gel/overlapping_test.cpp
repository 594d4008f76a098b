// SPDX-License-Identifier: Apache-2.0
// Published and worked examples of the bounds for graphs' processor nodes.
#include <doctest/doctest.h>

#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/analysis/methods/gel/restricted_parallelism.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/gel/simulated_cluster.hpp"

using namespace gel_tests;
using namespace takt::analysis;
using takt::rational;
using fractions = std::vector<rational>;

namespace {

constexpr auto edf = gel_policy::earliest_deadline;
constexpr auto fl = gel_policy::fair_lateness;
constexpr auto plain = point_shift::if_negative;

template <class Bounds>
auto responses(const Bounds& b) {
  std::vector<std::decay_t<decltype(b.s)>> out;
  for (const auto& row : b.tasks) { out.push_back(row.response); }
  return out;
}

constexpr auto three = set_of<rational>({{3, 4, 4}, {2, 5, 5}, {4, 10, 10}});
constexpr auto limited = set_of<rational>({{9, 5, 5, 2}, {2, 5, 5, 1}, {7, 10, 10, 3}});
static_assert(overlapping_response(three, 2, edf).tasks[0].response == rational{33, 5});
static_assert(takt::analysis::detail::slot_response(limited, 4, fl).tasks[0].response == rational{1089, 80});

}  // namespace

TEST_CASE("sequential jobs: Devi-Anderson under G-EDF, compliant vectors under any GEL policy" *
          takt_tests::traces("OVX-07")) {
  CHECK(responses(devi_anderson(three, 2, devi_form::mixed, devi_quotient::not_negative)) == fractions{8, 8, 15});
  CHECK(responses(takt::analysis::detail::sequential_response(three, 2, edf, plain)) == fractions{{15, 2}, 8, 14});
  CHECK(responses(takt::analysis::detail::sequential_response(three, 2, edf)) == fractions{{51, 8}, {55, 8}, {103, 8}});
  CHECK(responses(takt::analysis::detail::sequential_response(three, 2, fl)) == fractions{{25, 4}, {29, 4}, {49, 4}});
  // Only differences of points matter after the shift.
  auto given = three;
  for (auto& t : given.tasks) { t.point = t.deadline - rational{100}; }
  CHECK(responses(takt::analysis::detail::sequential_response(given, 2, gel_policy::given_points)) ==
        responses(takt::analysis::detail::sequential_response(three, 2, edf)));
}

TEST_CASE("jobs that overlap freely have bounds, also with utilisations above 1" * takt_tests::traces("OVX-08")) {
  CHECK(responses(overlapping_response(three, 2, edf, plain)) == fractions{{15, 2}, 8, 14});
  CHECK(responses(overlapping_response(limited, 4, fl)) == fractions{{1129, 80}, {1129, 80}, {1529, 80}});
  CHECK(takt::analysis::detail::sequential_response(limited, 4, fl).status == gel_status::task_overload);
  // A node alone on a processor: its own time, and no more.
  CHECK(responses(overlapping_response(set_of<rational>({{3, 4, 4}}), 2, edf)) == fractions{3});
  CHECK(overlapping_response(set_of<ticks>({{9, 4, 4}}), 2, edf).status == gel_status::cluster_overload);
  // Refinement never loosens.
  const auto refined = overlapping_response_refined(limited, 4, fl);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(refined.tasks[i].response <= overlapping_response(limited, 4, fl).tasks[i].response);
  }
  // Ticks are rounded up.
  CHECK(responses(overlapping_response(set_of<ticks>({{3, 4, 4}, {2, 5, 5}, {4, 10, 10}}), 2, edf)) ==
        std::vector<ticks>{7, 8, 14});
}

TEST_CASE("points shifted to 0 tighten the bounds and leave the schedule as it is" * takt_tests::traces("OVX-X1")) {
  CHECK(responses(overlapping_response(three, 2, edf)) == fractions{{33, 5}, {71, 10}, {131, 10}});
  CHECK(responses(overlapping_response(three, 2, fl)) == fractions{{33, 5}, {38, 5}, {63, 5}});
  CHECK(responses(overlapping_response(three, 2, fl, plain)) == fractions{{573, 80}, {653, 80}, {1053, 80}});
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 100); ++seed) {
    takt::random_stream random{seed};
    task_set set;
    set_of_tasks<rational> exact;
    for (int i = 0; i < 4; ++i) {
      const ticks period = random.between(2, 12);
      const ticks wcet = random.between(1, period);
      const ticks point = random.between(0, 30);
      static_cast<void>(set.add({.wcet = wcet, .period = period, .deadline = period, .point = point}));
      static_cast<void>(exact.add({.wcet = wcet, .period = period, .deadline = period, .point = point}));
    }
    auto shifted = set;
    for (auto& t : shifted.tasks) { t.point -= 17; }
    const run_options o{.processors = 2, .policy = gel_policy::given_points, .horizon = 60};
    CHECK(worst_responses(set, o) == worst_responses(shifted, o));
    const auto least = overlapping_response(exact, 2, o.policy);
    const auto as_given = overlapping_response(exact, 2, o.policy, plain);
    for (std::size_t i = 0; least.bounded() && i < set.size(); ++i) {
      CHECK(least.tasks[i].response <= as_given.tasks[i].response);
    }
  }
}

TEST_CASE("non-preemptive GEL scheduling has a bound, above that of preemptive scheduling" *
          takt_tests::traces("OVX-X7")) {
  const auto rigid = non_preemptive_response(three, 2, edf);
  CHECK(responses(rigid) == fractions{{43, 5}, {91, 10}, {151, 10}});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(overlapping_response(three, 2, edf).tasks[i].response <= rigid.tasks[i].response);
  }
}

TEST_CASE("bounds for limited parallelism lie between those of sequential jobs and of free overlap") {
  CHECK(responses(takt::analysis::detail::slot_response(limited, 4, fl)) ==
        fractions{{1089, 80}, {1089, 80}, {1489, 80}});
  CHECK(responses(distance_response(limited, 4, fl)) == fractions{{905, 44}, {905, 44}, {1125, 44}});
  // One slot each: sequential jobs, whichever way it is said.
  CHECK(responses(takt::analysis::detail::slot_response(three, 2, edf)) ==
        responses(takt::analysis::detail::sequential_response(three, 2, edf)));
  CHECK(responses(distance_response(three, 2, edf)) ==
        responses(takt::analysis::detail::sequential_response(three, 2, edf)));
  auto free = limited;
  for (auto& t : free.tasks) { t.parallelism = takt::unrestricted_parallelism; }
  CHECK(responses(takt::analysis::detail::slot_response(free, 4, fl)) !=
        responses(takt::analysis::detail::slot_response(limited, 4, fl)));
  CHECK(distance_response(free, 4, fl).error.fault == takt::model_fault::parallelism_not_given);
  auto narrow = limited;
  narrow.tasks[0].parallelism = 1;
  CHECK(takt::analysis::detail::slot_response(narrow, 4, fl).status == gel_status::task_overload);
}

TEST_CASE("G-FL and G-EDF are compared task by task: plain G-FL favours long tasks" * takt_tests::traces("OVX-14")) {
  const auto by_deadline = overlapping_response(three, 2, edf, plain);
  const auto by_lateness = overlapping_response(three, 2, fl, plain);
  const rational points[]{{5, 2}, 4, 8};
  for (std::size_t i = 0; i < 3; ++i) { CHECK(takt::relative_point(fl, three.tasks[i], 2) == points[i]); }
  CHECK(by_lateness.tasks[0].response < by_deadline.tasks[0].response);
  CHECK(by_lateness.tasks[2].response < by_deadline.tasks[2].response);
  CHECK(by_deadline.tasks[1].response < by_lateness.tasks[1].response);
  // Negative points are points: u > M / (M - 1).
  CHECK(takt::relative_point(fl, limited.tasks[0], 4) == rational{-7, 4});
}
