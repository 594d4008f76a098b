// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <range/v3/range/conversion.hpp>

#include <takt/report/trace_queries.hpp>
#include <takt/simulation.hpp>

#include "fixtures.hpp"

using namespace fixtures;
using takt::deadline;
using takt::mark_kind;
using takt::observation_status;
using takt::period;
using takt::task;
using takt::task_set;

namespace {

auto times_of(const takt::trace& t, mark_kind what, std::uint32_t task) -> std::vector<takt::ticks> {
  return t.marks() | takt::views::of_task(task) | takt::views::marks_of(what) | takt::views::times |
         ranges::to<std::vector<takt::ticks>>;
}

using instants = std::vector<takt::ticks>;

}  // namespace

TEST_CASE("a late job goes on and the next one waits for it") {
  constexpr auto tasks = task_set(task("late", period(10_ns), deadline(8_ns), cpu(13)));
  takt::trace t;
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(0), {.horizon = 40_ns}, t);
  CHECK(r.status() == observation_status::missed);
  CHECK(r.tasks[0].released == 4);
  CHECK(r.tasks[0].completed == 3);
  CHECK(r.tasks[0].misses == 4);
  CHECK(r.tasks[0].late == 3);
  CHECK(r.tasks[0].first_miss == 8);
  CHECK(r.tasks[0].worst_response == 19);
  CHECK(r.tasks[0].total_response == 13 + 16 + 19);
  CHECK(r.tasks[0].mean_response() == 16);
  CHECK(times_of(t, mark_kind::release, 0) == instants{0, 10, 20, 30});
  CHECK(times_of(t, mark_kind::completion, 0) == instants{13, 26, 39});
  CHECK(times_of(t, mark_kind::miss, 0) == instants{8, 18, 28, 38});
  CHECK(spans_of(t, 0, 0, takt::stage::cpu) == spans{{0, 13}, {13, 26}, {26, 39}, {39, 40}});
}

TEST_CASE("a response equal to the deadline is none, one tick more is a miss") {
  constexpr auto meets = task_set(task("edge", period(10_ns), deadline(7_ns), cpu(7)));
  CHECK(takt::simulate(dedicated(), meets, takt::dedicate(0), {.horizon = 100_ns}).misses() == 0);
  constexpr auto fails = task_set(task("edge", period(10_ns), deadline(7_ns), cpu(8)));
  CHECK(takt::simulate(dedicated(), fails, takt::dedicate(0), {.horizon = 100_ns}).misses() == 10);
}

TEST_CASE("a job that completes at the release of the next one does not delay it") {
  constexpr auto full = task_set(task("full", period(10_ns), cpu(10)));
  takt::trace t;
  const auto r = takt::simulate(dedicated(), full, takt::dedicate(0), {.horizon = 50_ns}, t);
  CHECK(r.misses() == 0);
  CHECK(r.tasks[0].completed == 5);
  CHECK(r.tasks[0].worst_response == 10);
}

TEST_CASE("the horizon admits completions and ends releases") {
  constexpr auto tasks =
      task_set(task("a", period(10_ns), cpu(10)), task("b", period(100_ns), deadline(20_ns), cpu(5)));
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(0, 0), {.horizon = 20_ns});
  CHECK(r.end == 20);
  CHECK(r.tasks[0].released == 2);
  CHECK(r.tasks[0].completed == 2);
  CHECK(r.tasks[1].completed == 0);
  CHECK(r.tasks[1].misses == 1);
  CHECK(takt::simulate(dedicated(), tasks, takt::dedicate(0, 0), {.horizon = 19_ns}).misses() == 0);
  CHECK(takt::simulate(dedicated(), tasks, takt::dedicate(0, 0), {.horizon = 0_ns}).completed() == 0);
}

TEST_CASE("the first miss can stop the simulation") {
  constexpr auto tasks = task_set(task("good", period(10_ns), cpu(4)), task("bad", period(30_ns), cpu(19)));
  const auto r = takt::simulate(dedicated(), tasks, takt::dedicate(0, 0), {.horizon = 1_s, .stop_at_first_miss = true});
  CHECK(r.tasks[1].misses == 1);
  CHECK(r.tasks[1].first_miss == 30);
  CHECK(r.end == 30);
  CHECK(r.tasks[0].misses == 0);
}

TEST_CASE("a wrong model is an error, not a simulation") {
  constexpr auto plain = task_set(task("a", period(10_ns), takt::on_core(1), cpu(1), copy(1), kernel(1), cpu(1)));
  const auto fault_of = [](const auto& r) {
    CHECK(r.status() == observation_status::invalid_model);
    CHECK(r.tasks.empty());
    return r.error;
  };
  using takt::model_error;
  using takt::model_fault;
  CHECK(fault_of(takt::simulate(dedicated(), plain, takt::dedicate(1))) ==
        model_error{.fault = model_fault::core_out_of_range, .task = 0});
  CHECK(fault_of(takt::simulate(dedicated(2), plain, takt::dedicate(0))) ==
        model_error{.fault = model_fault::plan_does_not_fit, .task = 0});
  CHECK(fault_of(takt::simulate(dedicated(2), plain, takt::dedicate(5))).fault == model_fault::plan_does_not_fit);
  CHECK(fault_of(takt::simulate(dedicated(2), plain, takt::plan<1>{})).fault == model_fault::plan_does_not_fit);
  CHECK(fault_of(takt::simulate(dedicated(0), plain, takt::dedicate(1))).fault ==
        model_fault::platform_size_out_of_range);
  const auto cores_only = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority));
  CHECK(fault_of(takt::simulate(cores_only, plain, takt::plan<1>{})).fault == model_fault::kernel_without_gpu);
  const auto no_engine = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                        takt::pool(takt::virtual_sms(1, 1), takt::federated));
  CHECK(fault_of(takt::simulate(no_engine, plain, takt::dedicate(1))) ==
        model_error{.fault = model_fault::copy_without_engine, .task = 0, .visit = 1});
  const std::array early{takt::duration{-1}};
  CHECK(fault_of(takt::simulate(dedicated(2), plain, takt::dedicate(1), {.offsets = early})) ==
        model_error{.fault = model_fault::negative_time, .task = 0});
  CHECK(fault_of(takt::simulate(dedicated(2), plain, takt::dedicate(1), {.horizon = takt::duration::max()})).fault ==
        model_fault::time_overflow);
  const auto huge = takt::task_set(task("a", period(std::chrono::hours(24 * 365 * 200)), cpu(1)));
  CHECK(fault_of(takt::simulate(dedicated(), huge, takt::dedicate(0))).fault == model_fault::time_overflow);
  const auto wrong = takt::task_set(task("a", period(0_ns), cpu(1)));
  CHECK(fault_of(takt::simulate(dedicated(), wrong, takt::dedicate(0))).fault == model_fault::period_not_positive);
}
