// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/strict_periods.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>

namespace {

using takt::ticks;
using takt::analysis::tie;
using takt::analysis::detail::strict_load;
using loads_type = takt::inline_vector<takt::analysis::detail::strict_load, 4>;

constexpr auto in_order = [](std::size_t task, ticks /*release*/) { return static_cast<ticks>(task); };

[[nodiscard]] constexpr auto response(const loads_type& loads, std::size_t own, const auto& point)
    -> takt::analysis::detail::strict_response {
  return takt::analysis::detail::response_by_hyperperiod(loads, own, tie::lost, point);
}

/// Tick by tick, for so many ticks; jobs of equal points go against `own`, or for it.
[[nodiscard]] auto by_ticks(const loads_type& loads, std::size_t own, tie ties, const auto& point, ticks end) -> ticks {
  struct job {
    std::size_t task;
    ticks release;
    ticks left;
  };
  std::vector<job> jobs;
  ticks worst = 0;
  for (ticks now = 0; now < end; ++now) {
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const bool comes = now >= loads[i].offset && (now - loads[i].offset) % loads[i].period == 0;
      if (comes) { jobs.push_back({i, now, loads[i].wcet}); }
    }
    job* best = nullptr;
    for (job& j : jobs) {
      if (j.left == 0) { continue; }
      if (best == nullptr) {
        best = &j;
        continue;
      }
      const ticks a = point(j.task, j.release);
      const ticks b = point(best->task, best->release);
      const bool wins = (ties == tie::won && j.task == own && best->task != own) ||
                        (ties == tie::lost && best->task == own && j.task != own);
      if (a < b || (a == b && wins)) { best = &j; }
    }
    if (best == nullptr || --best->left > 0) { continue; }
    if (best->task == own) { worst = std::max(worst, now + 1 - best->release); }
  }
  return worst;
}

}  // namespace

TEST_CASE("offsets keep two tasks apart that would meet if they were released together") {
  loads_type two;
  REQUIRE(two.try_push_back({.offset = 0, .period = 10, .wcet = 5}));
  REQUIRE(two.try_push_back({.offset = 5, .period = 10, .wcet = 5}));
  CHECK(response(two, 0, in_order).worst == 5);
  CHECK(response(two, 1, in_order).worst == 5);
  CHECK(response(two, 1, in_order).decided);
  two[1].offset = 0;
  CHECK(response(two, 1, in_order).worst == 10);
  two[1].offset = 12;
  CHECK(response(two, 1, in_order).worst == 8);
}

TEST_CASE("jobs of one task wait for each other, and a load above one is not decided") {
  loads_type two;
  REQUIRE(two.try_push_back({.offset = 0, .period = 70, .wcet = 26}));
  REQUIRE(two.try_push_back({.offset = 0, .period = 100, .wcet = 62}));
  CHECK(response(two, 1, in_order).worst == 118);
  CHECK(response(two, 1, in_order).decided);
  REQUIRE(two.try_push_back({.offset = 3, .period = 1000, .wcet = 9}));
  CHECK_FALSE(response(two, 2, in_order).decided);
}

TEST_CASE("ties count against a task in a bound, and for it in a proof of a miss") {
  loads_type two;
  REQUIRE(two.try_push_back({.offset = 0, .period = 10, .wcet = 3}));
  REQUIRE(two.try_push_back({.offset = 0, .period = 10, .wcet = 4}));
  constexpr auto all_equal = [](std::size_t /*task*/, ticks release) { return release; };
  using takt::analysis::detail::response_by_hyperperiod;
  CHECK(takt::analysis::detail::response_by_hyperperiod(two, 0, tie::lost, all_equal).worst == 7);
  CHECK(takt::analysis::detail::response_by_hyperperiod(two, 0, tie::won, all_equal).worst == 3);
  CHECK(takt::analysis::detail::response_by_hyperperiod(two, 1, tie::lost, all_equal).worst == 7);
  CHECK(takt::analysis::detail::response_by_hyperperiod(two, 1, tie::won, all_equal).worst == 4);
}

TEST_CASE("more jobs than a test follows are not decided") {
  loads_type two;
  REQUIRE(two.try_push_back({.offset = 0, .period = 9'973, .wcet = 1}));
  REQUIRE(two.try_push_back({.offset = 0, .period = 9'967, .wcet = 1}));
  CHECK_FALSE(response(two, 1, in_order).decided);
}

TEST_CASE("responses are those of a run that is followed tick by tick") {
  takt::random_stream random{11};
  const ticks periods[]{4, 5, 6, 8, 10, 12, 15};
  int decided = 0;
  for (int round = 0; round < 300; ++round) {
    loads_type all;
    ticks deadlines[4]{};
    const auto count = static_cast<std::size_t>(random.between(1, 4));
    ticks last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const ticks period = periods[static_cast<std::size_t>(random.below(7))];
      REQUIRE(all.try_push_back({random.below(20), period, random.between(1, 3)}));
      deadlines[i] = random.between(1, 2 * period);
      last = std::max(last, all[i].offset);
    }
    const auto edf = [&](std::size_t task, ticks release) { return release + deadlines[task]; };
    for (std::size_t own = 0; own < count; ++own) {
      for (const tie ties : {tie::lost, tie::won}) {
        const auto by_rank = takt::analysis::detail::response_by_hyperperiod(all, own, ties, in_order);
        const auto by_deadline = takt::analysis::detail::response_by_hyperperiod(all, own, ties, edf);
        decided += by_rank.decided ? 1 : 0;
        const ticks end = last + 6 * 120;
        if (by_rank.decided) { CHECK(by_rank.worst == by_ticks(all, own, ties, in_order, end)); }
        if (by_deadline.decided) { CHECK(by_deadline.worst == by_ticks(all, own, ties, edf, end)); }
      }
    }
  }
  CHECK(decided > 100);
}
