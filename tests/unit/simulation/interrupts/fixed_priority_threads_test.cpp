// SPDX-License-Identifier: Apache-2.0
// Four ways to give the thread of a device a priority, with lengths of our own: the figures have none.
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/simulate.hpp>
#include "support/traces.hpp"

using namespace takt::simulation;
using takt::thread_rank;
using takt::ticks;

namespace {

constexpr std::int64_t high = 1;
constexpr std::int64_t middle = 3;
constexpr std::int64_t low = 5;
constexpr thread_rank above_high{.point = 0};
constexpr thread_rank above_middle{.point = 2};
constexpr thread_rank below_middle{.point = 4};

[[nodiscard]] auto engines(interrupt_workload& w, std::int32_t count) -> std::int32_t {
  const std::int32_t device = w.device();
  for (std::int32_t i = 0; i < count; ++i) { w.engine(device, {.where = takt::stage::copy, .index = i}); }
  return device;
}
[[nodiscard]] auto operation(ticks time, std::int32_t engine = 0, ticks bottom_half = 2) -> device_operation {
  return {.engine = engine, .time = time, .top_half = 1, .bottom_half = bottom_half};
}
[[nodiscard]] auto with_thread(const interrupt_workload& w, const thread_rank& rank) -> interrupt_result {
  return simulate_interrupts(w, fixed_priority_halves{rank});
}
[[nodiscard]] auto with_inheritance(const interrupt_workload& w) -> interrupt_result {
  return simulate_interrupts(w, inheriting_halves{});
}
/// The last time at which a job of the task needs a processor.
[[nodiscard]] auto last_need(const interrupt_result& r, std::size_t task) -> processor_need {
  processor_need last;
  for (const processor_need& n : r.needs) { last = n.task == task ? n : last; }
  return last;
}
using instants = std::vector<ticks>;

/// Only the middle task uses the device.
[[nodiscard]] auto one_user() -> interrupt_workload {
  interrupt_workload w;
  static_cast<void>(engines(w, 1));
  w.task(high).execute(3).released(5);
  w.task(middle).execute(2).operate(operation(4)).execute(2).released(0);
  w.task(low).execute(10).released(0);
  return w;
}
/// The high and the low task share the device, and the middle one computes for `time`.
[[nodiscard]] auto shared_around_middle(ticks time, ticks bottom_half = 2) -> interrupt_workload {
  interrupt_workload w;
  static_cast<void>(engines(w, 2));
  w.task(high).execute(1).operate(operation(3, 0, bottom_half)).execute(1).released(0);
  w.task(middle).execute(time).released(2);
  w.task(low).execute(1).operate(operation(200, 1)).execute(1).released(0);
  return w;
}
/// The low task's bottom half is due while the high one computes.
[[nodiscard]] auto due_under_high(ticks bottom_half) -> interrupt_workload {
  interrupt_workload w;
  static_cast<void>(engines(w, 1));
  w.task(high).execute(5).released(3);
  w.task(low).execute(1).operate(operation(4, 0, bottom_half)).execute(1).released(0);
  return w;
}
/// Three low tasks are served one after the other while the high one computes.
[[nodiscard]] auto many_low_users() -> interrupt_workload {
  interrupt_workload w;
  static_cast<void>(engines(w, 3));
  w.task(high).execute(8).released(4);
  w.task(low).execute(1).operate(operation(5, 0)).execute(1).released(0);
  w.task(low + 1).execute(1).operate(operation(9, 1)).execute(1).released(0);
  w.task(low + 2).execute(1).operate(operation(13, 2)).execute(1).released(0);
  return w;
}

/// At the rank of the job whose bottom half is next, whether or not that job is suspended.
struct careless_halves : takt::simulation::detail::interrupt_thread {
  [[nodiscard]] auto rank(const device_view& v) const noexcept -> thread_rank {
    return v.users[v.pending.front()].effective;
  }
};
static_assert(BottomHalfPolicy<careless_halves>);

}  // namespace

TEST_CASE("with one user of the device, a thread just above it is right (Fig. 2.13)" * takt_tests::traces("GSD-43")) {
  for (const interrupt_result& r : {with_thread(one_user(), above_middle), with_inheritance(one_user())}) {
    REQUIRE_FALSE(r.error);
    CHECK(r.finishes == instants{9, 13, 20});
    CHECK(r.lives.at(0).bottom_half == part_times{9, 11});
    CHECK(last_need(r, 0) == processor_need{.task = 0, .from = 5, .to = 9, .behind_interrupts = 1});
    CHECK(last_need(r, 1) == processor_need{.task = 1, .from = 6, .to = 13});
  }
}

