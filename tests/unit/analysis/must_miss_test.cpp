// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/must_miss.hpp>

#include <cstddef>

#include <doctest/doctest.h>

namespace {

using takt::ticks;
using takt::visit_fact;
using takt::visit_place;
using tasks_type = takt::described_tasks<4, 8>;

[[nodiscard]] auto timed(visit_place where, ticks upper, takt::visit_mask before = 0) -> takt::described_visit {
  takt::described_visit v{.where = where, .predecessors = before};
  v.known.add(visit_fact::time);
  v.time = {0, upper};
  return v;
}
[[nodiscard]] auto board(std::int32_t gpus = 1) -> takt::hardware {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  for (std::int32_t g = 0; g < gpus; ++g) { REQUIRE(out.gpus.push_back({.sms = 4})); }
  return out;
}
[[nodiscard]] auto one(takt::described_task t, const takt::described_visit& v) -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task(t));
  REQUIRE(out.add_visit(v));
  return out;
}
constexpr takt::analysis::board_capacity two_cores{.processors = 2};
constexpr takt::analysis::board_capacity one_kernel{.processors = 2, .kernels = 1};

}  // namespace

TEST_CASE("a job that takes longer than its deadline when it is alone misses it") {
  using takt::analysis::must_miss;
  CHECK_FALSE(must_miss(one({.period = 9, .deadline = 5}, timed(visit_place::processor, 5)), board(), two_cores));
  CHECK(must_miss(one({.period = 9, .deadline = 5}, timed(visit_place::processor, 6)), board(), two_cores));
  CHECK(
      must_miss(one({.period = 9, .deadline = 5, .jitter = 1}, timed(visit_place::processor, 5)), board(), two_cores));
  CHECK_FALSE(must_miss(one({.period = 9, .deadline = 5, .limited = false}, timed(visit_place::processor, 6)), board(),
                        two_cores));
  auto beside = one({.period = 9, .deadline = 5}, timed(visit_place::processor, 3));
  REQUIRE(beside.add_visit(timed(visit_place::processor, 3)));
  CHECK_FALSE(must_miss(beside, board(), two_cores));
  REQUIRE(beside.add_visit(timed(visit_place::copy_engine, 3, 0b10)));
  CHECK(must_miss(beside, board(), two_cores));
}

TEST_CASE("a kernel counts with what all of its facts allow, and not at all where they only bound it") {
  const auto kernel = [](auto... facts) {
    takt::described_visit v{.where = visit_place::gpu};
    (v.known.add(facts), ...);
    v.wcet = 6;
    v.work = {0, 64};
    v.blocks = 64;
    v.threads = 1;
    v.block_length = 1;
    return v;
  };
  const auto late = [&](const takt::described_visit& v, ticks deadline) {
    return takt::analysis::must_miss(one({.period = 90, .deadline = deadline}, v), board(), two_cores);
  };
  CHECK(late(kernel(visit_fact::wcet), 5));
  CHECK_FALSE(late(kernel(visit_fact::wcet), 6));
  CHECK(late(kernel(visit_fact::work), 7));
  CHECK_FALSE(late(kernel(visit_fact::work), 8));
  CHECK_FALSE(late(kernel(visit_fact::work, visit_fact::wcet), 6));
  CHECK(late(kernel(visit_fact::work, visit_fact::wcet), 5));
  CHECK_FALSE(late(kernel(visit_fact::grid, visit_fact::block_length), 1));
  auto no_time = kernel(visit_fact::work, visit_fact::wcet);
  no_time.wcet = 0;
  CHECK_FALSE(late(no_time, 7));
}

TEST_CASE("more demand than there is ends in a miss, if all tasks have deadlines") {
  tasks_type three;
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(three.add_task({.period = 10, .deadline = 10}));
    REQUIRE(three.add_visit(timed(visit_place::processor, 7)));
  }
  CHECK(takt::analysis::must_miss(three, board(), two_cores));
  CHECK_FALSE(takt::analysis::must_miss(three, board(), {.processors = 3}));
  three.tasks[0].limited = false;
  CHECK_FALSE(takt::analysis::must_miss(three, board(), two_cores));

  tasks_type named;
  for (const std::int32_t core : {0, 0, takt::any_core}) {
    REQUIRE(named.add_task({.period = 10, .deadline = 10, .core = core}));
    REQUIRE(named.add_visit(timed(visit_place::processor, 6)));
  }
  CHECK_FALSE(takt::analysis::must_miss(named, board(), two_cores));
  CHECK(takt::analysis::must_miss(named, board(), {.processors = 2, .named_cores = true}));
}

TEST_CASE("one kernel at a time for each GPU is a limit, and so are copy engines") {
  tasks_type two;
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(two.add_task({.period = 10, .deadline = 10}));
    takt::described_visit v{.where = visit_place::gpu};
    v.known.add(visit_fact::wcet);
    v.wcet = 6;
    REQUIRE(two.add_visit(v));
  }
  CHECK(takt::analysis::must_miss(two, board(), one_kernel));
  CHECK_FALSE(takt::analysis::must_miss(two, board(2), one_kernel));
  CHECK_FALSE(takt::analysis::must_miss(two, board(), two_cores));
  for (auto& v : two.visits) { v = timed(visit_place::copy_engine, 6); }
  CHECK(takt::analysis::must_miss(two, board(), two_cores));
  takt::hardware engines = board();
  engines.copy_engines = 2;
  two.visits[0].direction = takt::copy_direction::to_host;
  CHECK_FALSE(takt::analysis::must_miss(two, engines, two_cores));
}
