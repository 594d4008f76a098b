// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <takt/rules/gel.hpp>
#include "support/traces.hpp"

using takt::gel_policy;
using takt::gel_task;
using takt::priority_point;
using takt::ticks;

namespace {

constexpr gel_task<ticks> node{.name = "node", .wcet = 6, .period = 10, .deadline = 9, .point = 4};
static_assert(takt::relative_point(gel_policy::earliest_deadline, node, 4) == takt::rational{9});
static_assert(takt::relative_point(gel_policy::fair_lateness, node, 4) == (takt::rational{9, 2}));
static_assert(takt::relative_point(gel_policy::first_in_first_out, node, 4) == takt::rational{0});
static_assert(takt::relative_point(gel_policy::given_points, node, 4) == takt::rational{4});
static_assert(takt::relative_point(gel_policy{.deadline = 1, .wcet = -1}, node, 4) == takt::rational{3});
static_assert(takt::relative_point(gel_policy{.period = 2, .other_processors = 1, .point = -3}, node, 4) ==
              (takt::rational{25, 2}));

template <class Policy>
auto point_of(const Policy& policy, const takt::job_timing& t, ticks release) -> priority_point {
  priority_point out;
  REQUIRE(policy.point(t, release, out));
  return out;
}

}  // namespace

TEST_CASE("a job's priority is its nominal release plus the point of its task, and ties fall by task" *
          takt_tests::traces("OVX-04")) {
  const takt::job_timing first{.wcet = 6, .period = 10, .deadline = 9, .task = 0};
  const takt::job_timing second{.wcet = 2, .period = 10, .deadline = 12, .task = 1};
  const takt::by_given_points<2> any{{9, 12}};
  for (const ticks release : {ticks{0}, ticks{7}}) {
    // G-EDF is the GEL policy of the deadlines.
    CHECK(point_of(any, first, release) == point_of(takt::by_absolute_deadline{}, first, release));
    CHECK(point_of(any, second, release) == point_of(takt::by_absolute_deadline{}, second, release));
    // G-FL is that of deadline - (m - 1) / m C, in units of 1/m.
    const auto fair = point_of(takt::by_fair_lateness{4}, first, release);
    const auto relative =
        takt::relative_point(gel_policy::fair_lateness, gel_task<ticks>{.wcet = 6, .period = 10, .deadline = 9}, 4);
    CHECK(takt::rational{fair.point} == (takt::rational{release} + relative) * takt::rational{4});
    CHECK(point_of(takt::by_release{}, first, release).point == release);
  }
  // No two tasks are equal: the order of any number of jobs is the same however they are given.
  std::vector<priority_point> points{point_of(any, second, 0), point_of(any, first, 3), point_of(any, second, 10),
                                     point_of(any, first, 13)};
  CHECK(points[0].point == points[1].point);
  CHECK(points[1] < points[0]);
  std::ranges::sort(points);
  CHECK(std::ranges::adjacent_find(points) == points.end());
}

TEST_CASE("points that do not fit, and tasks without a point, are refused" * takt_tests::traces("OVX-04")) {
  priority_point out{1, 2};
  const takt::by_given_points<2> any{{9, std::numeric_limits<ticks>::max()}};
  CHECK(!any.point({.task = 1}, 1, out));
  CHECK(!any.point({.task = 2}, 0, out));
  CHECK(!any.point({.task = -1}, 0, out));
  CHECK(out == priority_point{1, 2});
}
