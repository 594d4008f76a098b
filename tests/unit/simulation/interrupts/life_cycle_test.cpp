// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/simulate.hpp>
#include "support/traces.hpp"

using namespace takt::simulation;
using takt::stage;
using takt::ticks;

namespace {

using instants = std::vector<ticks>;
using piece = std::tuple<std::uint32_t, stage, std::int32_t, ticks, ticks>;  ///< segment, unit, from, to

constexpr takt::track first_copy_engine{.where = stage::copy, .index = 0};
constexpr takt::track second_copy_engine{.where = stage::copy, .index = 1};
constexpr takt::track whole_gpu{.where = stage::kernel};

[[nodiscard]] auto by_start(const takt::trace& t) -> std::vector<piece> {
  std::vector<piece> out;
  for (const takt::slice& s : t.slices()) {
    std::size_t i = out.size();
    for (; i > 0 && std::get<3>(out[i - 1]) > s.start; --i) {}
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), {s.segment, s.where.where, s.where.index, s.start, s.end});
  }
  return out;
}

/// The high task's operation ends at 4, and the low task computes all the time.
[[nodiscard]] auto callback_beside_computation(ticks callback, ticks computation) -> interrupt_workload {
  interrupt_workload w;
  const std::int32_t engine = w.engine(w.device(), whole_gpu);
  w.task(1)
      .execute(1)
      .operate({.engine = engine, .time = 3, .top_half = 1, .bottom_half = 1, .callback = callback})
      .execute(1)
      .released(0);
  w.task(5).execute(computation).released(0);
  return w;
}

}  // namespace

TEST_CASE("an operation is issued, its job suspends itself, and engine, halves and callback follow (Fig. 2.26)" *
          takt_tests::traces("GSD-58")) {
  interrupt_workload w;
  const std::int32_t gpu = w.device();
  const std::int32_t in = w.engine(gpu, first_copy_engine);
  const std::int32_t execution = w.engine(gpu, whole_gpu);
  const std::int32_t out = w.engine(gpu, second_copy_engine);
  const auto lasting = [](std::int32_t engine, ticks time) {
    return device_operation{.engine = engine, .time = time, .top_half = 1, .bottom_half = 2, .callback = 1};
  };
  w.task(1).execute(1).operate(lasting(in, 5)).operate(lasting(in, 5)).operate(lasting(execution, 10));
  w.execute(2).operate(lasting(out, 4)).execute(1).released(0);
  takt::trace seen;
  const interrupt_result r = simulate_interrupts(w, inheriting_halves{}, {}, seen);
  REQUIRE_FALSE(r.error);
  CHECK(r.finishes == instants{44});
  const auto life = [](std::int32_t engine, ticks issue, ticks end) {
    return operation_life{.engine_number = engine,
                          .requested = issue,
                          .engine = {issue, end},
                          .top_half = {end, end + 1},
                          .bottom_half = {end + 1, end + 3},
                          .callback = {end + 3, end + 4},
                          .resumed = end + 4};
  };
  CHECK(r.lives == std::vector{life(in, 1, 6), life(in, 10, 15), life(execution, 19, 29), life(out, 35, 39)});

  const auto on_cpu = [](std::uint32_t segment, ticks from, ticks to) {
    return piece{segment, stage::cpu, 0, from, to};
  };
  CHECK(by_start(seen) == std::vector<piece>{on_cpu(0, 0, 1),
                                             {1, stage::copy, 0, 1, 6},
                                             on_cpu(2, 6, 7),
                                             on_cpu(3, 7, 9),
                                             on_cpu(4, 9, 10),
                                             {5, stage::copy, 0, 10, 15},
                                             on_cpu(6, 15, 16),
                                             on_cpu(7, 16, 18),
                                             on_cpu(8, 18, 19),
                                             {9, stage::kernel, 0, 19, 29},
                                             on_cpu(10, 29, 30),
                                             on_cpu(11, 30, 32),
                                             on_cpu(12, 32, 33),
                                             on_cpu(13, 33, 35),
                                             {14, stage::copy, 1, 35, 39},
                                             on_cpu(15, 39, 40),
                                             on_cpu(16, 40, 42),
                                             on_cpu(17, 42, 43),
                                             on_cpu(18, 43, 44)});
  REQUIRE(seen.marks().size() == 2);
  CHECK(seen.marks()[0].what == takt::mark_kind::release);
  CHECK(seen.marks()[1].time == 44);
}

TEST_CASE("jobs take an engine in the order in which they ask, and the one that waits hurries the other" *
          takt_tests::traces("GSD-58")) {
  interrupt_workload w;
  const std::int32_t engine = w.engine(w.device(), whole_gpu);
  w.task(1).execute(1).operate({.engine = engine, .time = 4}).released(1);
  w.task(3).execute(20).released(2);
  w.task(5).operate({.engine = engine, .time = 6, .bottom_half = 2}).execute(1).released(0);
  const interrupt_result r = simulate_interrupts(w, inheriting_halves{});
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(1).requested == 2);
  CHECK(r.lives.at(0).bottom_half == part_times{6, 8});
  CHECK(r.lives.at(1).engine == part_times{8, 12});
  CHECK(r.finishes == instants{12, 24, 25});
}

