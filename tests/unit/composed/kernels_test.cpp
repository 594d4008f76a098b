// SPDX-License-Identifier: Apache-2.0
// Stream levels, slots and gangs as rules of pools among others.
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::model_fault;

constexpr auto cores = takt::pool(takt::processors(2), takt::edf);
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);

/// Beside the GPU: whole kernels that stop at the end of a wave, anywhere, or not at all, and work that spreads.
constexpr auto tasks = takt::task_set(
    takt::task("detect", takt::period(40_ms), takt::deadline(36_ms), takt::cpu(1_ms, 2_ms), takt::copy(1_ms),
               takt::visit<takt::gpu>(takt::wcet(6_ms), takt::preemption_cost(500_us)), takt::cpu(1_ms)),
    takt::task("track", takt::period(20_ms), takt::on_core(1), takt::cpu(1_ms),
               takt::visit<takt::gpu>(takt::preemption_cost(0_ms), takt::wcet(2_ms)), takt::cpu(1_ms)),
    takt::task("log", takt::period(80_ms), takt::cpu(1_ms), takt::visit<takt::gpu>(takt::wcet(3_ms)), takt::cpu(1_ms)),
    takt::task("map", takt::period(100_ms), takt::on_core(1), takt::cpu(2_ms),
               takt::kernel(takt::work(8_ms, 16_ms), takt::interleave(1)), takt::cpu(1_ms)));

/// Kernels that name their SMs, beside one that needs them all.
constexpr auto pinned = takt::task_set(
    takt::task("left", takt::period(40_ms), takt::cpu(2_ms),
               takt::visit<takt::gpu>(takt::wcet(4_ms), takt::preemption_cost(1_ms), takt::on_sm(0)), takt::cpu(1_ms)),
    takt::task("right", takt::period(40_ms), takt::on_core(1), takt::cpu(2_ms),
               takt::visit<takt::gpu>(takt::wcet(4_ms), takt::preemption_cost(1_ms), takt::on_sm(1)), takt::cpu(1_ms)),
    takt::task("both", takt::period(60_ms), takt::cpu(1_ms),
               takt::visit<takt::gpu>(takt::wcet(4_ms), takt::preemption_cost(1_ms)), takt::cpu(1_ms)));

constexpr auto in_slots =
    takt::slots(takt::edf, takt::pinned_slot(0_ms, 4_ms), takt::gang_slot(4_ms, 4_ms), takt::period(8_ms));

template <class P, class T>
constexpr auto proven_and_kept(const P& board, const T& set) -> bool {
  const auto verdict = takt::analyze(board, set, takt::published_methods);
  if (verdict.error || !verdict.schedulable()) { return false; }
  const auto seen = takt::simulate(board, set, verdict.plan, {.horizon = 200_ms});
  if (seen.error || seen.misses() > 0) { return false; }
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    if (seen.tasks[i].completed == 0 || seen.tasks[i].worst_response > verdict.tasks[i].bound.value) { return false; }
  }
  return true;
}

template <class P, class T>
auto fault_of(const P& board, const T& set) -> model_fault {
  return takt::analyze(board, set, takt::published_methods).error.fault;
}

}  // namespace

TEST_CASE("kernels on stream levels are proven and simulated beside processors and copies in constant expressions") {
  constexpr auto on_gpu = takt::platform(cores, engine, takt::pool(takt::virtual_sms(4, 2), takt::levels(takt::edf)));
  static_assert(proven_and_kept(on_gpu, tasks));
  constexpr auto on_accelerator =
      takt::platform(cores, engine, takt::pool(takt::accelerator(4, 3), takt::levels(takt::deadline_monotonic)));
  static_assert(proven_and_kept(on_accelerator, tasks));
}

