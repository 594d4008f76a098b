// SPDX-License-Identifier: Apache-2.0
// Sections that lie in others, and visits that depend on their tokens.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/host/engine.hpp>

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
  REQUIRE(set.sections.push_back({0, 0, 0b110}));
  CHECK_FALSE(takt::validate(set, 1, 2));
  REQUIRE(set.sections.push_back({0, 1, 0b100}));
  CHECK(takt::validate(set, 1, 2).fault == model_fault::malformed);
  CHECK_FALSE(takt::validate(set, 1, 2, section_shapes::nested));
  CHECK(takt::analysis::holistic(set, places).error.fault == model_fault::malformed);

  auto partly = set;
  partly.sections[1].visits = 0b11;  // overlaps, but lies in no other
  CHECK(takt::validate(partly, 1, 2, section_shapes::nested).fault == model_fault::malformed);
  auto apart = set;
  apart.sections[1].stride = 1;  // the section around it has one unit only
  CHECK(takt::validate(apart, 1, 2, section_shapes::nested).fault == model_fault::malformed);
  apart.sections[0].units = 2;
  CHECK(takt::validate(apart, 1, 2, section_shapes::nested).fault == model_fault::malformed);  // pool 2 is not there
  CHECK_FALSE(takt::validate(apart, 1, 3, section_shapes::nested));
  auto step = set;
  step.sections = {};
  step.visits[0].need = takt::unit_need::step;
  CHECK(takt::validate(step, 1, 2).fault == model_fault::malformed);
  CHECK_FALSE(takt::validate(step, 1, 2, section_shapes::nested));
  step.visits[0].after_move = true;
  CHECK(takt::validate(step, 1, 2, section_shapes::nested).fault == model_fault::malformed);
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
  REQUIRE(set.sections.push_back({0, 0, 0b10}));
  REQUIRE(set.sections.push_back({1, 0, 0b110}));
  REQUIRE(set.sections.push_back({1, 1, 0b100}));
  REQUIRE(set.sections.push_back({2, 1, 0b1}));
  // Task 2 runs 0..1, task 1 1..3 and waits, task 2 3..4, task 0 4..5 and waits, task 2 5..7, task 1 7..9, task
  // 0 9..11.
  CHECK(ends_of(set, places, {4, 1, 0}) == std::vector<ticks>{11, 9, 7});
}

TEST_CASE("jobs that get a token of another unit make the visits of a move") {
  // Two units of one token each. Task 0 gets that of unit 0; task 1 has it at its second job.
  board places;
  REQUIRE(places.add(takt::federated));
  REQUIRE(places.add_tokens(takt::fifo_order, 2));
  table set;
  REQUIRE(set.add_task({.name = "a", .period = 10, .deadline = 10}));
  for (const ticks t : {1, 3, 5}) { REQUIRE(set.add_next(0, t, t)); }
  set.visits[1].after_move = true;
  REQUIRE(set.sections.push_back({0, 0, 0b111, 2}));
  REQUIRE(set.add_task({.name = "b", .period = 20, .deadline = 20}));
  REQUIRE(set.add_next(0, 12, 12));
  REQUIRE(set.sections.push_back({1, 0, 0b1, 2}));
  REQUIRE_FALSE(takt::validate(set, 1, 1, section_shapes::nested));
  auto first = set;
  first.visits[0].after_move = true;  // nothing is known of the token yet
  CHECK(takt::validate(first, 1, 1, section_shapes::nested).fault == model_fault::malformed);
  struct two_jobs {
    std::vector<ticks> ends{};
    static auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) -> ticks {
      if (task == 1) { return job == 0 ? 6 : 10'000; }
      return job == 0 ? 0 : job < 3 ? 10 : 10'000;
    }
    static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
    static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
    void completed(std::uint32_t task, std::uint64_t /*job*/, ticks time) {
      if (task == 0) { ends.push_back(time); }
    }
  } jobs;
  takt::host::engine<board, 3, 12, two_jobs> engine{set, places, jobs};
  static_cast<void>(engine.run(1'000));
  // At 10 task 1 has unit 0, so the second job moves to unit 1 and takes 9; at 20 unit 0 is free, and the third moves
  // back.
  CHECK(jobs.ends == std::vector<ticks>{6, 19, 29});
}
