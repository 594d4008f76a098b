// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/simulate.hpp>
#include "support/traces.hpp"

using namespace takt::simulation;
using takt::ticks;

namespace {

using instants = std::vector<ticks>;
constexpr takt::thread_rank above_all{.point = -1};

[[nodiscard]] auto engine_of(interrupt_workload& w, std::int32_t device) -> std::int32_t {
  return w.engine(device, {.where = takt::stage::copy});
}

/// The bottom halves of the low task, 5 long, and of the high one are both due when the urgent task has ended.
[[nodiscard]] auto two_pending() -> interrupt_workload {
  interrupt_workload w;
  const std::int32_t device = w.device();
  const std::int32_t a = engine_of(w, device);
  const std::int32_t b = engine_of(w, device);
  w.task(0).execute(10).released(2);
  w.task(1).execute(1).operate({.engine = a, .time = 6, .top_half = 1, .bottom_half = 2}).execute(1).released(0);
  w.task(3).execute(4).released(3);
  w.task(5).execute(1).operate({.engine = b, .time = 3, .top_half = 1, .bottom_half = 5}).execute(1).released(0);
  return w;
}

/// Twelve operations end at 5, when an urgent task is about to start; a long task is less important than all.
[[nodiscard]] auto burst() -> interrupt_workload {
  interrupt_workload w;
  const std::int32_t device = w.device();
  for (std::int64_t i = 0; i < 12; ++i) {
    w.task(10 + i).operate({.engine = engine_of(w, device), .time = 5, .top_half = 1, .bottom_half = 1}).released(0);
  }
  w.task(0).execute(4).released(6);
  w.task(30).execute(50).released(6);
  return w;
}

/// Bottom halves of 2 are due at 7, 12 and 17, while an urgent task computes from 4 on.
[[nodiscard]] auto regular_low_users() -> interrupt_workload {
  interrupt_workload w;
  const std::int32_t device = w.device();
  w.task(1).execute(8).released(4);
  for (std::int64_t i = 0; i < 3; ++i) {
    w.task(5 + i)
        .execute(1)
        .operate({.engine = engine_of(w, device), .time = 5 + 4 * i, .top_half = 1, .bottom_half = 2})
        .execute(1)
        .released(0);
  }
  return w;
}

}  // namespace

TEST_CASE("a bottom half runs at the priority of the job that waits for it, the most important first" *
          takt_tests::traces("GSD-45")) {
  const interrupt_result each = simulate_interrupts(two_pending(), individual_halves{});
  REQUIRE_FALSE(each.error);
  CHECK(each.finishes == instants{14, 17, 21, 27});
  CHECK(each.behind_threads(1) == 0);
  CHECK(each.behind_threads(2) == 0);

  const interrupt_result by_arrival = simulate_interrupts(two_pending(), inheriting_halves{});
  CHECK(by_arrival.finishes == instants{14, 22, 26, 27});
  CHECK(by_arrival.behind_threads(1) == 5);
}

TEST_CASE("a bottom half that has begun is hurried by a more important one behind it" * takt_tests::traces("GSD-45")) {
  interrupt_workload w;
  const std::int32_t device = w.device();
  const std::int32_t a = engine_of(w, device);
  const std::int32_t b = engine_of(w, device);
  w.task(1).execute(1).operate({.engine = a, .time = 4, .bottom_half = 2}).released(0);
  w.task(3).execute(9).released(4);
  w.task(5).execute(1).operate({.engine = b, .time = 1, .bottom_half = 5}).released(0);
  const interrupt_result r = simulate_interrupts(w, individual_halves{});
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(1).bottom_half == part_times{3, 9});
  CHECK(r.lives.at(0).bottom_half == part_times{9, 11});
  CHECK(r.finishes == instants{11, 19, 19});
}

TEST_CASE("soft interrupts: ten when the interrupt returns, before any task, and the rest after all tasks" *
          takt_tests::traces("GSD-42")) {
  const interrupt_result r = simulate_interrupts(burst(), soft_interrupts{});
  REQUIRE_FALSE(r.error);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto at = static_cast<ticks>(17 + i);
    CHECK(r.lives.at(i).bottom_half == part_times{at, at + 1});
    CHECK(r.finishes.at(i) == 31);
  }
  CHECK(r.finishes.at(12) == 31);
  CHECK(r.behind_interrupts(12) == 21);
  CHECK(r.finishes.at(13) == 81);
  CHECK(r.finishes.at(10) == 82);
  CHECK(r.finishes.at(11) == 83);
  CHECK(r.behind_threads(10) == 50);

  const interrupt_result threaded = simulate_interrupts(burst(), inheriting_halves{});
  CHECK(threaded.finishes.at(12) == 21);
  CHECK(threaded.behind_interrupts(12) == 11);
  CHECK(threaded.finishes.at(11) == 33);
  CHECK(threaded.finishes.at(13) == 83);
}

TEST_CASE("an interrupt during soft interrupts is handled first, and gives them no new turn" *
          takt_tests::traces("GSD-42")) {
  interrupt_workload w;
  const std::int32_t device = w.device();
  w.task(1).operate({.engine = engine_of(w, device), .time = 1, .top_half = 1, .bottom_half = 6}).released(0);
  w.task(2).operate({.engine = engine_of(w, device), .time = 4, .top_half = 1, .bottom_half = 1}).released(0);
  w.task(3).execute(3).released(0);
  const interrupt_result r = simulate_interrupts(w, soft_interrupts{1});
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(0).bottom_half == part_times{2, 9});
  CHECK(r.lives.at(1).top_half == part_times{4, 5});
  CHECK(r.lives.at(1).bottom_half == part_times{11, 12});
  CHECK(r.finishes == instants{9, 12, 11});
}

