// SPDX-License-Identifier: Apache-2.0
// Boards of pools in virtual time whose process stands still: how the backlog drains, what becomes of late releases,
// and from when to when bounds are void.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/model/task_set.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "fixtures.hpp"

namespace {

using fixtures::copy;
using fixtures::cpu;
using fixtures::kernel;
using takt::late_handling;
using takt::period;
using takt::priority;
using takt::stall;
using takt::task;
using takt::task_set;
using takt::ticks;
using namespace takt::literals;

constexpr ticks horizon = 100'000;

/// Chains, of which the processor is the busiest: at a half.
struct chains {
  static constexpr auto board =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                     takt::pool(takt::virtual_sms(1, 1), takt::federated));
  static constexpr auto tasks = task_set(task("camera", period(100_ns), cpu(20), copy(5), kernel(10), cpu(10)),
                                         task("log", period(200_ns), cpu(40)));
  static constexpr auto plan = takt::dedicate(1, 0);
};
/// The same with a token of the GPU.
struct tokens {
  static constexpr auto board =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                     takt::pool(takt::virtual_sms(1, 1), takt::locked(takt::k_fmlp_order, 1)));
  static constexpr auto tasks = task_set(task("camera", period(100_ns), cpu(20), kernel(10), cpu(10)),
                                         task("radar", period(200_ns), cpu(30), kernel(10)));
  static constexpr auto plan = takt::plan<1>{};
};
struct clusters {
  static constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::clustered(takt::edf, 2)),
                                               takt::pool(takt::copy_engines(1), takt::fifo));
  static constexpr auto tasks = task_set(task("a", period(100_ns), cpu(40)), task("b", period(150_ns), cpu(60)));
  static constexpr auto plan = takt::plan<1>{};
};

template <class Case>
[[nodiscard]] auto run(const takt::simulation_options& options) {
  return takt::simulate(Case::board, Case::tasks, Case::plan, options, takt::no_recorder);
}

template <class Case>
void drains() {
  const auto usual = run<Case>({.horizon = takt::duration{horizon}});
  REQUIRE_FALSE(usual.error);
  CHECK(usual.misses() == 0);
  CHECK(usual.void_bounds.empty());
  for (const ticks length : {ticks{500}, ticks{1'000}, ticks{8'000}}) {
    CAPTURE(length);
    const std::array stalls{stall{3'001, length}};
    const auto seen = run<Case>({.horizon = takt::duration{horizon}, .stalls = stalls});
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
      CHECK(seen.tasks[i].released == usual.tasks[i].released);
      CHECK(seen.tasks[i].completed == usual.tasks[i].completed);
    }
    REQUIRE(seen.void_bounds.size() == 1);
    CHECK(seen.void_bounds[0].from == 3'001);
    // U = 1/2 of the busiest resource, or less.
    CHECK(seen.void_bounds[0].to <= 3'001 + length + length + 2 * 200);
    CHECK(seen.misses() > 0);
    CHECK(static_cast<ticks>(seen.tasks[0].misses) <= 2 * length / 100 + 4);
  }
  std::array<stall, 10> ten{};
  for (std::size_t i = 0; i < ten.size(); ++i) { ten[i] = {1'003 + static_cast<ticks>(i) * 4'507, 190}; }
  const auto seen = run<Case>({.horizon = takt::duration{horizon}, .stalls = ten});
  CHECK(seen.void_bounds.size() == 10);
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    CHECK(seen.tasks[i].completed == usual.tasks[i].completed);
    CHECK(seen.tasks[i].misses <= 10 * 4);
  }
}

template <class Case>
void drops() {
  const std::array stalls{stall{3'001, 1'000}};
  const auto under = [&](late_handling h) {
    return run<Case>({.horizon = takt::duration{horizon}, .stalls = stalls, .on_late = h});
  };
  const auto all = under(late_handling::catch_up);
  const auto skipped = under(late_handling::skip_late);
  const auto newest = under(late_handling::newest_only);
  for (const auto* seen : {&all, &skipped, &newest}) {
    for (std::size_t i = 0; i < seen->tasks.size(); ++i) {
      const auto& t = seen->tasks[i];
      CHECK(t.released == all.tasks[i].released);
      const std::uint64_t over = t.completed + t.skipped;
      CHECK(over <= t.released);
      CHECK(t.released <= over + 1);  // the one that is released at the end
      CHECK(t.late <= t.completed);
    }
  }
  CHECK(all.tasks[0].skipped == 0);
  CHECK(skipped.tasks[0].skipped >= 8);
  CHECK(newest.tasks[0].skipped >= 8);
  CHECK(newest.tasks[0].skipped <= skipped.tasks[0].skipped);
  CHECK(skipped.tasks[0].misses <= 2);
  CHECK(newest.tasks[0].misses <= 3);
  CHECK(skipped.void_bounds[0].to < all.void_bounds[0].to);
}

}  // namespace

TEST_CASE_TEMPLATE("after a stop of any length a board of pools catches up as fast as there is room", Case, chains,
                   tokens, clusters) {
  drains<Case>();
}

TEST_CASE_TEMPLATE("boards of pools do what is late, or drop it, or all but the newest, and count all of it", Case,
                   chains, tokens, clusters) {
  drops<Case>();
}

TEST_CASE("what is under way at a stop goes on behind it, and slices leave the stop out") {
  const std::array stalls{stall{10, 30}};
  takt::trace t;
  const auto seen =
      takt::simulate(chains::board, chains::tasks, chains::plan, {.horizon = 300_ns, .stalls = stalls}, t);
  REQUIRE_FALSE(seen.error);
  using takt::stage;
  CHECK(fixtures::spans_of(t, 0, 0, stage::cpu) == fixtures::spans{{0, 10}, {40, 50}, {100, 120}, {200, 220}});
  CHECK(fixtures::spans_of(t, 0, 1, stage::copy)[0] == std::pair<ticks, ticks>{50, 55});
  CHECK(fixtures::spans_of(t, 0, 2, stage::kernel)[0] == std::pair<ticks, ticks>{55, 65});
  CHECK(seen.void_bounds == std::vector<takt::host::time_span>{{10, 100}});
}

TEST_CASE("the same run is seen without a recorder, and a run that ends in a stop counts what was released in it") {
  const std::array stalls{stall{1'050, 500}};
  const takt::simulation_options options{.horizon = 1'320_ns, .stalls = stalls};
  const auto with = run<clusters>(options);
  const auto without = takt::simulate(clusters::board, clusters::tasks, clusters::plan, options);
  REQUIRE_FALSE(with.error);
  for (std::size_t i = 0; i < with.tasks.size(); ++i) {
    CHECK(with.tasks[i].released == without.tasks[i].released);
    CHECK(with.tasks[i].completed == without.tasks[i].completed);
    CHECK(with.tasks[i].misses == without.tasks[i].misses);
  }
  CHECK(with.tasks[0].released == 14);
  CHECK(with.tasks[0].completed == 11);
  CHECK(with.tasks[1].released == 9);
  CHECK(with.void_bounds == std::vector<takt::host::time_span>{{1'050, 1'320}});
}

static_assert([] {
  constexpr std::array stalls{stall{10, 30}};
  const auto seen = takt::simulate(clusters::board, clusters::tasks, clusters::plan,
                                   {.horizon = takt::duration{99}, .stalls = stalls});
  return seen.tasks[0].worst_response == 70 && seen.tasks[1].worst_response == 90;
}());
