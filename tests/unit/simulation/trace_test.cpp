// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation.hpp>

#include "fixtures.hpp"
#include "support/traces.hpp"

using namespace fixtures;
using takt::mark_kind;
using takt::stage;

namespace {

using table_type = takt::task_table<takt::ticks, 4, 4 * 9>;
using key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;  ///< task, job, segment

auto random_table(std::uint64_t seed) -> table_type {
  static constexpr std::array<std::string_view, 4> names{"a", "b", "c", "d"};
  takt::random_stream random(seed);
  table_type table;
  for (const std::string_view name : names) {
    const takt::ticks time = 30 + random.below(80);
    table.add_task(name, time, time, takt::no_priority, static_cast<std::int32_t>(random.below(2)));
    const auto add = [&](stage where) {
      table.add_segment({.where = where,
                         .direction = random.chance(1, 2) ? takt::to_device : takt::to_host,
                         .time = {0, random.below(7)}});
    };
    add(stage::cpu);
    for (int k = 0; k < 2; ++k) {
      add(stage::copy);
      add(stage::kernel);
      add(stage::copy);
      add(stage::cpu);
    }
  }
  takt::prioritize(table);
  return table;
}

void check_nothing_overlaps(const takt::trace& t) {
  std::map<std::tuple<stage, std::int32_t>, std::vector<takt::slice>> by_unit;
  for (const takt::slice& s : t.slices()) {
    REQUIRE(s.start < s.end);
    for (std::int32_t i = 0; i < s.where.count; ++i) { by_unit[{s.where.where, s.where.index + i}].push_back(s); }
  }
  for (auto& [unit, slices] : by_unit) {
    std::ranges::sort(slices, {}, &takt::slice::start);
    for (std::size_t i = 1; i < slices.size(); ++i) { REQUIRE(slices[i - 1].end <= slices[i].start); }
  }
}

/// Each segment of a completed job got its time on its own resource, after the segment before it.
template <class Table>
void check_jobs_are_whole(const takt::trace& t, const Table& table) {
  std::map<key, takt::ticks> got;
  std::map<key, takt::ticks> begun;
  std::map<key, takt::ticks> ended;
  for (const takt::slice& s : t.slices()) {
    std::size_t k = 0;
    while (table.tasks[k].id != s.task) { ++k; }
    if (table.segment(k, s.segment).where != s.where.where) { continue; }
    const key id{s.task, s.job, s.segment};
    got[id] += s.end - s.start;
    begun[id] = begun.contains(id) ? std::min(begun[id], s.start) : s.start;
    ended[id] = std::max(ended[id], s.end);
  }
  for (const takt::mark& m : t.marks()) {
    if (m.what != mark_kind::completion) { continue; }
    std::size_t k = 0;
    while (table.tasks[k].id != m.task) { ++k; }
    takt::ticks before = 0;
    for (std::uint32_t j = 0; j < table.tasks[k].segment_count; ++j) {
      const takt::ticks length = table.segment(k, j).time.upper;
      const key id{m.task, m.job, j};
      REQUIRE(got[id] == length);
      if (length == 0) { continue; }
      REQUIRE(begun[id] >= before);
      before = ended[id];
    }
    REQUIRE(before <= m.time);
  }
}

template <class Board>
void check_schedules(const Board& on) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto table = random_table(seed);
    for (const auto pattern :
         {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
      takt::trace t;
      const auto r = takt::simulate(on, table, takt::dedicate(1, 1, 1, 1),
                                    {.horizon = 2'000_ns, .releases = pattern, .seed = seed}, t);
      REQUIRE(!r.error);
      REQUIRE(r.completed() > 40);
      check_nothing_overlaps(t);
      check_jobs_are_whole(t, table);
      const auto untraced = takt::simulate(on, table, takt::dedicate(1, 1, 1, 1),
                                           {.horizon = 2'000_ns, .releases = pattern, .seed = seed});
      for (std::size_t i = 0; i < r.tasks.size(); ++i) {
        REQUIRE(r.tasks[i].total_response == untraced.tasks[i].total_response);
        REQUIRE(r.tasks[i].misses == untraced.tasks[i].misses);
      }
    }
  }
}

}  // namespace

TEST_CASE("slices of dedicated SMs neither overlap nor lose time" * takt_tests::traces("RTGPU-47")) {
  check_schedules(dedicated(2, 2));
}
TEST_CASE("slices of spinning jobs neither overlap nor lose time" * takt_tests::traces("RTGPU-47")) {
  check_schedules(board(takt::busy_waiting(takt::fixed_priority), takt::federated, 2));
}
TEST_CASE("slices of serialized stretches neither overlap nor lose time" * takt_tests::traces("RTGPU-47")) {
  check_schedules(board(takt::fixed_priority, takt::serialized(takt::federated), 2));
}
TEST_CASE("slices under the GPU lock neither overlap nor lose time" * takt_tests::traces("RTGPU-47")) {
  check_schedules(board(takt::fixed_priority, takt::serialized(takt::whole_gpu), 2, 1, 1));
}

TEST_CASE("releases of every pattern keep the period and depend on the seed alone") {
  for (const auto pattern :
       {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto table = random_table(seed);
      const takt::simulation_options options{
          .horizon = 3'000_ns, .releases = pattern, .execution = takt::execution_times::random, .seed = seed};
      takt::trace t;
      takt::trace again;
      (void)takt::simulate(dedicated(2), table, takt::dedicate(1, 1, 1, 1), options, t);
      (void)takt::simulate(dedicated(2), table, takt::dedicate(1, 1, 1, 1), options, again);
      REQUIRE(t.marks().size() == again.marks().size());
      for (std::size_t i = 0; i < t.marks().size(); ++i) { REQUIRE(t.marks()[i].time == again.marks()[i].time); }
      for (const auto& task : table.tasks) {
        takt::ticks last = -task.period;
        std::uint64_t job = 0;
        for (const takt::mark& m : t.marks()) {
          if (m.what != mark_kind::release || m.task != task.id) { continue; }
          REQUIRE(m.job == job++);
          REQUIRE(m.time - last >= task.period);
          REQUIRE(m.time < 3'000);
          last = m.time;
        }
        REQUIRE(job > 5);
      }
    }
  }
}

TEST_CASE("another seed gives another run") {
  const auto table = random_table(1);
  const auto run = [&](std::uint64_t seed) {
    return takt::simulate(dedicated(2), table, takt::dedicate(1, 1, 1, 1),
                          {.horizon = 100'000_ns, .releases = takt::release_pattern::sporadic, .seed = seed})
        .tasks[0]
        .total_response;
  };
  CHECK(run(1) != run(2));
}

TEST_CASE("what is under way at the end is recorded") {
  constexpr auto tasks = takt::task_set(takt::task("a", takt::period(100_ns), cpu(2), copy(10), kernel(10), cpu(1)),
                                        takt::task("b", takt::period(100_ns), cpu(2), kernel(50), cpu(1)),
                                        takt::task("c", takt::period(100_ns), cpu(50)));
  takt::trace t;
  (void)takt::simulate(dedicated(), tasks, takt::dedicate(1, 1, 0), {.horizon = 8_ns}, t);
  CHECK(spans_of(t, 0, 1, stage::copy) == spans{{2, 8}});
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{4, 8}});
  CHECK(spans_of(t, 2, 0, stage::cpu) == spans{{4, 8}});
}