TEST_CASE("a callback thread at its default priority delays an urgent task by an unrelated one (Fig. 2.19)" *
          takt_tests::traces("GSD-48")) {
  const interrupt_simulation_options by_default{.callbacks = {.inherit = false}};
  for (const ticks callback : {0, 1, 6}) {
    CAPTURE(callback);
    const auto w = callback_beside_computation(callback, 20);
    const interrupt_result r = simulate_interrupts(w, inheriting_halves{}, by_default);
    REQUIRE_FALSE(r.error);
    CHECK(r.lives.at(0).bottom_half == part_times{5, 6});
    CHECK(r.lives.at(0).callback == part_times{23, 23 + callback});
    CHECK(r.finishes == instants{24 + callback, 23});
    CHECK(r.behind_threads(0) == 17);

    const interrupt_result hurried = simulate_interrupts(w, inheriting_halves{});
    CHECK(hurried.lives.at(0).callback == part_times{6, 6 + callback});
    CHECK(hurried.finishes == instants{7 + callback, 24 + callback});
    CHECK(hurried.behind_threads(0) == 0);
  }
  const auto longer = callback_beside_computation(1, 120);
  CHECK(simulate_interrupts(longer, inheriting_halves{}, by_default).behind_threads(0) == 117);
}

TEST_CASE("a top half takes its processor at once and whole, and the bottom half is deferred" *
          takt_tests::traces("GSD-41")) {
  interrupt_workload w;
  const std::int32_t device = w.device();
  const std::int32_t a = w.engine(device, first_copy_engine);
  const std::int32_t b = w.engine(device, second_copy_engine);
  w.task(1).execute(8).released(2);
  w.task(5).execute(1).operate({.engine = a, .time = 3, .top_half = 2, .bottom_half = 1}).released(0);
  w.task(6).execute(1).operate({.engine = b, .time = 3, .top_half = 2, .bottom_half = 1}).released(0);
  const interrupt_result r = simulate_interrupts(w, inheriting_halves{});
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(0).top_half == part_times{4, 6});
  CHECK(r.lives.at(1).engine == part_times{2, 5});
  CHECK(r.lives.at(1).top_half == part_times{6, 8});
  CHECK(r.lives.at(0).bottom_half == part_times{14, 15});
  CHECK(r.lives.at(1).bottom_half == part_times{15, 16});
  CHECK(r.finishes == instants{14, 15, 16});
  CHECK(r.behind_interrupts(0) == 4);
}

TEST_CASE("an interrupted thread stays on its processor though another one is idle" * takt_tests::traces("GSD-41")) {
  interrupt_workload w;
  const std::int32_t engine = w.engine(w.device(0), whole_gpu);
  w.task(1).execute(10).released(0);
  w.task(3).operate({.engine = engine, .time = 2, .top_half = 3, .bottom_half = 1}).released(0);
  takt::trace seen;
  const interrupt_result r = simulate_interrupts(w, inheriting_halves{}, {.processors = 2}, seen);
  REQUIRE_FALSE(r.error);
  CHECK(r.lives.at(0).top_half == part_times{2, 5});
  CHECK(r.lives.at(0).bottom_half == part_times{5, 6});
  CHECK(r.finishes == instants{13, 6});
  for (const takt::slice& s : seen.slices()) { CHECK((s.task != 0 || s.where.index == 0)); }
}

TEST_CASE("an interrupt workload names its fault") {
  const auto fault = [](auto write, std::int32_t processors = 1) {
    interrupt_workload w;
    const std::int32_t engine = w.engine(w.device(), whole_gpu);
    write(w, device_operation{.engine = engine, .time = 1});
    return simulate_interrupts(w, inheriting_halves{}, {.processors = processors}).error.fault;
  };
  using workload = interrupt_workload;
  using fault_kind = takt::model_fault;
  CHECK(fault([](workload& w, const auto& o) { w.task(1).operate(o).released(0); }) == fault_kind::none);
  CHECK(fault([](workload& w, const auto& o) { w.operate(o).task(1); }) == fault_kind::malformed);
  CHECK(fault([](workload& w, const auto&) { w.execute(1); }) == fault_kind::malformed);
  CHECK(fault([](workload& w, const auto& o) { w.task(1).operate(o); }, 0) == fault_kind::no_processor);
  CHECK(fault([](workload& w, const auto&) { w.device(1); }) == fault_kind::unknown_processor);
  CHECK(fault([](workload& w, const auto&) { w.engine(1, {}); }) == fault_kind::unknown_device);
  CHECK(fault([](workload& w, const auto&) { w.task(1).operate({.engine = 1}); }) == fault_kind::unknown_engine);
  CHECK(fault([](workload& w, const auto&) { w.task(1).operate({.engine = -1}); }) == fault_kind::unknown_engine);
  CHECK(fault([](workload& w, const auto&) { w.task(1).execute(-1); }) == fault_kind::time_out_of_range);
  CHECK(fault([](workload& w, const auto&) { w.task(1).operate({.callback = -1}); }) == fault_kind::time_out_of_range);
  CHECK(fault([](workload& w, const auto&) {
          w.task(1).operate({.bottom_half = never - 1, .work_item = never - 1});
        }) == fault_kind::time_out_of_range);
  CHECK(fault([](workload& w, const auto&) { w.task(1).released(-1); }) == fault_kind::time_out_of_range);
  CHECK(fault([](workload& w, const auto&) { w.task(1).released(1).released(0); }) == fault_kind::releases_descend);
  CHECK(fault([](workload& w, const auto& o) { w.task(1).begin(o).operate(o); }) == fault_kind::operations_overlap);
  CHECK(fault([](workload& w, const auto&) { w.task(1).await(); }) == fault_kind::awaits_nothing);
  CHECK(fault([](workload& w, const auto& o) { w.task(1).begin(o); }) == fault_kind::ends_in_an_operation);
  CHECK(fault([](workload& w, const auto&) { w.task(1).execute(never - 1).execute(never - 1).released(0); }) ==
        fault_kind::never_ends);
  CHECK(fault([](workload& w, const auto&) {
          for (std::size_t i = 0; i <= most_interrupt_tasks; ++i) { w.task(1); }
        }) == fault_kind::too_many_tasks);
}