TEST_CASE("a thread below the middle task makes the high one wait for that task's end (Fig. 2.14)" *
          takt_tests::traces("GSD-43")) {
  const interrupt_result r = with_thread(shared_around_middle(10), below_middle);
  REQUIRE_FALSE(r.error);
  CHECK(r.finishes == instants{16, 13, 206});
  CHECK(r.lives.at(0).top_half == part_times{4, 5});
  CHECK(r.lives.at(0).bottom_half == part_times{13, 15});
  CHECK(last_need(r, 0) == processor_need{.task = 0, .from = 4, .to = 16, .behind_threads = 8});
  CHECK(with_thread(shared_around_middle(100), below_middle).behind_threads(0) == 98);
  CHECK(with_thread(shared_around_middle(10, 5), below_middle).behind_threads(0) == 8);

  const interrupt_result inherited = with_inheritance(shared_around_middle(10));
  CHECK(inherited.finishes == instants{8, 16, 206});
  CHECK(inherited.behind_threads(0) == 0);
  CHECK(with_inheritance(shared_around_middle(100)).behind_threads(0) == 0);
}

TEST_CASE("a thread above the high task makes it wait for a bottom half of the low one (Fig. 2.15)" *
          takt_tests::traces("GSD-43")) {
  const interrupt_result r = with_thread(due_under_high(2), above_high);
  REQUIRE_FALSE(r.error);
  CHECK(r.finishes == instants{11, 12});
  CHECK(r.lives.at(0).bottom_half == part_times{6, 8});
  CHECK(last_need(r, 0) == processor_need{.task = 0, .from = 3, .to = 11, .behind_interrupts = 1, .behind_threads = 2});
  CHECK(with_thread(due_under_high(7), above_high).behind_threads(0) == 7);

  const interrupt_result inherited = with_inheritance(due_under_high(2));
  CHECK(inherited.finishes == instants{9, 12});
  CHECK(inherited.lives.at(0).bottom_half == part_times{9, 11});
  CHECK(last_need(inherited, 0) == processor_need{.task = 0, .from = 3, .to = 9, .behind_interrupts = 1});
}

TEST_CASE("a thread above the high task interrupts it again and again for many low ones (Fig. 2.16)" *
          takt_tests::traces("GSD-43")) {
  takt::trace seen;
  const interrupt_result r = simulate_interrupts(many_low_users(), fixed_priority_halves{above_high}, {}, seen);
  REQUIRE_FALSE(r.error);
  CHECK(r.finishes == instants{21, 22, 23, 24});
  CHECK(last_need(r, 0) == processor_need{.task = 0, .from = 4, .to = 21, .behind_interrupts = 3, .behind_threads = 6});
  instants pieces;
  for (const takt::slice& s : seen.slices()) {
    if (s.task == 0) { pieces.insert(pieces.end(), {s.start, s.end}); }
  }
  CHECK(pieces == instants{4, 6, 9, 11, 14, 16, 19, 21});

  const interrupt_result inherited = with_inheritance(many_low_users());
  CHECK(inherited.finishes == instants{14, 18, 21, 24});
  CHECK(last_need(inherited, 0) == processor_need{.task = 0, .from = 4, .to = 14, .behind_interrupts = 2});
}

TEST_CASE("a bottom half at the rank of a job that goes on doubles it and delays the one below (Fig. 2.17)" *
          takt_tests::traces("GSD-46")) {
  interrupt_workload w;
  const std::int32_t device = w.device(1);
  const std::int32_t engine = w.engine(device, {.where = takt::stage::kernel});
  w.task(high).begin(operation(2, engine, 3)).execute(10).await().released(0);
  w.task(low).execute(10).released(0);
  const interrupt_result doubled = simulate_interrupts(w, careless_halves{}, {.processors = 2});
  REQUIRE_FALSE(doubled.error);
  CHECK(doubled.doubled == 3);
  CHECK(doubled.finishes == instants{10, 14});

  const interrupt_result r = simulate_interrupts(w, inheriting_halves{}, {.processors = 2});
  CHECK(r.doubled == 0);
  CHECK(r.finishes == instants{13, 11});
  CHECK(r.lives.at(0).bottom_half == part_times{10, 13});
}
