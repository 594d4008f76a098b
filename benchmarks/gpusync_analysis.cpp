// SPDX-License-Identifier: Apache-2.0
//
// Analyses per second of 40 tasks on 12 CPUs and 8 GPUs, per studied configuration, with the sound bounds. The sets are
// those of the GPUSync study's middle parameters (Elliott 2015, section 4.3.6.1) at a utilization of 2: two thirds of
// the tasks use a GPU, 25 to 75 % of their time, with 8 MB in and out and 2 MB of state.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/tasks/published_costs.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace {

using takt::ticks;
namespace costs = takt::published_costs;

constexpr std::size_t task_count = 40;
using table = takt::task_rows<takt::gpusync_task<ticks, 1>, task_count>;
using board = takt::gpusync_board<takt::transfer_curves<4>>;

[[nodiscard]] auto make_board(const takt::gpusync_configuration& c) -> board {
  constexpr ticks us = 1'000;
  return {.shape = c,
          .costs = costs::transfers(costs::bus_load::idle, costs::memory_placement::local, costs::gpu_distance::near),
          .overheads = {.schedule = 2 * us,
                        .context_switch = us,
                        .cache_loss = us,
                        .interrupt_cache_loss = us,
                        .tick = us,
                        .tick_quantum = 1'000 * us,
                        .release = us,
                        .event_latency = us,
                        .ipi = us,
                        .system_call_in = us / 10,
                        .system_call_out = us / 10,
                        .lock = us / 2,
                        .unlock = us / 2,
                        .top_half = costs::top_half_mean,
                        .bottom_half = costs::bottom_half_mean}};
}

/// Tasks in turn on the clusters that have most room left, whatever they use.
[[nodiscard]] auto draw_set(const takt::gpusync_configuration& c, std::uint32_t seed) -> table {
  std::mt19937_64 engine{seed};
  const auto between = [&engine](ticks low, ticks high) {
    return low + static_cast<ticks>(engine() % static_cast<std::uint64_t>(high - low + 1));
  };
  table out;
  for (std::size_t i = 0; i < task_count; ++i) {
    const ticks period = between(200, 1'000) * 1'000'000;
    const ticks time = period / 1'000 * between(30, 70);
    takt::gpusync_task<ticks, 1> t{.wcet = time, .period = period, .deadline = period};
    if (i % 3 != 0) {
      const ticks kernel = time / 100 * between(25, 75);
      t.kernels.unchecked_push_back(kernel);
      t.wcet = time - kernel;
      t.cpu_in_gpu_section = t.wcet / 20;
      t.bytes_in = t.bytes_out = 4 << 20;
      t.bytes_state = 2 << 20;
      t.gpu_cluster = static_cast<std::int32_t>(i) % c.gpu_clusters();
    }
    t.cpu_cluster = static_cast<std::int32_t>(i) % c.cpu_clusters();
    while (t.uses_gpu() && !c.serves(t.gpu_cluster, t.cpu_cluster)) {
      t.cpu_cluster = (t.cpu_cluster + 1) % c.cpu_clusters();
    }
    out.add(t);
  }
  return out;
}

void analyze_locked_gpus(benchmark::State& state, const takt::gpusync_configuration& c) {
  const board platform = make_board(c);
  std::vector<table> sets;
  for (std::uint32_t seed = 1; seed <= 16; ++seed) {
    sets.push_back(draw_set(c, seed));
    if (takt::validate_gpusync(platform, sets.back())) { state.SkipWithError("the set is wrong"); }
  }
  std::size_t next = 0;
  std::int64_t passes = 0;
  std::int64_t accepted = 0;
  for (auto _ : state) {
    const auto found = takt::analysis::gpusync::analyze_set(platform, sets[next]);
    next = (next + 1) % sets.size();
    passes += found.passes;
    accepted += found.schedulable() ? 1 : 0;
    benchmark::DoNotOptimize(found.status);
  }
  const auto per_set = benchmark::Counter::kAvgIterations;
  state.SetItemsProcessed(state.iterations());
  state.counters["passes"] = benchmark::Counter(static_cast<double>(passes), per_set);
  state.counters["accepted"] = benchmark::Counter(static_cast<double>(accepted), per_set);
}

const bool registered = [] {
  for (const auto& c : takt::studied_configurations) {
    const std::string name = "analyze_locked_gpus/" + std::string{c.name()};
    benchmark::RegisterBenchmark(name.c_str(), analyze_locked_gpus, c.value);
  }
  return true;
}();

}  // namespace
