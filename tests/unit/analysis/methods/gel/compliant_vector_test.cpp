// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <takt/analysis/methods/gel/as_published.hpp>
#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/core/random.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/gel/simulated_cluster.hpp"

using namespace gel_tests;
using namespace takt::analysis;
using takt::rational;

namespace {

constexpr auto edf = gel_policy::earliest_deadline;
constexpr auto fl = gel_policy::fair_lateness;

template <class Bounds>
auto lateness_of(const Bounds& b) {
  std::vector<std::decay_t<decltype(b.s)>> out;
  for (const auto& row : b.tasks) { out.push_back(row.lateness); }
  return out;
}
using fractions = std::vector<rational>;

constexpr auto three = set_of<ticks>({{8, 12, 12}, {8, 12, 12}, {8, 12, 12}});
static_assert(compliant_vector(three, 2, edf).s == 8);
static_assert(compliant_vector(three, 2, fl).s == 16);
static_assert(compliant_vector(three, 2, fl).tasks[2].lateness == 8);

/// Twenty tasks are proven in a constant expression.
constexpr auto twenty = [] {
  takt::task_rows<takt::gel_task<ticks>, 20> out;
  for (ticks i = 0; i < 20; ++i) {
    static_cast<void>(out.add({.wcet = 1'000 + 40 * i, .period = 8'000 + 200 * i, .deadline = 9'000}));
  }
  return out;
}();
static_assert(compliant_vector(twenty, 4, fl).bounded());

}  // namespace

TEST_CASE("compliant vectors and the Devi-Anderson bound of three tasks on two processors" *
          takt_tests::traces("GSA-24")) {
  for (const auto policy : {edf, fl}) {
    const auto b = compliant_vector(three, 2, policy);
    REQUIRE(b.bounded());
    CHECK(b.s == (policy == edf ? 8 : 16));
    for (const auto& row : b.tasks) {
      CHECK(row.lateness == 8);
      CHECK(row.response == 20);
      CHECK(row.point + row.x + 8 == row.response);
    }
  }
  const auto devi = devi_anderson(three, 2);
  for (const auto& row : devi.tasks) { CHECK(row.tardiness() == 8); }
  // The example's schedule is 4 late at most.
  const auto worst = worst_responses(three, {.processors = 2});
  CHECK(*std::ranges::max_element(worst) == 16);
}

TEST_CASE("compliant vectors of published and arbitrary deadlines are exact fractions" * takt_tests::traces("GSD-16")) {
  const auto implicit = set_of<rational>({{2, 4, 4}, {3, 6, 6}, {5, 8, 8}, {4, 10, 10}, {1, 5, 5}});
  const auto late = compliant_vector(implicit, 3, edf);
  CHECK(late.s == rational{891, 79});
  CHECK(lateness_of(late) == fractions{{1207, 237}, {455, 79}, {1681, 237}, {1523, 237}, {1049, 237}});
  CHECK(compliant_vector(implicit, 3, fl).s == rational{1107, 79});

  const auto arbitrary = set_of<rational>({{3, 5, 4}, {4, 8, 12}, {2, 6, 6}, {3, 10, 7}});
  const auto early = compliant_vector(arbitrary, 2, edf);
  CHECK(early.s == rational{6});
  CHECK(lateness_of(early) == fractions{{9, 2}, 5, 4, {9, 2}});
  const auto fair = compliant_vector(arbitrary, 2, fl);
  CHECK(fair.s == rational{371, 45});
  CHECK(lateness_of(fair) == fractions(4, rational{371, 90}));

  // Any points: those of EDF, given.
  auto given = arbitrary;
  for (auto& t : given.tasks) { t.point = t.deadline; }
  CHECK(lateness_of(compliant_vector(given, 2, gel_policy::given_points)) == lateness_of(early));
}

TEST_CASE("the edges: one processor, full load, no task, overload, faults and times that do not fit" *
          takt_tests::traces("GSD-16")) {
  const auto one = set_of<ticks>({{2, 4, 4}, {2, 4, 4}});
  const auto full = compliant_vector(one, 1, edf);
  REQUIRE(full.bounded());
  CHECK(full.tasks[0].lateness == 0);
  CHECK(compliant_vector(task_set{}, 2, edf).bounded());
  CHECK(compliant_vector(set_of<ticks>({{2, 4, 4}, {3, 4, 4}}), 1, edf).status == gel_status::cluster_overload);
  CHECK(compliant_vector(set_of<ticks>({{5, 4, 4}}), 2, edf).status == gel_status::task_overload);
  CHECK(compliant_vector(one, 0, edf).error.fault == takt::model_fault::no_processor);
  const auto bad = compliant_vector(set_of<ticks>({{2, 4, 4}, {0, 4, 4}}), 1, edf);
  CHECK(bad.status == gel_status::invalid_model);
  CHECK(bad.error.fault == takt::model_fault::wcet_not_positive);
  CHECK(bad.error.task == 1);
  CHECK(compliant_vector(set_of<ticks>({{1, 0, 4}}), 1, edf).error.fault == takt::model_fault::period_not_positive);
  constexpr ticks huge = std::numeric_limits<ticks>::max();
  CHECK(compliant_vector(set_of<ticks>({{huge - 4, huge, huge}, {huge - 2, huge - 1, huge}}), 2, edf).status ==
        gel_status::overflow);
}

TEST_CASE("on nanoseconds whose fractions do not fit the bounds lie a few ticks above the exact ones" *
          takt_tests::traces("GSD-16")) {
  // Two primes as units: fractions of 64 bits hold the small set, not the great one, which is the same times 10^9 + 7.
  const auto small = set_of<rational>({{71, 101, 101}, {67, 103, 103}, {83, 107, 107}, {41, 109, 109}});
  constexpr ticks unit = 1'000'000'007;
  task_set great;
  takt::random_stream random{7};
  for (const auto& t : small.tasks) {
    static_cast<void>(great.add({.wcet = t.wcet.numerator() * unit,
                                 .period = t.period.numerator() * unit + random.between(1, 9),
                                 .deadline = t.deadline.numerator() * unit}));
  }
  for (const auto policy : {edf, fl}) {
    const auto wanted = compliant_vector(small, 3, policy);
    const auto found = compliant_vector(great, 3, policy);
    REQUIRE(wanted.bounded());
    REQUIRE(found.bounded());
    for (std::size_t i = 0; i < great.size(); ++i) {
      const rational exact = wanted.tasks[i].response;
      const ticks scaled = exact.numerator() / exact.denominator() * unit;  // a lower bound, within one unit
      CHECK(found.tasks[i].response >= scaled);
      CHECK(found.tasks[i].response <= scaled + unit + 100);
    }
  }
}

TEST_CASE("under fair lateness with deadline = period all tasks of a cluster are equally late" *
          takt_tests::traces("GSD-17")) {
  int sets = 0;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 100); ++seed) {
    takt::random_stream random{seed};
    set_of_tasks<rational> set;
    const auto processors = static_cast<std::int32_t>(random.between(1, 4));
    for (std::int32_t i = 0; i < 6; ++i) {
      const ticks period = random.between(2, 12);
      static_cast<void>(set.add({.wcet = random.between(1, period), .period = period, .deadline = period}));
    }
    const auto b = compliant_vector(set, processors, fl);
    if (!b.bounded()) { continue; }
    ++sets;
    for (const auto& row : b.tasks) { CHECK(row.lateness == b.s / rational{processors}); }
  }
  CHECK(sets > 10);
}

TEST_CASE("a negative priority point makes the printed bound shorter than the job itself" *
          takt_tests::traces("GSD-16")) {
  const auto set = set_of<ticks>({{1, 4, 8}, {8, 8, 1}, {2, 3, 5}});
  const auto published = as_published::compliant_vector(set, 3, fl);
  const auto sound = compliant_vector(set, 3, fl);
  const auto worst = worst_responses(set, {.processors = 3, .policy = fl});
  CHECK(published.tasks[1].response == 7);
  CHECK(worst[1] == 8);
  REQUIRE(sound.bounded());
  for (std::size_t i = 0; i < worst.size(); ++i) { CHECK(worst[i] <= sound.tasks[i].response); }
  // Where no point is negative both are the same.
  CHECK(lateness_of(as_published::compliant_vector(three, 2, fl)) == lateness_of(compliant_vector(three, 2, fl)));
}
