// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/combiners/spinning.hpp>

#include <cstdint>

#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/tags.hpp>

namespace {

using takt::ticks;
using table_type = takt::visit_table<3, 9>;
using stations_type = takt::any_stations<3, 9>;

constexpr std::uint32_t core = 0;
constexpr std::uint32_t engine = 1;

/// CPU 1, copy, CPU 1.
void add_job(table_type& table, ticks period, ticks copy, std::int32_t priority) {
  REQUIRE(table.add_task({.name = "job", .period = period, .deadline = period, .priority = priority}));
  REQUIRE(table.add_visit(core, 1, 1, 0));
  REQUIRE(table.add_visit(engine, copy, copy, 0b1));
  REQUIRE(table.add_visit(core, 1, 1, 0b10));
}
[[nodiscard]] auto stations_under(const auto& cpus) -> stations_type {
  stations_type out;
  REQUIRE(out.add(cpus));
  REQUIRE(out.add(takt::fifo));
  return out;
}

}  // namespace

TEST_CASE("a job occupies its processor for its own time and all that it waits for") {
  table_type table;
  add_job(table, 20, 3, 0);
  add_job(table, 40, 5, 1);
  const auto v = takt::analysis::spinning(table, stations_under(takt::fixed_priority));
  REQUIRE(v.schedulable());
  CHECK(v.tasks[0].bound.value == 2 + 3 + 5);
  CHECK(v.tasks[1].bound.value == (2 + 5 + 3) + 10);
  CHECK(takt::analysis::spinning(table, stations_under(takt::edf)).schedulable());
}

TEST_CASE("one that leaves no time for others is not proven") {
  table_type table;
  add_job(table, 12, 3, 0);
  add_job(table, 18, 5, 1);
  const auto v = takt::analysis::spinning(table, stations_under(takt::fixed_priority));
  CHECK_FALSE(v.schedulable());
  CHECK_FALSE(v.tasks[0].bound.exists);
  CHECK(takt::analysis::holistic(table, stations_under(takt::fixed_priority)).schedulable());
}

TEST_CASE("a job whose search for a bound is given up is told from one that exceeds its deadline") {
  const auto verdicts = [](ticks deadline) {
    table_type table;
    const auto add = [&table](ticks time, ticks period, ticks limit, std::int32_t priority) {
      REQUIRE(table.add_task({.name = "job", .period = period, .deadline = limit, .priority = priority}));
      REQUIRE(table.add_visit(core, time, time, 0));
    };
    add(6, 6, 6, 0);
    add(2, deadline, deadline, 1);
    const auto stations = stations_under(takt::fixed_priority);
    return std::array{takt::analysis::spinning(table, stations), takt::analysis::inflated(table, stations)};
  };
  for (const auto& v : verdicts(ticks{1} << 40)) {
    CHECK(v.status == takt::verdict_status::not_proven);
    CHECK(v.why == takt::obstacle::passes);
  }
  for (const auto& v : verdicts(12)) { CHECK(v.why == takt::obstacle::deadline); }
}

TEST_CASE("a kernel goes on while its polling thread is preempted") {
  table_type table;
  REQUIRE(table.add_task({.name = "above", .period = 10, .deadline = 10, .priority = 0}));
  REQUIRE(table.add_visit(core, 6, 6, 0));
  add_job(table, 100, 45, 1);
  const auto v = takt::analysis::spinning(table, stations_under(takt::fixed_priority));
  REQUIRE(v.schedulable());
  CHECK(v.tasks[0].bound.value == 6);
  CHECK(v.tasks[1].bound.value == (1 + 6) + 45 + (1 + 6));
  CHECK_FALSE(takt::analysis::spinning(table, stations_under(takt::edf)).schedulable());
}

