// SPDX-License-Identifier: Apache-2.0
// The checker of traces finds each thing that a run may do wrong, and nothing in a run that does nothing wrong.
#include "support/trace_checker.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using takt::mark_kind;
using takt::stage;
using takt::ticks;
using trace_checker::complaint;
using trace_checker::legal;

/// Two tasks: time on a processor, then a kernel.
auto two_tasks() -> takt::runtime_task_set<2, 4> {
  takt::runtime_task_set<2, 4> out;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(out.add_task({.name = "t", .period = 100, .deadline = 100}));
    REQUIRE(out.add_visit({.where = takt::resource_kind::processor}));
    REQUIRE(out.add_visit({.where = takt::resource_kind::gpu, .predecessors = 0b1}));
  }
  return out;
}
constexpr takt::track core{.where = stage::cpu};
constexpr takt::track gpu{.where = stage::kernel};
auto sm(std::int32_t index) -> takt::track { return {.where = stage::kernel, .index = index}; }

/// A job of each task, one after the other, and what a test adds.
class seen {
 public:
  seen() {
    job(0, 0, 0, 30);
    job(1, 0, 30, 60);
  }
  auto job(std::uint32_t task, std::uint64_t number, ticks from, ticks to) -> seen& {
    trace.record(takt::mark{mark_kind::release, task, number, from});
    trace.record(takt::mark{mark_kind::completion, task, number, to});
    return slice(task, 0, number, core, from, from + 10).slice(task, 1, number, gpu, from + 10, to);
  }
  auto slice(std::uint32_t task, std::uint32_t visit, std::uint64_t job, takt::track on, ticks from, ticks to)
      -> seen& {
    trace.record(takt::slice{task, visit, job, on, from, to});
    return *this;
  }
  [[nodiscard]] auto says(const legal& l = {}) const -> std::string { return complaint(trace, two_tasks(), l); }

  takt::trace trace;
};
auto finds(const std::string& what, const std::string& said) -> bool {
  CAPTURE(said);
  CHECK(said.find(what) != std::string::npos);
  return true;
}

}  // namespace

TEST_CASE("a legal trace raises no complaint, whatever is asked of it") {
  const legal all{.gpus = {{.at_once = 1, .own_parts = true}},
                  .opens = {0, 10, -1, 0},
                  .lengths = {{10, 10}, {20, 20}, {10, 10}, {20, 20}},
                  .exact = true,
                  .sections = {{0, 0b11, 0}, {1, 0b11, 0}},
                  .tokens = {1}};
  CHECK(seen{}.job(0, 1, 100, 130).says(all).empty());
  CHECK(seen{}.job(1, 1, 100, 130).says({.gpus = {{.cores_apart = true}}}).empty());
}

TEST_CASE("two on one processor, or on a GPU that has one kernel at a time, are found") {
  finds("at once on one unit", seen{}.slice(1, 0, 0, core, 5, 15).says());
  CHECK(seen{}.slice(1, 1, 0, gpu, 40, 60).says({.gpus = {{.at_once = 2}}}).empty());
  finds("at once on one unit", seen{}.slice(0, 1, 0, gpu, 29, 45).says({.gpus = {{.at_once = 1}}}));
  finds("at once on one unit", seen{}.slice(0, 1, 0, gpu, 20, 25).says({.gpus = {{.own_parts = true}}}));
}

TEST_CASE("cores of a GPU are found that have two kernels, or one beside a kernel that has all cores") {
  const auto with = [](std::int32_t first, std::int32_t second) {
    takt::trace out;
    out.record(takt::slice{0, 1, 0, sm(first), 0, 10});
    out.record(takt::slice{1, 1, 0, sm(second), 5, 15});
    return complaint(out, two_tasks(), {.gpus = {{.cores_apart = true}}});
  };
  CHECK(with(0, 1).empty());
  finds("at once on one unit", with(1, 1));
  finds("has all cores", with(takt::unassigned_core, 1));
  finds("has all cores", with(0, takt::unassigned_core));
}

