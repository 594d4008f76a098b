// SPDX-License-Identifier: Apache-2.0
// What belongs to one instant, and to the end of a run.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/host/engine.hpp>

namespace {

using takt::ticks;
using table = takt::visit_table<2, 4>;
using board = takt::any_stations<2, 4>;

template <class Length>
struct choices {
  ticks late = 0;
  Length how_long{};

  auto gap(std::uint32_t /*task*/, std::uint64_t job, ticks period) const -> ticks { return job == 0 ? 0 : period; }
  auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) const -> ticks { return late; }
  auto length(const takt::visit_record& v, std::uint64_t job) const -> ticks { return how_long(v, job); }
};

template <class Length>
auto run(const table& set, const board& places, ticks horizon, ticks late, const Length& length) {
  choices<Length> open{late, length};
  takt::host::engine<board, 2, 4, choices<Length>> engine{set, places, open};
  return engine.run(horizon);
}

}  // namespace

TEST_CASE("a job that is due when a grant ends the one before comes in before its station decides") {
  board places;
  REQUIRE(places.add(takt::nonpreemptive(takt::fixed_priority)));
  REQUIRE(places.add(takt::fifo));
  REQUIRE(places.add_tokens(takt::fifo_order, 1));
  table set;
  REQUIRE(set.add_task({.name = "often", .period = 2, .deadline = 2, .priority = 0}));
  REQUIRE(set.add_next(0, 0, 0));
  REQUIRE(set.add_next(0, 0, 5));
  REQUIRE(set.sections.try_push_back({0, 0, 1}));
  REQUIRE(set.add_task({.name = "once", .period = 100, .deadline = 100, .priority = 1}));
  REQUIRE(set.add_next(1, 5, 5));
  REQUIRE(set.add_next(0, 3, 3));
  // The first job of "often" keeps two more waiting until 5. The second gets its token and ends at once, so that the
  // third is there at 5 too, when the last visit of "once" is.
  const auto seen = run(set, places, 30, 0, [](const takt::visit_record& v, std::uint64_t job) -> ticks {
    return v.task == 0 ? (v.position == 1 && (job == 0 || job == 2) ? 5 : 0) : v.upper;
  });
  CHECK(seen.visit_response(1, 0) == 5);
  CHECK(seen.visit_response(1, 1) == 8);
  CHECK(seen.tasks[0].worst_response == 6);
}

TEST_CASE("what is released at the horizon is no job of the run, unless it ends there") {
  board places;
  REQUIRE(places.add(takt::fixed_priority));
  table set;
  REQUIRE(set.add_task({.name = "task", .period = 10, .deadline = 10}));
  REQUIRE(set.add_next(0, 0, 15));
  const auto seen_with = [&](ticks length, ticks horizon, ticks late = 0) {
    return run(set, places, horizon, late, [=](const takt::visit_record&, std::uint64_t) { return length; }).tasks[0];
  };
  CHECK(seen_with(5, 100).released == 10);
  CHECK(seen_with(5, 100).completed == 10);
  CHECK(seen_with(5, 101).released == 11);
  CHECK(seen_with(5, 93, 3).released == 9);
  CHECK(seen_with(10, 100).released == 10);
  CHECK(seen_with(10, 100).completed == 10);
  CHECK(seen_with(0, 100).released == 11);
  CHECK(seen_with(0, 100).completed == 11);
  // The third job comes at 20 and begins at the horizon; the fourth comes there.
  CHECK(seen_with(15, 30).released == 3);
  CHECK(seen_with(15, 30).completed == 2);
  CHECK(seen_with(15, 30).misses == 3);
  // The second job is under way, and two wait behind it.
  CHECK(seen_with(15, 29).released == 3);
  CHECK(seen_with(25, 30).released == 3);
  CHECK(seen_with(25, 31).released == 4);
}

TEST_CASE("where visits take steps, all that follows from ends of an instant comes before its releases") {
  board places;
  REQUIRE(places.add(takt::nonpreemptive(takt::fixed_priority)));
  table set;
  REQUIRE(set.add_task({.name = "urgent", .period = 100, .deadline = 100, .priority = 0}));
  REQUIRE(set.add_next(0, 4, 4));
  REQUIRE(set.add_task({.name = "steps", .period = 100, .deadline = 100, .priority = 1}));
  REQUIRE(set.add_next(0, 5, 5));
  REQUIRE(set.add_next(0, 0, 0));
  set.visits[2].need = takt::unit_need::step;
  struct at_five : choices<ticks (*)(const takt::visit_record&, std::uint64_t)> {
    auto gap(std::uint32_t task, std::uint64_t job, ticks period) const -> ticks {
      return job > 0 ? period : task == 0 ? 5 : 0;
    }
  };
  at_five open;
  open.how_long = [](const takt::visit_record& v, std::uint64_t) { return v.upper; };
  takt::host::engine<board, 2, 4, at_five> engine{set, places, open};
  const auto seen = engine.run(50);
  CHECK(seen.tasks[1].worst_response == 5);  // its step at 5 is made before the urgent job is there
  CHECK(seen.tasks[0].worst_response == 4);
}

