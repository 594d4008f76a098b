// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <map>

#include <takt/model/schedule_table.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

namespace {

constexpr auto tasks = takt::task_set(takt::task("slow", takt::period(6_ms), takt::cpu(1_ms), takt::cpu(1_ms)),
                                      takt::task("fast", takt::period(4_ms), takt::cpu(1_ms)));

}  // namespace

TEST_CASE("a schedule table activates every job until all periods repeat, more important tasks first") {
  constexpr auto table = [] {
    takt::plan<2, 3> p;
    p.priorities.unchecked_push_back(1);
    p.priorities.unchecked_push_back(0);
    return takt::schedule_table_of<tasks>(p);
  }();
  static_assert(!table.error && table.duration == 12'000'000 && table.points.size() == 5);
  static_assert(table.points[0].task == 1 && table.points[1].task == 0 && table.points[1].offset == 0);
  std::map<std::uint32_t, std::size_t> jobs;
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const auto& x = table.points[i];
    CHECK((i == 0 || table.points[i - 1].offset <= x.offset));
    CHECK(x.visit == takt::no_index);
    CHECK(x.offset % (x.task == 0 ? 6'000'000 : 4'000'000) == 0);
    ++jobs[x.task];
  }
  CHECK(jobs[0] == 2);
  CHECK(jobs[1] == 3);
}

TEST_CASE("visits with an offset have points of their own, and around the end of the table they come at its start") {
  takt::plan<2, 3> p;
  for (const takt::ticks offset : {0, 7'000'000, 0}) { REQUIRE(p.offsets.try_push_back(offset)); }
  const auto table = takt::schedule_table_of<tasks>(p);
  REQUIRE_FALSE(table.error);
  CHECK(table.points.size() == 7);
  std::size_t waiting = 0;
  for (const auto& x : table.points) {
    if (x.visit == takt::no_index) { continue; }
    ++waiting;
    CHECK(x.task == 0);
    CHECK(x.visit == 1);
    CHECK((x.offset == 7'000'000 || x.offset == 1'000'000));
  }
  CHECK(waiting == 2);
}

TEST_CASE("a plan for other tasks makes no schedule table") {
  takt::plan<2, 3> p;
  REQUIRE(p.offsets.try_push_back(0));
  CHECK(takt::schedule_table_of<tasks>(p).error.fault == takt::model_fault::plan_does_not_fit);
  takt::plan<3> q;
  REQUIRE(q.priorities.try_push_back(0));
  CHECK(takt::schedule_table_of<tasks>(q).error.fault == takt::model_fault::plan_does_not_fit);
}