TEST_CASE("visits out of order, and jobs of one task at once, are found") {
  finds("before visit 0 has ended", seen{}.slice(1, 1, 0, sm(1), 35, 60).says());
  finds("two jobs of a task at once", seen{}.slice(0, 1, 1, sm(1), 25, 35).says());
  finds("is no visit", seen{}.slice(0, 2, 0, sm(1), 60, 65).says());
  finds("ends before it starts", seen{}.slice(0, 1, 0, gpu, 29, 28).says());
}

TEST_CASE("a start before the release or the guard, and an end after the completion, are found") {
  finds("before its release", seen{}.slice(1, 0, 0, takt::track{.index = 1}, 25, 30).says());
  finds("before its release", seen{}.slice(0, 0, 7, core, 70, 80).says());
  finds("before its guard", seen{}.says({.opens = {0, 11, 0, 0}}));
  finds("after its completion", seen{}.slice(1, 1, 0, gpu, 60, 61).says());
}

TEST_CASE("a visit in two places at once, and a job that comes or completes twice, are found") {
  finds("two places at once", seen{}.slice(1, 0, 0, takt::track{.index = 1}, 35, 39).says());
  CHECK(seen{}.slice(1, 1, 0, sm(1), 42, 50).says().empty());
  for (const auto what : {mark_kind::release, mark_kind::completion}) {
    seen twice;
    twice.trace.record(takt::mark{what, 0, 0, what == mark_kind::release ? 0 : 30});
    finds("twice", twice.says());
  }
}

TEST_CASE("a result that says something else than its trace is found") {
  using result = takt::observation<std::vector<takt::observed_task<ticks>>, std::vector<ticks>>;
  const auto says = [](const auto& change) {
    seen s;
    s.job(0, 1, 100, 150);
    s.trace.record(takt::mark{mark_kind::miss, 0, 1, 140});
    result told;
    told.tasks = {{.completed = 2, .misses = 1, .worst_response = 50, .best_response = 30, .visit_count = 2},
                  {.completed = 1, .worst_response = 30, .best_response = 30, .first_visit = 2, .visit_count = 2}};
    told.visit_responses = {10, 40, 12, 20};
    change(told);
    return trace_checker::disagreement(s.trace, told);
  };
  CHECK(says([](result&) {}).empty());
  finds("task 0: completed 3", says([](result& r) { r.tasks[0].completed = 3; }));
  finds("task 0: misses 0", says([](result& r) { r.tasks[0].misses = 0; }));
  finds("task 1: worst response 29", says([](result& r) { r.tasks[1].worst_response = 29; }));
  finds("task 1: best response 31", says([](result& r) { r.tasks[1].best_response = 31; }));
  finds("task 0 job 1 visit 1 took 40", says([](result& r) { r.visit_responses[1] = 39; }));
}

TEST_CASE("a visit that is left out, or takes too long, is found") {
  finds("less than its shortest time", seen{}.says({.lengths = {{10, 10}, {21, 25}}}));
  finds("more than its longest time", seen{}.says({.lengths = {{10, 10}, {10, 15}}, .exact = true}));
  CHECK(seen{}.says({.lengths = {{10, 10}, {10, 15}}}).empty());
}

TEST_CASE("more holders than tokens are found, though they are never on one unit") {
  const legal one{.sections = {{0, 0b11, 0}, {1, 0b11, 0}}, .tokens = {1}};
  const legal two{.sections = {{0, 0b11, 0}, {1, 0b11, 0}}, .tokens = {2}};
  const takt::track other{.index = 1};
  seen beside;
  beside.job(1, 1, 70, 100).slice(0, 0, 1, other, 95, 110);
  beside.trace.record(takt::mark{mark_kind::release, 0, 1, 95});
  finds("tokens", beside.says(one));
  CHECK(beside.says(two).empty());
}
