// SPDX-License-Identifier: Apache-2.0
// The case study of Wang, Liu, Wong and Kim 2024 on a Jetson Xavier NX, under the time slices that the board has.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/pools/time_slice_responses.hpp>
#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;

constexpr ticks us = 1000;
constexpr ticks ms = 1000 * us;
constexpr ticks slice = 1024 * us;
constexpr ticks switching = 200 * us;

constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::virtual_sms(6, 2), takt::time_slices(1024_us, 200_us)));

/// Half of the CPU time before the kernel and half after it, as in examples/data. A kernel has twelve virtual SMs.
template <class Half, class Kernel>
constexpr auto one(const char* name, takt::duration period, int core, int priority, Half half, Kernel kernel) {
  return takt::task(name, takt::period(period), takt::on_core(core), takt::priority(priority), takt::cpu(0_ns, half),
                    takt::kernel(takt::work(takt::duration{12 * takt::duration{kernel}.count()}), takt::interleave(1)),
                    takt::cpu(0_ns, half));
}
const auto tasks = takt::task_set(
    one("histogram", 100_ms, 0, 0, 500_us, 10_ms), one("mmul_gpu_1", 150_ms, 1, 1, 1_ms, 12_ms),
    takt::task("mmul_cpu", takt::period(200_ms), takt::on_core(1), takt::priority(2), takt::cpu(0_ns, 67_ms)),
    one("projection", 300_ms, 0, 3, 6_ms, 15_ms), one("dxtc", 400_ms, 0, 4, 1_ms, 16_ms));

struct row {
  ticks cpu;
  ticks gpu;
  ticks period;
  int core;
};
constexpr std::array<row, 5> rows{{{1 * ms, 10 * ms, 100 * ms, 0},
                                   {2 * ms, 12 * ms, 150 * ms, 1},
                                   {67 * ms, 0, 200 * ms, 1},
                                   {12 * ms, 15 * ms, 300 * ms, 0},
                                   {2 * ms, 16 * ms, 400 * ms, 0}}};

/// The published test of round robin with suspension; `waits(kernel)` is what one waits for on the GPU.
template <class Waits>
auto by_suspension(std::size_t i, const Waits& waits) -> ticks {
  const row& t = rows[i];
  const ticks own = t.cpu + t.gpu + (t.gpu > 0 ? waits(t.gpu) : 0);
  for (ticks w = own;;) {
    ticks sum = own;
    for (std::size_t h = 0; h < i; ++h) {
      const row& u = rows[h];
      if (u.core == t.core) { sum += takt::ceil_divide(w + u.period - u.cpu, u.period) * u.cpu; }
    }
    if (sum == w) { return w; }
    w = sum;
  }
}

}  // namespace

TEST_CASE("the case study is proven in time slices, no worse than with full turns and its published test") {
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  REQUIRE(verdict.schedulable());
  constexpr ticks others = 3;
  const auto published = [](ticks kernel) {
    return takt::analysis::as_published::interleaved_execution(kernel, others, slice, switching);
  };
  const auto with_switch_back = [&](ticks kernel) {
    return published(kernel) + takt::ceil_divide(kernel, slice) * switching;
  };
  // As docs/time_slices.md says, in us.
  struct expected_row {
    ticks bound;
    ticks published;
    ticks with_switch_back;
  };
  constexpr std::array<expected_row, 5> expected{{{49'720, 47'720, 49'720},
                                                  {58'176, 58'064, 60'464},
                                                  {69'000, 71'000, 71'000},
                                                  {83'120, 84'080, 87'080},
                                                  {99'184, 103'752, 106'952}}};
  std::array<ticks, 5> bounds{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    bounds[i] = verdict.tasks[i].bound.value;
    CHECK(bounds[i] == expected[i].bound * us);
    CHECK(by_suspension(i, published) == expected[i].published * us);
    CHECK(by_suspension(i, with_switch_back) == expected[i].with_switch_back * us);
    CHECK(bounds[i] <= by_suspension(i, with_switch_back));
  }
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    takt::simulation_options options;
    options.horizon = 2_s;
    options.seed = seed;
    options.releases = seed % 2 == 0 ? takt::release_pattern::sporadic : takt::release_pattern::adversarial;
    const auto seen = takt::simulate(board, tasks, takt::plan<5>{}, options);
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; i < rows.size(); ++i) { CHECK(seen.tasks[i].worst_response <= bounds[i]); }
  }
}

TEST_CASE("the published wait for time slices leaves out the switch back, and a run exceeds it") {
  // Two kernels of one slice each. The second comes when the switch to the first begins.
  const ticks published = 10 + takt::analysis::as_published::interleaved_execution(10, 1, 10, 2);
  CHECK(published == 22);
  auto server = takt::time_slices(takt::duration{10}, takt::duration{2}).make_server<3>(1);
  const takt::slice_sink nobody{};
  const auto asks = [&](takt::client who, std::uint32_t task, ticks length) {
    server.arrive({.who = who, .context = task, .length = length});
  };
  asks(0, 1, 5);
  server.decide(0, nobody);
  REQUIRE(server.fire(5, nobody) == 0);
  server.decide(5, nobody);
  asks(1, 0, 10);
  asks(2, 1, 10);
  server.decide(20, nobody);
  REQUIRE(server.fire(32, nobody) == 1);
  server.decide(32, nobody);
  const ticks end = server.next();
  REQUIRE(server.fire(end, nobody) == 2);
  CHECK(end - 20 == 24);
  CHECK(end - 20 > published);
}
