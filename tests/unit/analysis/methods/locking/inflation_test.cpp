// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <span>

#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/analysis/methods/locking/suspension_aware.hpp>
#include <takt/analysis/methods/locking/suspension_oblivious.hpp>
#include <takt/core/rational.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::analysis;
using takt::rational;
using takt::ticks;

template <class Number>
using table = takt::task_table<Number, 4, 12>;

/// Three tasks with a section each, on two cores.
template <class Number>
[[nodiscard]] auto three_tasks() -> table<Number> {
  table<Number> out;
  const auto add = [&out](const char* name, int period, int deadline, int core) {
    out.add_task(name, Number(period), Number(deadline), takt::no_priority, core);
    out.add_segment({.where = takt::stage::cpu, .time = {Number(1), Number(2)}});
    out.add_segment({.where = takt::stage::kernel, .time = {Number(1), Number(4)}});
    out.add_segment({.where = takt::stage::cpu, .time = {Number(0), Number(1)}});
  };
  add("a", 20, 18, 0);
  add("b", 30, 30, 1);
  add("c", 90, 60, 0);
  out.tasks[0].id = 2;
  out.tasks[2].id = 0;
  return out;
}

template <class Number>
using waits = std::array<blocking_bound<Number>, 3>;

}  // namespace

TEST_CASE_TEMPLATE("inflation by the blocking bound makes independent tasks of e + b each" *
                       takt_tests::traces("GSD-29"),
                   Number, ticks, rational) {
  const auto dependent = three_tasks<Number>();
  const std::array<Number, 3> execution{Number(7), Number(7), Number(7)};
  const auto one = k_fmlp_by_count<Number>(3, 2, Number(4));
  const waits<Number> blocking{one, per_job(2, one), {}};
  const auto out =
      inflate(dependent, std::span<const Number>(execution), std::span<const blocking_bound<Number>>(blocking));
  REQUIRE(out.status == blocking_status::bounded);
  REQUIRE(out.table.size() == 3);
  const std::array<Number, 3> expected{Number(11), Number(15), Number(7)};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& t = out.table.tasks[k];
    REQUIRE(t.segment_count == 1);
    CHECK(out.table.segment(k, 0).where == takt::stage::cpu);
    CHECK(out.table.segment(k, 0).time.upper == expected[k]);
    CHECK(t.name == dependent.tasks[k].name);
    CHECK(t.period == dependent.tasks[k].period);
    CHECK(t.deadline == dependent.tasks[k].deadline);
    CHECK(t.core == dependent.tasks[k].core);
    CHECK(t.id == dependent.tasks[k].id);
  }

  const takt::platform_record cores{.cores = 2, .copy_engines = 0, .gpus = {}};
  using analysis_type = fixed_priority_rta<independent_table<table<Number>>>;
  REQUIRE(!analysis_type::fits(out.table, cores));
  analysis_type rta(out.table, cores);
  CHECK(rta.evaluate(0));
  CHECK(rta.evaluate(1));
  CHECK(rta.evaluate(2));
  CHECK(rta.bound(0).value == Number(11));
  CHECK(rta.bound(1).value == Number(15));
  CHECK(rta.bound(2).value == Number(18));
}

TEST_CASE("inflation passes on what has no bound, does not fit or is negative, and names the task") {
  const auto dependent = three_tasks<ticks>();
  std::array<ticks, 3> execution{7, 7, 7};
  waits<ticks> blocking{};
  const auto check = [&](blocking_status expected, std::uint32_t task) {
    const auto out =
        inflate(dependent, std::span<const ticks>(execution), std::span<const blocking_bound<ticks>>(blocking));
    CHECK(out.status == expected);
    CHECK(out.task == task);
  };
  check(blocking_status::bounded, takt::no_index);
  blocking[0].time = std::numeric_limits<ticks>::max();
  check(blocking_status::overflow, 2);
  blocking[0].time = std::numeric_limits<ticks>::max() / 4;
  check(blocking_status::overflow, takt::no_index);
  blocking[0] = r2dglp_with_limit<ticks>(4, 1, 3, 10);
  check(blocking_status::queue_limit_too_small, 2);
  blocking[0] = {};
  execution[1] = -1;
  check(blocking_status::wrong_input, 1);
}

TEST_CASE("as suspension a wait costs lower tasks jitter only; as execution it costs them all of it") {
  const auto dependent = three_tasks<ticks>();
  const auto cpu = [](std::size_t) { return ticks{3}; };
  const auto response = [](std::size_t) { return ticks{11}; };
  // 7 own, and ceil((x + 8) / 20) jobs of 3 from above.
  CHECK(suspension_aware_response(dependent, 2, ticks{7}, cpu, response).value == 10);
  // At 13 the window with its jitter has passed the second release.
  CHECK(suspension_aware_response(dependent, 2, ticks{10}, cpu, response).value == 16);
  CHECK(suspension_aware_response(dependent, 1, ticks{15}, cpu, response).value == 15);
  CHECK(!suspension_aware_response(dependent, 2, ticks{58}, cpu, response).exists());
}
