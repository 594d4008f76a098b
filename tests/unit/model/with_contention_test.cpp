// SPDX-License-Identifier: Apache-2.0
#include <takt/model/with_contention.hpp>

#include <array>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<3, 8, 2, 4>;

constexpr auto two_tasks(ticks work = 101) -> tasks_type {
  tasks_type out;
  for (const char* const name : {"a", "b"}) {
    static_cast<void>(out.add_task({.name = name, .period = 1000, .deadline = 1000}));
    takt::runtime_visit cpu{.where = resource_kind::processor};
    cpu.known.add(visit_fact::time);
    cpu.time = {1, 10};
    static_cast<void>(out.add_visit(cpu));
    takt::runtime_visit kernel{.where = resource_kind::gpu, .predecessors = 1};
    kernel.known.add(visit_fact::work);
    kernel.known.add(visit_fact::overhead);
    kernel.known.add(visit_fact::preemption_cost);
    kernel.work = {50, work};
    kernel.overhead = 7;
    kernel.preemption_cost = 4;
    static_cast<void>(out.add_visit(kernel));
  }
  return out;
}
constexpr auto pressing() -> takt::contention_matrix<3> {
  takt::contention_matrix<3> out;
  out.set(0, 1, 200'000);
  out.set(0, 2, 50'000);
  return out;
}

}  // namespace

TEST_CASE("kernels of a task that others slow down take as long as with all of them, rounded up") {
  static constexpr auto longer = takt::with_contention(two_tasks(), pressing());
  static_assert(!longer.error);
  static_assert(takt::growth_ppm(pressing(), 0) == 250'000);
  const auto& v = longer.tasks.visit(0, 1);
  CHECK(v.work == takt::interval<ticks>{50, 127});
  CHECK(v.overhead == 9);
  CHECK(v.preemption_cost == 4);
  CHECK(longer.tasks.visit(0, 0) == two_tasks().visit(0, 0));
  CHECK(longer.tasks.visit(1, 1) == two_tasks().visit(1, 1));
}

TEST_CASE("times on SMs and by share grow as well, and what is unbounded stays so") {
  auto tasks = two_tasks();
  auto& v = tasks.visits[1];
  v.known = {};
  v.known.add(visit_fact::times_on_sms);
  v.known.add(visit_fact::wcet_by_share);
  REQUIRE(tasks.samples.try_push_back({10, 99}));
  v.first_sample = 0;
  v.samples = 1;
  std::array<ticks, takt::wcet_row::shares> times{};
  times.fill(80);
  times[0] = takt::unbounded_time;
  REQUIRE(tasks.rows.try_push_back(takt::wcet_row::measured(times)));
  const auto longer = takt::with_contention(tasks, pressing());
  REQUIRE_FALSE(longer.error);
  CHECK(longer.tasks.samples[0] == takt::interval<ticks>{10, 124});
  CHECK(longer.tasks.rows[0].at(takt::share::bounded(1)) == takt::unbounded_time);
  CHECK(longer.tasks.rows[0].at(takt::share::bounded(50)) == 100);
}

TEST_CASE("what does not fit any more is named, with its task and visit") {
  const auto longer = takt::with_contention(two_tasks(std::numeric_limits<ticks>::max() / 1'000'000), pressing());
  CHECK(longer.error.fault == takt::model_fault::time_overflow);
  CHECK(longer.error.task == 0);
  CHECK(longer.error.visit == 1);
  CHECK(longer.error.name == "a");
}

TEST_CASE("shortest times count where a task has several visits and one of them has some") {
  auto tasks = two_tasks();
  CHECK_FALSE(takt::only_upper_times_count(tasks));
  for (auto& v : tasks.visits) { v.time.lower = v.work.lower = 0; }
  CHECK(takt::only_upper_times_count(tasks));
  tasks_type single;
  REQUIRE(single.add_task({.name = "a", .period = 9, .deadline = 9}));
  REQUIRE(single.add_visit(two_tasks().visits[0]));
  CHECK(takt::only_upper_times_count(single));
}
