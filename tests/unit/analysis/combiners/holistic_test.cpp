// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/rules/accelerator_tags.hpp>

namespace {

using takt::ticks;
constexpr std::size_t most = 12;
using table = takt::visit_table<most, 2 * most>;
using rule = takt::any_rule<2 * most>;
using board = takt::any_stations<2, 2 * most>;

struct job {
  ticks time = 0;
  ticks period = 0;
  ticks deadline = 0;  ///< 0: none
  ticks jitter = 0;
};

/// One visit each, the first task the most important.
auto table_of(std::initializer_list<job> jobs) -> table {
  table out;
  for (const job& j : jobs) {
    REQUIRE(out.add_task({.name = "t",
                          .period = j.period,
                          .deadline = j.deadline > 0 ? j.deadline : j.period,
                          .jitter = j.jitter,
                          .limited = j.deadline > 0,
                          .priority = static_cast<std::int32_t>(out.size())}));
    REQUIRE(out.add_next(0, j.time, j.time));
  }
  return out;
}
/// Bounds where all deadlines are met; else none.
auto bounds_of(const table& set, const rule& own) -> std::vector<ticks> {
  board places;
  REQUIRE(places.add(own, 1));
  const auto verdict = takt::analysis::holistic(set, places);
  std::vector<ticks> out;
  for (const auto& t : verdict.tasks) {
    if (verdict.schedulable()) { out.push_back(t.bound.value); }
  }
  return out;
}
using bounds = std::vector<ticks>;

}  // namespace

TEST_CASE("fixed priorities count all jobs of a busy period") {
  const rule own = takt::fixed_priority;
  CHECK(bounds_of(table_of({{26, 70, 70}, {62, 100, 118}}), own) == bounds{26, 118});  // in the fifth job
  CHECK(bounds_of(table_of({{26, 70, 70}, {62, 100, 117}}), own).empty());
  CHECK(bounds_of(table_of({{26, 70, 70}, {62, 100}}), own) == bounds{26, 118});
  CHECK(bounds_of(table_of({{22, 75, 75}, {83, 120, 240}}), own) == bounds{22, 134});
  CHECK(bounds_of(table_of({{10, 30, 30, 5}, {3, 15, 0, 6}}), own) == bounds{15, 19});
  CHECK(bounds_of(table_of({{2, 4, 20, 9}, {1, 4, 28, 17}}), own) == bounds{11, 28});  // jitter of several periods
  CHECK(bounds_of(table_of({{2, 4}, {3, 5}}), own).empty());
}

TEST_CASE("so they do where nobody is preempted") {
  const rule own = takt::nonpreemptive(takt::fixed_priority);
  CHECK(bounds_of(table_of({{3, 7, 7}, {3, 12, 12}, {3, 10, 11}}), own) == bounds{6, 9, 11});
  CHECK(bounds_of(table_of({{3, 7, 7}, {3, 12, 12}, {3, 10, 10}}), own).empty());
}

TEST_CASE("EDF goes by the deadline that was said, not by the lesser of it and the period") {
  CHECK(bounds_of(table_of({{5, 20, 60}, {5, 40, 40}}), takt::edf) == bounds{10, 5});
  CHECK(bounds_of(table_of({{5, 20, 60}, {5, 40, 40}}), takt::deadline_monotonic) == bounds{10, 5});
  CHECK(bounds_of(table_of({{3, 6, 14}, {4, 10, 12}, {2, 30, 30, 4}}), takt::edf) == bounds{8, 6, 24});
  CHECK(bounds_of(table_of({{3, 6, 14}, {4, 10, 12}, {2, 30, 30, 4}}), takt::nonpreemptive(takt::edf)) ==
        bounds{9, 7, 23});
}

TEST_CASE("a job that has no more than a period is late by its jitter alone, whatever else it visits") {
  const auto two_places = [](ticks second) {
    table set;
    REQUIRE(set.add_task({.name = "t", .period = 10, .deadline = 40, .jitter = 25, .priority = 0}));
    REQUIRE(set.add_next(0, 4, 4));
    REQUIRE(set.add_next(1, second, second));
    board places;
    REQUIRE(places.add(takt::fixed_priority, 1));
    REQUIRE(places.add(takt::fifo, 1));
    return takt::analysis::holistic(set, places);
  };
  REQUIRE(two_places(6).schedulable());
  CHECK(two_places(6).tasks[0].bound.value == 35);
  CHECK_FALSE(two_places(7).schedulable());  // each job waits for the one before, for longer and longer
}

TEST_CASE("no kernel takes longer than all that can be pending together") {
  auto own = takt::levels(takt::fixed_priority);
  own.nesting = 6;
  table set;
  for (std::int32_t i = 0; i < 10; ++i) {
    REQUIRE(set.add_task({.name = "t", .period = 200, .deadline = 200, .priority = i}));
    REQUIRE(set.add_next(0, 0, 10, takt::kernel_needs{.cost = 10}.values()));
  }
  for (const ticks bound : bounds_of(set, own)) { CHECK(bound <= 100); }
  CHECK(bounds_of(set, own).size() == 10);

  const auto two = [](const rule& kernels) {
    table pair;
    for (const ticks time : {20, 30}) {
      REQUIRE(pair.add_task({.name = "t", .period = 60, .deadline = 60, .priority = time == 20 ? 0 : 1}));
      REQUIRE(pair.add_next(1, 0, 1));
      REQUIRE(pair.add_next(0, 0, time, takt::kernel_needs{.cost = time}.values()));
      REQUIRE(pair.add_next(1, 0, 1));
    }
    board places;
    REQUIRE(places.add(kernels, 1));
    REQUIRE(places.add(takt::federated, 1));
    const auto verdict = takt::analysis::holistic(pair, places);
    REQUIRE(verdict.schedulable());
    return bounds{verdict.tasks[0].bound.value, verdict.tasks[1].bound.value};
  };
  own.nesting = 2;
  CHECK(two(own) == bounds{52, 52});
  CHECK(two(takt::gang(takt::fixed_priority)) == bounds{52, 52});
}

TEST_CASE("a task whose search for a bound is given up is named, and one that exceeds its deadline otherwise") {
  constexpr ticks far = ticks{1} << 40;
  const auto found = [](const rule& own, const job& first, const job& last) {
    board places;
    REQUIRE(places.add(own, 1));
    return takt::analysis::holistic(table_of({first, last}), places);
  };
  const auto open = found(takt::fixed_priority, {6, 6, 6}, {2, far, far});
  CHECK(open.status == takt::verdict_status::not_proven);
  CHECK(open.why == takt::obstacle::passes);
  CHECK(open.where == 1);
  CHECK_FALSE(open.tasks[1].bound.exists);
  CHECK(found(takt::edf, {6, 6, 6}, {2, far, far}).why == takt::obstacle::passes);
  const auto late = found(takt::fixed_priority, {6, 6, 6}, {2, 12, 12});
  CHECK(late.why == takt::obstacle::deadline);
  CHECK(late.where == 1);
  const rule patient = takt::nonpreemptive(takt::fixed_priority);
  CHECK(found(patient, {6, 6, 8}, {2, far, far}).why == takt::obstacle::passes);
  CHECK(found(patient, {6, 6, 6}, {2, far, far}).why == takt::obstacle::deadline);  // the first job of the first task
  CHECK(found(patient, {6, 7, 8}, {2, 12, 12}).why == takt::obstacle::deadline);
}
