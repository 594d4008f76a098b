// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/any_stations.hpp>
#include <takt/host/disturbed_jobs.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/tags.hpp>

namespace {

using takt::host::disturbed_jobs;
using takt::host::time_span;
using spans = std::vector<time_span>;
using stations = takt::any_stations<2, 8>;
using table = takt::visit_table<3, 8>;

/// Three tasks of two visits, one on each station; with a section, if wanted.
[[nodiscard]] auto watch(bool has_section = false) -> disturbed_jobs {
  stations places;
  REQUIRE(places.add(takt::fixed_priority, 1));
  REQUIRE(places.add(takt::fixed_priority, 1));
  table set;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(set.add_task({.name = "t", .period = 10, .deadline = 10}));
    REQUIRE(set.add_visit(0, 1, 1, 0));
    REQUIRE(set.add_visit(1, 1, 1, 0));
  }
  if (has_section) { REQUIRE(set.sections.try_push_back({0, 0, 1})); }
  return disturbed_jobs{set, places};
}

}  // namespace

TEST_CASE("a stop disturbs the jobs that are there, and bounds hold again when the last of them has ended") {
  auto jobs = watch();
  jobs.released(0, 0, 0);
  jobs.arrives(0);
  jobs.late(5, 9);
  jobs.leaves(0, 12);
  jobs.released(1, 12, 12);
  jobs.arrives(2);  // the station has been empty
  jobs.arrives(1);
  jobs.leaves(1, 14);
  jobs.ended(0, 14);
  CHECK(jobs.until(20) == spans{{5, 14}});
  jobs.leaves(2, 15);
  jobs.ended(1, 15);
  CHECK(jobs.until(20) == spans{{5, 14}});
}

TEST_CASE("a visit that asks once more is there once, and one that took no time never was") {
  auto jobs = watch();
  jobs.released(0, 0, 0);
  jobs.arrives(0);
  jobs.late(5, 9);
  jobs.arrives(0);
  jobs.leaves(1, 9);
  jobs.leaves(0, 12);
  jobs.ended(0, 12);
  CHECK(jobs.until(20) == spans{{5, 12}});
}

TEST_CASE("a job is disturbed by one that is, on a station that has not been empty since") {
  auto jobs = watch();
  jobs.released(0, 0, 0);
  jobs.arrives(0);
  jobs.late(5, 9);
  jobs.released(1, 10, 10);
  jobs.arrives(2);
  jobs.leaves(0, 12);
  jobs.ended(0, 12);
  jobs.released(2, 13, 13);
  jobs.arrives(4);
  jobs.leaves(2, 14);
  jobs.ended(1, 14);
  CHECK(jobs.until(14) == spans{{5, 14}});
  jobs.leaves(4, 17);
  jobs.ended(2, 17);
  CHECK(jobs.until(20) == spans{{5, 17}});
}

TEST_CASE("one that a disturbed job comes to is disturbed, too, and takes that along") {
  auto jobs = watch();
  jobs.released(0, 0, 0);
  jobs.arrives(0);
  jobs.late(5, 9);
  jobs.released(1, 10, 10);
  jobs.arrives(3);
  jobs.leaves(0, 12);
  jobs.arrives(1);
  jobs.leaves(1, 13);
  jobs.ended(0, 13);
  jobs.leaves(3, 14);
  jobs.arrives(2);
  jobs.leaves(2, 16);
  jobs.ended(1, 16);
  CHECK(jobs.until(20) == spans{{5, 16}});
}

TEST_CASE("jobs that were released in a stop, or behind one that it disturbed, are disturbed from then on") {
  auto jobs = watch();
  jobs.late(5, 25);
  CHECK(jobs.until(30) == spans{{5, 25}});
  jobs.released(0, 7, 25);
  jobs.ended(0, 27);
  jobs.released(0, 26, 27);  // the job before was late
  jobs.ended(0, 29);
  CHECK(jobs.until(30) == spans{{5, 29}});
  jobs.released(0, 36, 36);
  jobs.ended(0, 37);
  CHECK(jobs.until(40) == spans{{5, 29}});
}

TEST_CASE("a job above its bound disturbs those that it meets, from its bound on") {
  auto jobs = watch();
  jobs.released(0, 0, 0);
  jobs.arrives(0);
  jobs.above(0, 8, 11);
  jobs.leaves(0, 12);
  jobs.ended(0, 12);
  jobs.above(1, 15, 16);  // it has not been released
  CHECK(jobs.until(20) == spans{{8, 12}, {15, 16}});
}

TEST_CASE("where tasks have sections a job disturbs all that are there") {
  auto jobs = watch(true);
  jobs.released(0, 0, 0);
  jobs.late(5, 9);
  jobs.released(1, 10, 10);
  jobs.ended(0, 11);
  jobs.ended(1, 15);
  CHECK(jobs.until(20) == spans{{5, 15}});
}