TEST_CASE("a thread needs its processor to begin a copy, also where it has nothing else to do there") {
  table_type table;
  REQUIRE(table.add_task({.name = "above", .period = 50, .deadline = 50, .priority = 0}));
  REQUIRE(table.add_visit(core, 6, 6, 0));
  REQUIRE(table.add_task({.name = "job", .period = 100, .deadline = 100, .priority = 1}));
  REQUIRE(table.add_visit(engine, 5, 5, 0));
  REQUIRE(table.add_visit(engine, 7, 7, 0b1));
  REQUIRE(table.add_visit(core, 1, 1, 0b10));
  const auto v = takt::analysis::spinning(table, stations_under(takt::fixed_priority));
  REQUIRE(v.schedulable());
  const ticks by_visits = 6 + 5 + 6 + 7 + (1 + 6);
  const ticks as_a_whole = (5 + 7 + 1) + 6;
  CHECK(v.tasks[1].bound.value == std::min(by_visits, as_a_whole));
  // Where the whole job is longer than the time between two jobs above it.
  table_type busy;
  REQUIRE(busy.add_task({.name = "above", .period = 10, .deadline = 10, .priority = 0}));
  REQUIRE(busy.add_visit(core, 6, 6, 0));
  REQUIRE(busy.add_task({.name = "job", .period = 200, .deadline = 200, .priority = 1}));
  REQUIRE(busy.add_visit(engine, 45, 45, 0));
  REQUIRE(busy.add_visit(engine, 40, 40, 0b1));
  REQUIRE(busy.add_visit(core, 1, 1, 0b10));
  const auto known = takt::analysis::spinning(busy, stations_under(takt::fixed_priority));
  REQUIRE(known.schedulable());
  CHECK(known.tasks[1].bound.value == 6 + 45 + 6 + 40 + (1 + 6));
}

TEST_CASE("a thread sees the end of its last kernel when it has its processor") {
  table_type table;
  REQUIRE(table.add_task({.name = "above", .period = 10, .deadline = 10, .priority = 0}));
  REQUIRE(table.add_visit(core, 6, 6, 0));
  REQUIRE(table.add_task({.name = "job", .period = 200, .deadline = 200, .priority = 1}));
  REQUIRE(table.add_visit(core, 1, 1, 0));
  REQUIRE(table.add_visit(engine, 45, 45, 0b1));
  const auto v = takt::analysis::spinning(table, stations_under(takt::fixed_priority));
  REQUIRE(v.schedulable());
  CHECK(v.tasks[1].bound.value == (1 + 6) + 45 + 6);
}

TEST_CASE("a job above that comes when a copy could begin goes first") {
  table_type table;
  REQUIRE(table.add_task({.name = "above", .period = 5, .deadline = 5, .priority = 0}));
  REQUIRE(table.add_visit(core, 1, 1, 0));
  REQUIRE(table.add_task({.name = "job", .period = 49, .deadline = 49, .priority = 1}));
  REQUIRE(table.add_visit(core, 4, 4, 0));
  REQUIRE(table.add_visit(engine, 3, 3, 0b1));
  REQUIRE(table.add_visit(core, 3, 3, 0b10));
  const auto v = takt::analysis::spinning(table, stations_under(takt::fixed_priority));
  REQUIRE(v.schedulable());
  CHECK(v.tasks[1].bound.value == 13);  // seen: above at 0, 5 and 10
}

TEST_CASE("a polling thread keeps less important ones from its processor for all its time") {
  table_type table;
  add_job(table, 100, 45, 0);
  REQUIRE(table.add_task({.name = "below", .period = 100, .deadline = 46, .priority = 1}));
  REQUIRE(table.add_visit(core, 2, 2, 0));
  CHECK_FALSE(takt::analysis::spinning(table, stations_under(takt::fixed_priority)).schedulable());
}

TEST_CASE("processors that do not preempt, and jobs without one, are not proven") {
  table_type table;
  add_job(table, 40, 3, 0);
  CHECK(takt::analysis::spinning(table, stations_under(takt::nonpreemptive(takt::edf))).why ==
        takt::obstacle::processors);
  table_type lone;
  REQUIRE(lone.add_task({.name = "copies", .period = 9, .deadline = 9}));
  REQUIRE(lone.add_visit(engine, 1, 1, 0));
  const auto v = takt::analysis::spinning(lone, stations_under(takt::fixed_priority));
  CHECK(v.why == takt::obstacle::processors);
  CHECK(v.where == 0);
}