TEST_CASE("pinned kernels and kernels for all SMs share a GPU in slots or as gangs beside processors") {
  const auto in_turns = takt::platform(cores, takt::pool(takt::accelerator(2), in_slots));
  CHECK(proven_and_kept(in_turns, pinned));
  CHECK(proven_and_kept(takt::platform(cores, takt::pool(takt::virtual_sms(2, 1), takt::gang(takt::edf))), pinned));
  CHECK(proven_and_kept(
      takt::platform(cores, takt::pool(takt::accelerator(2), takt::gang(takt::rate_monotonic, takt::strict))), pinned));
}

TEST_CASE("a set with a kernel that does not say what it costs to stop it is not proven, and misses") {
  const auto set = [](const auto&... facts) {
    return takt::task_set(takt::task("urgent", takt::period(10_ms), takt::cpu(1_ms),
                                     takt::visit<takt::gpu>(takt::wcet(1_ms)), takt::cpu(1_ms)),
                          takt::task("long", takt::period(100_ms), takt::on_core(1), takt::cpu(1_ms),
                                     takt::visit<takt::gpu>(takt::wcet(20_ms), facts...), takt::cpu(1_ms)));
  };
  const auto ideal = takt::levels(takt::edf, takt::preemption_cost_model::ideal);
  const auto board = takt::platform(cores, takt::pool(takt::virtual_sms(4, 2), ideal));
  CHECK(proven_and_kept(board, set(takt::preemption_cost(1_ms))));
  CHECK(proven_and_kept(board, set(takt::preemption_cost(0_ms))));
  CHECK_FALSE(takt::analyze(board, set(), takt::published_methods).schedulable());
  const auto seen = takt::simulate(board, set(), takt::plan<2, 8>{}, {.horizon = 100_ms});
  CHECK(seen.misses() > 0);
}

TEST_CASE("more stream priorities are a property of the hardware, which the rule reads") {
  const auto with = [](std::int32_t levels) {
    return takt::platform(cores,
                          takt::pool(takt::virtual_sms(4, 2).with_levels(levels),
                                     takt::levels(takt::deadline_monotonic, takt::preemption_cost_model::ideal)));
  };
  const auto chain = [](auto name, auto period, auto kernel) {
    return takt::task(name, takt::period(period), takt::visit<takt::gpu>(kernel, takt::preemption_cost(0_ms)));
  };
  const auto set = takt::task_set(chain("a", 10_ms, takt::wcet(1_ms)), chain("b", 40_ms, takt::wcet(10_ms)),
                                  chain("c", 100_ms, takt::wcet(20_ms)));
  CHECK_FALSE(takt::analyze(with(2), set, takt::published_methods).schedulable());
  CHECK(takt::analyze(with(3), set, takt::published_methods).schedulable());
  CHECK(fault_of(with(0), set) == model_fault::platform_size_out_of_range);
}

TEST_CASE("kernels that do not fit a rule of whole kernels are refused") {
  const auto on = [](const auto& rule) { return takt::platform(cores, takt::pool(takt::accelerator(2), rule)); };
  const auto with = [](const auto&... facts) {
    return takt::task_set(
        takt::task("k", takt::period(40_ms), takt::cpu(1_ms), takt::visit<takt::gpu>(facts...), takt::cpu(1_ms)));
  };
  const auto levels = on(takt::levels(takt::edf));
  CHECK(fault_of(levels, with(takt::wcet(2_ms), takt::on_sm(2))) == model_fault::core_out_of_range);
  CHECK(fault_of(levels, with(takt::wcet(2_ms), takt::on_sm(-1))) == model_fault::negative_core);
  CHECK(fault_of(levels, with(takt::wcet(2_ms), takt::preemption_cost(3_ms))) ==
        model_fault::preemption_cost_exceeds_time);
  CHECK(fault_of(on(takt::gang(takt::edf)), with(takt::wcet_row{}, takt::on_sm(0))) == model_fault::visit_time_unknown);
  const auto apart =
      takt::slots(takt::edf, takt::pinned_slot(0_ms, 4_ms), takt::gang_slot(3_ms, 4_ms), takt::period(8_ms));
  CHECK(fault_of(on(apart), with(takt::wcet(2_ms))) == model_fault::slots_overlap);
}
