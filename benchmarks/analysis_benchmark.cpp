// SPDX-License-Identifier: Apache-2.0
//
// Analyses per second on random task sets: lengths and structure of the RTGPU paper's Table 1 at a total utilisation
// where a good part is accepted.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <takt/allocation/search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>

namespace {

using takt::ticks;
using table = takt::task_table<ticks, 20, 512>;

struct sample {
  table tasks;
  takt::platform_record platform;
  takt::plan<20> plan;
};

[[nodiscard]] auto draw_sample(std::size_t n, std::size_t m, double utilization, std::uint32_t seed) -> sample {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (int i = 0; i < 20; ++i) { out.push_back("t" + std::to_string(i)); }
    return out;
  }();
  std::mt19937_64 engine{seed};
  const auto between = [&engine](ticks low, ticks high) {
    return low + static_cast<ticks>(engine() % static_cast<std::uint64_t>(high - low + 1));
  };
  sample out;
  std::vector<double> shares(n);
  double sum = 0;
  for (auto& u : shares) { sum += u = 1.0 + static_cast<double>(engine() % 1000); }
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<takt::segment_record<ticks>> chain;
    ticks total = 0;
    const auto add = [&](takt::stage where, ticks low, ticks high) {
      const ticks length = between(low, high);
      total += length;
      chain.push_back({.where = where, .time = {length, length}});
    };
    for (std::size_t j = 0; j < m; ++j) {
      add(takt::stage::cpu, 1'000'000, 20'000'000);
      if (j + 1 == m) { break; }
      add(takt::stage::copy, 1'000'000, 5'000'000);
      add(takt::stage::kernel, 1'000'000, 20'000'000);
      chain.back().interleave_numerator = 17;
      chain.back().interleave_denominator = 10;
      chain.back().overhead = chain.back().time.upper / 10;
      add(takt::stage::copy, 1'000'000, 5'000'000);
    }
    const auto period = static_cast<ticks>(static_cast<double>(total) * sum / (utilization * shares[i]));
    out.tasks.add_task(names[i], period, period);
    for (const auto& s : chain) { out.tasks.add_segment(s); }
    out.plan.shares.unchecked_push_back({0, 2});
  }
  takt::prioritize(out.tasks);
  out.platform.cores = 1;
  out.platform.copy_engines = 1;
  out.platform.gpus.unchecked_push_back({static_cast<std::int32_t>(2 * n), 2, 1, false});
  return out;
}

[[nodiscard]] auto draw_samples(std::size_t n, std::size_t m, double utilization) -> std::vector<sample> {
  std::vector<sample> out;
  for (std::uint32_t seed = 1; seed <= 64; ++seed) { out.push_back(draw_sample(n, m, utilization, seed)); }
  return out;
}

/// One analysis of a whole set under a plan.
void analyze_set(benchmark::State& state, takt::analysis::rtgpu_variant variant, double utilization) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto samples = draw_samples(n, static_cast<std::size_t>(state.range(1)), utilization);
  std::int64_t accepted = 0;
  std::int64_t done = 0;
  for (auto _ : state) {
    const sample& s = samples[static_cast<std::size_t>(done) % samples.size()];
    takt::analysis::rtgpu a(s.tasks, s.platform, variant);
    accepted += takt::analysis::evaluate_all(a, s.plan) == n ? 1 : 0;
    ++done;
  }
  state.SetItemsProcessed(done);
  state.counters["accepted"] = static_cast<double>(accepted) / static_cast<double>(done);
}

/// A search for a plan from nothing.
void search_set(benchmark::State& state, takt::search_method method, takt::analysis::rtgpu_variant variant,
                double utilization) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto samples = draw_samples(n, static_cast<std::size_t>(state.range(1)), utilization);
  std::int64_t done = 0;
  for (auto _ : state) {
    const sample& s = samples[static_cast<std::size_t>(done++) % samples.size()];
    takt::analysis::rtgpu a(s.tasks, s.platform, variant);
    benchmark::DoNotOptimize(takt::search_plan(a, method, takt::default_evaluations).feasible);
  }
  state.SetItemsProcessed(done);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"tasks", "cpu_segments"})->Args({5, 2})->Args({5, 5})->Args({20, 2})->Args({20, 5});
}

BENCHMARK_CAPTURE(analyze_set, published, takt::analysis::rtgpu_published, 0.2)->Apply(sizes);
BENCHMARK_CAPTURE(analyze_set, sharper, takt::analysis::rtgpu_sharper, 0.2)->Apply(sizes);
BENCHMARK_CAPTURE(analyze_set, best, takt::analysis::rtgpu_best, 0.2)->Apply(sizes);
BENCHMARK_CAPTURE(search_set, greedy_published, takt::greedy_search, takt::analysis::rtgpu_published, 0.2)
    ->Apply(sizes);
BENCHMARK_CAPTURE(search_set, greedy_best, takt::greedy_search, takt::analysis::rtgpu_best, 0.2)->Apply(sizes);
BENCHMARK_CAPTURE(search_set, default_best, takt::default_search, takt::analysis::rtgpu_best, 1.1)->Apply(sizes);

}  // namespace