TEST_CASE("a server with a budget bounds what bottom halves take, and its budget is what jobs wait for" *
          takt_tests::traces("GSD-44")) {
  const served_halves policy{above_all, sporadic_server{2, 10}};
  const interrupt_result r = simulate_interrupts(regular_low_users(), policy);
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(0).bottom_half == part_times{7, 9});
  CHECK(r.lives.at(1).bottom_half == part_times{17, 19});
  CHECK(r.lives.at(2).bottom_half == part_times{27, 29});
  CHECK(r.finishes == instants{16, 20, 21, 30});
  CHECK(r.behind_threads(0) == 2);

  const interrupt_result unlimited = simulate_interrupts(regular_low_users(), fixed_priority_halves{above_all});
  CHECK(unlimited.finishes == instants{21, 22, 23, 24});
  CHECK(unlimited.behind_threads(0) == 6);
}

TEST_CASE("a server never uses more than its budget within a period, however it is asked" *
          takt_tests::traces("GSD-44")) {
  takt::random_stream random{44};
  for (int round = 0; round < 300; ++round) {
    const ticks budget = random.between(1, 6);
    const ticks period = random.between(budget, 20);
    sporadic_server server{budget, period};
    std::vector<ticks> used(200, 0);
    ticks in_all = 0;
    for (ticks now = 0; now < 200;) {
      const ticks most = std::min({server.available(now), random.between(0, 5), 200 - now});
      if (most > 0) {
        server.use(now, now + most);
        for (ticks t = now; t < now + most; ++t) { used[static_cast<std::size_t>(t)] = 1; }
        now += most;
        in_all += most;
      } else {
        const ticks refill = server.next_refill(now);
        REQUIRE((server.available(now) > 0 || (refill > now && refill <= now + period)));
        now = server.available(now) > 0 || random.chance(1, 3) ? now + 1 : refill;
      }
    }
    REQUIRE(in_all > 0);
    ticks within = 0;
    for (std::size_t t = 0; t < used.size(); ++t) {
      within += used[t];
      if (t >= static_cast<std::size_t>(period)) { within -= used[t - static_cast<std::size_t>(period)]; }
      REQUIRE(within <= budget);
    }
  }
}

TEST_CASE("a server that is always asked uses its whole budget in every period" * takt_tests::traces("GSD-44")) {
  sporadic_server server{3, 8};
  ticks used = 0;
  for (ticks now = 0; now < 80; ++now) {
    if (server.available(now) == 0) { continue; }
    server.use(now, now + 1);
    ++used;
  }
  CHECK(used == 30);
}

TEST_CASE("a work item is done with its bottom half by one thread, and no rank runs on two processors" *
          takt_tests::traces("GSD-86")) {
  interrupt_workload w;
  const std::int32_t device = w.device(1);
  const std::int32_t a = engine_of(w, device);
  const std::int32_t b = engine_of(w, device);
  w.task(1).operate({.engine = a, .time = 2, .bottom_half = 2, .work_item = 3}).released(0);
  w.task(3).execute(10).released(0);
  w.task(5).operate({.engine = b, .time = 2, .bottom_half = 4}).released(0);
  const interrupt_result r = simulate_interrupts(w, inheriting_halves{}, {.processors = 2});
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(0).bottom_half == part_times{2, 7});
  CHECK(r.lives.at(1).bottom_half == part_times{7, 11});
  CHECK(r.finishes == instants{7, 10, 11});
  CHECK(r.doubled == 0);
}

TEST_CASE("each device's daemon is below every job until one is suspended there, and then as urgent as it" *
          takt_tests::traces("GSD-84")) {
  interrupt_workload w;
  const std::int32_t used = engine_of(w, w.device());
  const std::int32_t other = engine_of(w, w.device());
  w.task(1).execute(1).operate({.engine = used, .time = 1, .bottom_half = 1}).released(1);
  w.task(3).execute(20).released(2);
  w.task(5).operate({.engine = used, .time = 4, .bottom_half = 2}).released(0);
  w.task(6).operate({.engine = other, .time = 4, .bottom_half = 2}).released(0);
  const interrupt_result r = simulate_interrupts(w, inheriting_halves{});
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(0).bottom_half == part_times{4, 6});
  CHECK(r.lives.at(2).bottom_half == part_times{7, 8});
  CHECK(r.lives.at(1).bottom_half == part_times{25, 27});
  CHECK(r.finishes == instants{8, 25, 25, 27});

  constexpr takt::thread_rank any_job{.point = std::numeric_limits<std::int64_t>::max()};
  CHECK(any_job < inheriting_halves{}.rank({}));
}

TEST_CASE("a daemon that inherits until its job wakes up runs beside the job's callback thread at one rank" *
          takt_tests::traces("GSD-84")) {
  interrupt_workload w;
  const std::int32_t device = w.device(1);
  const std::int32_t a = engine_of(w, device);
  const std::int32_t b = engine_of(w, device);
  w.task(1).operate({.engine = a, .time = 2, .top_half = 1, .bottom_half = 1, .callback = 5}).released(0);
  w.task(3).execute(10).released(0);
  w.task(5).operate({.engine = b, .time = 2, .top_half = 1, .bottom_half = 4}).released(0);
  const interrupt_result published = simulate_interrupts(w, inheriting_halves{lending::until_woken}, {.processors = 2});
  REQUIRE_FALSE(published.error);
  CHECK(published.doubled == 4);
  CHECK(published.finishes == instants{9, 15, 9});

  const interrupt_result r = simulate_interrupts(w, inheriting_halves{}, {.processors = 2});
  CHECK(r.doubled == 0);
  CHECK(r.finishes == instants{9, 11, 13});
}
