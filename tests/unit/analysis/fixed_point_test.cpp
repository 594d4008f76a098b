// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <string_view>

#include <takt/core/fixed_point.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/segmented_suspension.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;

TEST_CASE("the least fixed point is exact, and every way to stop has its name" * takt_tests::traces("RTGPU-6")) {
  const auto step = [](ticks x) { return takt::detail::ascent<ticks>{3 + (x + 4) / 5 * 2, x}; };
  const auto found = takt::least_fixed_point(ticks{3}, ticks{100}, step);
  CHECK(found.reason == takt::stop_reason::converged);
  CHECK(found.value == 5);
  CHECK(takt::least_fixed_point(ticks{3}, ticks{5}, step).exists());
  CHECK(takt::least_fixed_point(ticks{3}, ticks{4}, step).reason == takt::stop_reason::exceeds_limit);
  const auto runaway = [](ticks x) { return takt::detail::ascent<ticks>{x + 1, x}; };
  CHECK(takt::least_fixed_point(ticks{0}, ticks{1'000'000'000}, runaway, 1000).reason ==
        takt::stop_reason::iteration_limit);
  CHECK_FALSE(takt::least_fixed_point(ticks{0}, ticks{1'000'000'000}, runaway, 1000).exists());
}

TEST_CASE("a nanosecond behind ten milliseconds converges in few steps" * takt_tests::traces("RTGPU-6")) {
  const table t = table_of({{"long", 1'000'000'000, 1'000'000'000, {{10'000'000, 10'000'000}}, {}, {}},
                            {"short", 1'000'000'000, 1'000'000'000, {{1, 1}}, {}, {}}});
  takt::analysis::rtgpu a(t, board(1, 1));
  REQUIRE(a.evaluate(0));
  REQUIRE(a.evaluate(1));
  CHECK(a.bound(1).value == 20'000'001);
  takt::analysis::workload_model<ticks, 1, 1, 1> w;
  w.pack(0, {takt::analysis::element<ticks>{0, {10'000'000, 10'000'000}}}, 0, 1, 1'000'000'000, 1'000'000'000);
  int steps = 0;
  const auto r = takt::least_fixed_point(ticks{1}, ticks{1'000'000'000}, [&](ticks x) {
    ++steps;
    const auto d = w.demand(0, 0, x);
    return takt::detail::ascent<ticks>{d.value + 1, d.grows_until};
  });
  CHECK(r.value == 20'000'001);
  CHECK(steps <= 5);
}

TEST_CASE("crossing bursts at once finds the same fixed points as single steps" * takt_tests::traces("RTGPU-6")) {
  std::mt19937 engine{3};
  for (int round = 0; round < 300; ++round) {
    takt::analysis::workload_model<ticks, 1, 5, 1> w;
    std::array<takt::analysis::element<ticks>, 5> e{};
    ticks total = 0;
    for (std::size_t j = 0; j < e.size(); ++j) {
      const auto length = static_cast<ticks>(1 + engine() % 9);
      e[j] = {j % 2 == 0 ? 0 : -1, {length, length}};
      total += length;
    }
    const ticks period = total + static_cast<ticks>(engine() % 30);
    w.pack(0, e, 0, e.size(), period, period);
    const auto own = static_cast<ticks>(1 + engine() % 12);
    const auto jump = [&](ticks x) {
      const auto d = w.demand(0, 0, x);
      return takt::detail::ascent<ticks>{d.value + own, d.grows_until};
    };
    const auto creep = [&](ticks x) { return takt::detail::ascent<ticks>{w.demand(0, 0, x).value + own, x}; };
    const auto a = takt::least_fixed_point(own, ticks{10'000}, jump);
    const auto b = takt::least_fixed_point(own, ticks{10'000}, creep);
    REQUIRE(a.reason == b.reason);
    if (a.exists()) { REQUIRE(a.value == b.value); }
  }
}

TEST_CASE("segmented self-suspension by itself, with no GPU in sight" * takt_tests::traces("RTGPU-7")) {
  takt::analysis::segmented_suspension<ticks, 4, 16> s;
  const auto high = s.add(20, 20, std::array<range, 3>{{{2, 2}, {3, 3}, {2, 2}}});
  CHECK(high.best.value == 7);
  // A window that starts with the second segment meets the next job's first one at once, and after a gap of 3 its
  // second: 4 + 2 + 2 + 2.
  const auto low = s.add(40, 40, std::array<range, 1>{{{4, 4}}});
  CHECK(low.best.exists);
  CHECK(low.best.value == 10);
  const auto late = s.add(50, 9, std::array<range, 1>{{{4, 4}}});
  CHECK_FALSE(late.best.exists);
}

TEST_CASE("the plain analysis equals the RTGPU analysis on tasks whose suspensions are kernels" *
          takt_tests::traces("RTGPU-7")) {
  std::mt19937 engine{5};
  const auto draw = [&engine](ticks low, ticks high) {
    return low + static_cast<ticks>(engine() % static_cast<unsigned long>(high - low + 1));
  };
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<task_of> tasks;
    std::vector<std::array<range, 3>> pieces;
    for (int i = 0; i < 3; ++i) {
      const range c0{draw(1, 4), draw(4, 6)};
      const range c1{draw(1, 4), draw(4, 6)};
      const range g{draw(1, 9), draw(9, 12)};
      const ticks period = 30 * (i + 1) + draw(0, 30);
      tasks.push_back(
          {std::string_view{"abc"}.substr(static_cast<std::size_t>(i)), period, period, {c0, c1}, {}, {{g}}});
      pieces.push_back({c0, g, c1});
    }
    const table t = table_of(tasks);
    takt::analysis::rtgpu a(t, board(3, 1));
    takt::analysis::segmented_suspension<ticks, 4, 16> s;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& p = pieces[t.tasks[k].id];
      a.assign(k, {0, 1});
      const bool meets = a.evaluate(k);
      const auto& b = s.add(t.tasks[k].period, t.tasks[k].deadline, p);
      REQUIRE(b.best.exists == meets);
      if (!meets) { break; }
      REQUIRE(b.best.value == a.bound(k).value);
      ++compared;
    }
  }
  CHECK(compared > 200);
}
