// SPDX-License-Identifier: Apache-2.0
// Sections that lie in others, and visits that depend on their tokens.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/host/engine.hpp>
#include <takt/rules/tags.hpp>

namespace {

using takt::model_fault;
using takt::section_shapes;
using takt::ticks;
using table = takt::visit_table<3, 12>;
using board = takt::any_stations<4, 12>;

struct single_jobs {
  std::vector<ticks> releases;
  std::vector<ticks> ends = std::vector<ticks>(3, -1);

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    return job == 0 ? releases[task] : 10'000;
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
  void completed(std::uint32_t task, std::uint64_t /*job*/, ticks time) { ends[task] = time; }
};

auto ends_of(const table& set, const board& places, const std::vector<ticks>& releases) -> std::vector<ticks> {
  REQUIRE_FALSE(takt::validate(set, places.size(), places.token_pools(), section_shapes::nested));
  single_jobs jobs{releases};
  takt::host::engine<board, 3, 12, single_jobs> engine{set, places, jobs};
  static_cast<void>(engine.run(1'000));
  return jobs.ends;
}

/// Task of so many visits on core 0.
void add(table& set, std::int32_t priority, const std::vector<ticks>& times) {
  REQUIRE(set.add_task({.name = "t", .period = 1'000, .deadline = 1'000, .priority = priority}));
  for (const ticks t : times) { REQUIRE(set.add_next(0, t, t)); }
}

}  // namespace

TEST_CASE("bounds refuse sections that nest, and visits that need a unit for no time") {
  board places;
  REQUIRE(places.add(takt::fixed_priority));
  REQUIRE(places.add_tokens(takt::k_fmlp_order, 1));
  REQUIRE(places.add_tokens(takt::k_fmlp_order, 1));
  table set;
  add(set, 0, {1, 1, 1});
  REQUIRE(set.sections.try_push_back({0, 0, 0b110}));
  CHECK_FALSE(takt::validate(set, 1, 2));
  REQUIRE(set.sections.try_push_back({0, 1, 0b100}));
  CHECK(takt::validate(set, 1, 2).fault == model_fault::malformed);
  CHECK_FALSE(takt::validate(set, 1, 2, section_shapes::nested));
  CHECK(takt::analysis::holistic(set, places).error.fault == model_fault::malformed);

  auto partly = set;
  partly.sections[1].visits = 0b11;  // overlaps, but lies in no other
  CHECK(takt::validate(partly, 1, 2, section_shapes::nested).fault == model_fault::malformed);
  auto step = set;
  step.sections = {};
  step.visits[0].need = takt::unit_need::step;
  CHECK(takt::validate(step, 1, 2).fault == model_fault::malformed);
  CHECK_FALSE(takt::validate(step, 1, 2, section_shapes::nested));
}

TEST_CASE("who waits for an outer token lends its priority to whom its holder waits for inside") {
  // Task 2 holds the inner token from 0 on, task 1 takes the outer one at 1 and waits for the inner one, and task 0,
  // the most important one, waits for the outer one.
  board places;
  REQUIRE(places.add(takt::fixed_priority));
  REQUIRE(places.add_tokens(takt::k_fmlp_order, 1));
  REQUIRE(places.add_tokens(takt::k_fmlp_order, 1));
  table set;
  add(set, 0, {1, 2});
  add(set, 1, {1, 1, 2});
  add(set, 2, {4});
  REQUIRE(set.sections.try_push_back({0, 0, 0b10}));
  REQUIRE(set.sections.try_push_back({1, 0, 0b110}));
  REQUIRE(set.sections.try_push_back({1, 1, 0b100}));
  REQUIRE(set.sections.try_push_back({2, 1, 0b1}));
  // Task 2 runs 0..1, task 1 1..3 and waits, task 2 3..4, task 0 4..5 and waits, task 2 5..7, task 1 7..9, task
  // 0 9..11.
  CHECK(ends_of(set, places, {4, 1, 0}) == std::vector<ticks>{11, 9, 7});
}

TEST_CASE("jobs leave visits out and make others again, each time with the tokens of their sections") {
  // Task 0: 1, then as often as choices say a section of 2 and a pause of 1, then 3. Task 1 wants the token too.
  board places;
  REQUIRE(places.add(takt::federated));
  REQUIRE(places.add_tokens(takt::fifo_order, 1));
  table set;
  REQUIRE(set.add_task({.name = "a", .period = 1'000, .deadline = 1'000}));
  for (const ticks t : {1, 2, 1, 3}) { REQUIRE(set.add_next(0, t, t)); }
  REQUIRE(set.sections.try_push_back({0, 0, 0b10}));
  REQUIRE(set.add_task({.name = "b", .period = 1'000, .deadline = 1'000}));
  REQUIRE(set.add_next(0, 5, 5));
  REQUIRE(set.sections.try_push_back({1, 0, 0b1}));
  REQUIRE_FALSE(takt::validate(set, 1, 1, section_shapes::nested));
  struct rounds {
    int left = 0;
    std::vector<ticks> ends = std::vector<ticks>(2, -1);
    static auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) -> ticks {
      return job > 0 ? 10'000 : task == 0 ? 0 : 2;
    }
    static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
    static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
    [[nodiscard]] auto skips(std::uint32_t v, std::uint64_t /*job*/) const -> bool {
      return left == 0 && (v == 1 || v == 2);
    }
    auto again(std::uint32_t v, std::uint64_t /*job*/) -> takt::visit_mask {
      if (v != 2 || left == 0) { return 0; }
      return --left > 0 ? 0b110 : 0;
    }
    void completed(std::uint32_t task, std::uint64_t /*job*/, ticks time) { ends[task] = time; }
  };
  const auto ends_after = [&](int times) {
    rounds jobs{times};
    takt::host::engine<board, 3, 12, rounds> engine{set, places, jobs};
    static_cast<void>(engine.run(1'000));
    return jobs.ends;
  };
  CHECK(ends_after(0) == std::vector<ticks>{4, 7});
  CHECK(ends_after(1) == std::vector<ticks>{7, 8});   // task 1 has the token from 3 to 8
  CHECK(ends_after(2) == std::vector<ticks>{14, 8});  // a second section waits from 4 to 8
}

TEST_CASE("choices bring jobs one after the other, also at the instant at which another ends") {
  board places;
  REQUIRE(places.add(takt::fixed_priority));
  table set;
  add(set, 0, {3});
  add(set, 1, {4});
  struct ping_pong {
    ticks pause = 0;
    std::vector<takt::host::coming_job> due{{0, 2}};
    std::vector<ticks> ends{};
    static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
    [[nodiscard]] auto next_job() const -> ticks { return due.empty() ? takt::no_event : due.back().nominal; }
    auto comes(ticks now, takt::host::coming_job& next) -> bool {
      if (next_job() > now) { return false; }
      next = due.back();
      due.pop_back();
      return true;
    }
    void completed(std::uint32_t task, std::uint64_t /*job*/, ticks time) {
      ends.push_back(time);
      if (time < 15) { due.push_back({1 - task, time + pause}); }
    }
  };
  const auto ends_with = [&](ticks pause) {
    ping_pong jobs{pause};
    takt::host::engine<board, 3, 12, ping_pong> engine{set, places, jobs};
    static_cast<void>(engine.run(1'000));
    return jobs.ends;
  };
  CHECK(ends_with(0) == std::vector<ticks>{5, 9, 12, 16});
  CHECK(ends_with(5) == std::vector<ticks>{5, 14, 22});
}