TEST_CASE("choices may say who of one instant asks first") {
  board places;
  REQUIRE(places.add(takt::fifo));
  table set;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(set.add_task({.name = "t", .period = 50, .deadline = 50}));
    REQUIRE(set.add_next(0, 2, 2));
    REQUIRE(set.add_next(0, 3, 3));
  }
  // Both first visits ask at 0, the later one first.
  struct ordered : choices<ticks (*)(const takt::visit_record&, std::uint64_t)> {
    static auto asks_before(std::uint32_t a, std::uint32_t b) -> bool { return a > b; }
  };
  ordered last_first;
  last_first.how_long = [](const takt::visit_record& v, std::uint64_t) { return v.upper; };
  takt::host::engine<board, 2, 4, ordered> other{set, places, last_first};
  const auto turned = other.run(40);
  CHECK(turned.visit_response(1, 0) == 2);
  CHECK(turned.visit_response(0, 0) == 4);
}

TEST_CASE("choices may bring jobs one by one, at an instant or when another one has ended") {
  board places;
  REQUIRE(places.add(takt::fifo));
  table set;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(set.add_task({.name = "t", .period = 50, .deadline = 50}));
    REQUIRE(set.add_next(0, 2, 2));
    REQUIRE(set.add_next(0, 3, 3));
  }
  // Task 0 comes at 7 and, later in the same instant, at its end again; task 1 when the first job of task 0 has ended.
  struct brought {
    bool timed = false;
    bool again = false;
    bool after = false;
    std::vector<ticks> ends{};

    [[nodiscard]] auto next_job() const -> ticks { return timed ? takt::no_event : 7; }
    auto comes(ticks now, takt::host::coming_job& out) -> bool {
      const bool first = !timed && now == 7;
      timed = timed || first;
      out = {after ? 1U : 0U, now};
      if (after) { return !(after = false); }
      if (again) { return !(again = false); }
      return first;
    }
    static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
    void completed(std::uint32_t task, std::uint64_t job, ticks now) {
      ends.push_back(now);
      after = again = task == 0 && job == 0;
    }
  };
  static_assert(takt::host::BringsJobs<brought> && !takt::host::TimesJobs<brought>);
  brought open;
  takt::host::engine<board, 2, 4, brought> engine{set, places, open};
  const takt::slice_sink null_sink;
  engine.begin(null_sink);
  for (ticks now = engine.next_instant(); now != takt::no_event; now = engine.next_instant()) { engine.step(now); }
  CHECK(open.ends == std::vector<ticks>{12, 19, 22});  // at 12 both come, first task 1, and share the station in turn
  CHECK(engine.seen().tasks[0].completed == 2);
  CHECK(engine.seen().tasks[1].worst_response == 7);
}

TEST_CASE("a deadline that passes before its job's late release is a miss") {
  board places;
  REQUIRE(places.add(takt::fifo));
  table set;
  REQUIRE(set.add_task({.name = "late", .period = 10, .deadline = 4, .jitter = 8}));
  REQUIRE(set.add_next(0, 1, 1));
  const auto length = [](const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; };
  CHECK(run(set, places, 3, 8, length).misses() == 0);
  CHECK(run(set, places, 5, 8, length).misses() == 1);
  CHECK(run(set, places, 9, 8, length).misses() == 1);
  CHECK(run(set, places, 15, 8, length).misses() == 2);
  CHECK(run(set, places, 15, 8, length).tasks[0].released == 1);
}

TEST_CASE("stations refuse rules that cannot share their units out") {
  takt::any_stations<8, 4> places;
  CHECK_FALSE(places.add(takt::fifo, 0));
  CHECK_FALSE(places.add(takt::deadline_monotonic, -1));
  CHECK_FALSE(places.add(takt::any_rule<4>{}));
  CHECK_FALSE(places.add(takt::time_slices(takt::duration{0}, takt::duration{0})));
  CHECK_FALSE(places.add(takt::time_slices(takt::duration{1}, takt::duration{-1})));
  CHECK_FALSE(places.add(takt::time_slices(takt::duration{1}, takt::duration{0}), 2));
  CHECK(places.size() == 0);
  CHECK(places.add(takt::time_slices(takt::duration{1}, takt::duration{0})));
  CHECK(places.add(takt::fifo, 2));
  CHECK(places.size() == 2);
}
