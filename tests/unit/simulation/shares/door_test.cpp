// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <range/v3/range/conversion.hpp>

#include <takt/core/duration.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::execution_times;
using takt::model_fault;
using takt::release_pattern;
using takt::ticks;

constexpr auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));
constexpr auto alone = takt::application_set(
    takt::application("a", takt::period(20_ns), takt::share_priority(1), takt::scaling_wcet(8_ns)));
constexpr auto two = takt::application_set(
    takt::application("a", takt::period(100_ns), takt::share_priority(2), takt::scaling_wcet(20_ns)),
    takt::application("b", takt::period(150_ns), takt::share_priority(1), takt::scaling_wcet(30_ns)));

[[nodiscard]] auto percents(std::int32_t a, std::int32_t b) -> takt::plan<2> {
  takt::plan<2> out;
  REQUIRE(out.percents.try_push_back(a));
  REQUIRE(out.percents.try_push_back(b));
  return out;
}

[[nodiscard]] auto releases_of(const takt::trace& t, std::uint32_t task) -> std::vector<ticks> {
  return t.marks() | takt::views::of_task(task) | takt::views::marks_of(takt::mark_kind::release) | takt::views::times |
         ranges::to<std::vector<ticks>>;
}

TEST_CASE("an application that has the GPU alone holds all of it, job after job up to the horizon" *
          takt_tests::traces("WAMP-47")) {
  const auto run = takt::simulate(board, alone, {.horizon = 100_ns});
  REQUIRE_FALSE(run.error);
  CHECK(run.tasks[0].name == "a");
  CHECK(run.tasks[0].completed == 5);
  CHECK(run.tasks[0].worst_response == 8);
  CHECK(run.tasks[0].mean_response() == 8);
  CHECK(run.effort.operations == 5);
  CHECK(run.end == 100);
}

TEST_CASE("jobs of applications take a part of their longest times, as asked, from one tick on") {
  const auto seen = [](execution_times e, std::uint64_t seed) {
    return takt::simulate(board, alone, {.horizon = 400_ns, .execution = e, .seed = seed}).tasks[0];
  };
  CHECK(seen(execution_times::lower, 1).worst_response == 1);
  bool between = false;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const auto random = seen(execution_times::random, seed);
    CHECK(random.completed == 20);
    CHECK(random.worst_response <= 8);
    between = between || (random.best_response < random.mean_response() && random.mean_response() < 8);
  }
  CHECK(between);
}

TEST_CASE("releases of applications are a period apart or more, and periodic ones begin at their offsets") {
  const std::array offsets{7_ns, 0_ns};
  takt::trace t;
  static_cast<void>(takt::simulate(board, two, {.horizon = 300_ns, .offsets = offsets}, t));
  CHECK(releases_of(t, 0) == std::vector<ticks>{7, 107, 207});
  CHECK(releases_of(t, 1) == std::vector<ticks>{0, 150});
  for (const auto pattern : {release_pattern::sporadic, release_pattern::adversarial}) {
    bool later = false;
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
      takt::trace seen;
      static_cast<void>(takt::simulate(board, two, {.horizon = 2000_ns, .releases = pattern, .seed = seed}, seen));
      const auto of_a = releases_of(seen, 0);
      REQUIRE(of_a.size() > 5);
      for (std::size_t j = 1; j < of_a.size(); ++j) {
        CHECK(of_a[j] - of_a[j - 1] >= 100);
        later = later || of_a[j] - of_a[j - 1] > 100;
      }
    }
    CHECK(later);
  }
}

TEST_CASE("a job that misses is dropped at its deadline, or ends the run") {
  constexpr auto crowded = takt::application_set(
      takt::application("a", takt::period(20_ns), takt::share_priority(2), takt::scaling_wcet(19_ns)),
      takt::application("b", takt::period(20_ns), takt::share_priority(1), takt::scaling_wcet(19_ns)));
  const auto run = takt::simulate(board, crowded, {.horizon = 100_ns});
  CHECK(run.tasks[1].misses == 5);
  CHECK(run.tasks[1].first_miss == 20);
  CHECK(run.tasks[1].unfinished == 5);
  CHECK(run.end == 100);
  const auto stopped = takt::simulate(board, crowded, {.horizon = 100_ns, .stop_at_first_miss = true});
  CHECK(stopped.misses() == 1);
  CHECK(stopped.end == 20);
}

TEST_CASE("a greater share takes effect as late as the rule allows") {
  auto rules = takt::wamp2s_robust;
  rules.actuation = 5;
  const auto slow = takt::platform(takt::pool(takt::gpu_shares(), takt::shares(rules)));
  CHECK(takt::simulate(slow, alone, {.horizon = 20_ns}).tasks[0].worst_response == 5 + 8);
}

TEST_CASE("the percents of a plan are what rules that look at the load of the moment assume of a job without a share") {
  // With contention the two are predicted to slow each other down by what they are assumed to hold.
  takt::contention_matrix<2> contention;
  contention.set(0, 1, 900'000);
  contention.set(1, 0, 900'000);
  const auto slowed = two.with(contention);
  const auto text = takt::platform(takt::pool(takt::gpu_shares(), takt::shares(takt::wamp2s_text)));
  const auto first_share = [&](const auto& platform, const takt::plan<2>& p) {
    takt::trace t;
    const auto run = takt::simulate(platform, slowed, p, {.horizon = 100_ns}, t);
    REQUIRE_FALSE(run.error);
    const auto of_b = std::ranges::find(t.slices(), 1U, &takt::slice::task);
    REQUIRE(of_b != t.slices().end());
    return of_b->segment;
  };
  CHECK(first_share(text, percents(90, 20)) > first_share(text, percents(10, 20)));
  CHECK(first_share(board, percents(90, 20)) == first_share(board, percents(10, 20)));
}

TEST_CASE("percents outside of 1 to 101 are refused, and so is memory that is not there") {
  for (const std::int32_t wrong : {-1, 0, 102}) {
    CHECK(takt::simulate(board, two, percents(50, wrong)).error == takt::fault_at(model_fault::plan_does_not_fit, 1));
  }
  CHECK_FALSE(takt::simulate(board, two, percents(1, 101), {.horizon = 100_ns}).error);
  constexpr auto large = takt::application_set(takt::application("a", takt::period(20_ns), takt::share_priority(1),
                                                                 takt::scaling_wcet(8_ns), takt::memory_units{5}));
  const auto small = takt::platform(takt::pool(takt::gpu_shares(takt::memory_units{4}), takt::shares()));
  CHECK(takt::simulate(small, large, {.horizon = 100_ns}).error.fault == model_fault::memory_exceeded);
  CHECK(takt::simulate(board, two, {.horizon = 2_s}).error.fault == model_fault::too_many_jobs);
}

}  // namespace
