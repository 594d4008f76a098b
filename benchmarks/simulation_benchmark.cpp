// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <benchmark/benchmark.h>

#include <takt/simulation.hpp>

namespace {

using namespace takt::literals;

constexpr auto cpu_board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto gpu_board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                          takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                          takt::pool(takt::virtual_sms(10, 2), takt::federated));
constexpr auto spinning_board =
    takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(takt::fixed_priority)),
                   takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                   takt::pool(takt::virtual_sms(10, 2), takt::federated));

constexpr std::array<std::string_view, 10> names{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
constexpr std::array<takt::ticks, 10> periods{10'000, 14'300, 18'100, 23'900, 31'700,
                                              40'100, 52'300, 66'700, 81'100, 98'900};

/// Ten tasks of one CPU segment each, 7 % of the core per task, deadline monotonic.
constexpr auto cpu_tasks() {
  takt::task_table<takt::ticks, 10, 10> table;
  for (std::size_t i = 0; i < periods.size(); ++i) {
    table.add_task(names[i], periods[i], periods[i]);
    const takt::ticks wcet = periods[i] * 7 / 100;
    table.add_segment({.where = takt::stage::cpu, .time = {wcet / 2, wcet}});
  }
  takt::prioritize(table);
  return table;
}

/// Five tasks of five CPU segments and four kernels, each with a copy before and after it.
constexpr auto gpu_tasks() {
  takt::task_table<takt::ticks, 5, 5 * 17> table;
  for (std::size_t i = 0; i < 5; ++i) {
    const takt::ticks period = periods[2 * i] * 40;
    const takt::ticks part = period / 1'000;
    table.add_task(names[i], period, period);
    for (int j = 0; j < 4; ++j) {
      table.add_segment({.where = takt::stage::cpu, .time = {part * 8, part * 16}});
      table.add_segment({.where = takt::stage::copy, .time = {part * 4, part * 8}});
      table.add_segment({.where = takt::stage::kernel, .time = {part * 40, part * 80}});
      table.add_segment({.where = takt::stage::copy, .time = {part * 4, part * 8}});
    }
    table.add_segment({.where = takt::stage::cpu, .time = {part * 8, part * 16}});
  }
  takt::prioritize(table);
  return table;
}

template <class Platform, class Table, class Plan>
void simulate(benchmark::State& state, const Platform& platform, const Table& table, const Plan& plan,
              const takt::simulation_options& options) {
  std::uint64_t jobs = 0;
  for (auto _ : state) {
    const auto result = takt::simulate(platform, table, plan, options);
    if (result.error) { return state.SkipWithError("invalid model"); }
    jobs += result.completed();
  }
  state.counters["jobs/s"] = benchmark::Counter(static_cast<double>(jobs), benchmark::Counter::kIsRate);
}

void cpu_only_periodic(benchmark::State& state) {
  simulate(state, cpu_board, cpu_tasks(), takt::plan<10>{}, {.horizon = 100_ms});
}
void cpu_only_sporadic(benchmark::State& state) {
  simulate(
      state, cpu_board, cpu_tasks(), takt::plan<10>{},
      {.horizon = 100_ms, .releases = takt::release_pattern::sporadic, .execution = takt::execution_times::random});
}
void rtgpu_periodic(benchmark::State& state) {
  simulate(state, gpu_board, gpu_tasks(), takt::dedicate(2, 2, 2, 2, 2), {.horizon = 1_s});
}
void rtgpu_adversarial(benchmark::State& state) {
  simulate(
      state, gpu_board, gpu_tasks(), takt::dedicate(2, 2, 2, 2, 2),
      {.horizon = 1_s, .releases = takt::release_pattern::adversarial, .execution = takt::execution_times::random});
}
void busy_waiting_periodic(benchmark::State& state) {
  simulate(state, spinning_board, gpu_tasks(), takt::dedicate(2, 2, 2, 2, 2), {.horizon = 1_s});
}

BENCHMARK(cpu_only_periodic);
BENCHMARK(cpu_only_sporadic);
BENCHMARK(rtgpu_periodic);
BENCHMARK(rtgpu_adversarial);
BENCHMARK(busy_waiting_periodic);

}  // namespace
