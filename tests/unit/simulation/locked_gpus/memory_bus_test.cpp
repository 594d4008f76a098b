// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/systems/locked_gpus/host/memory_bus.hpp>
#include <takt/systems/locked_gpus/simulation/run_graphs.hpp>
#include "support/traces.hpp"

namespace {

namespace simulation = takt::simulation;
using takt::ticks;
using takt::host::bus_interference;

/// Graphs of one node each, all released at 0.
[[nodiscard]] auto finishes(const takt::host::gpu_system& s, const bus_interference& bus, ticks slice = 0)
    -> std::vector<ticks> {
  std::vector<simulation::detail::token_graph> graphs(s.programs.size());
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    graphs[g].first_task = g;
    graphs[g].nodes = 1;
    graphs[g].period = 1'000'000;
    graphs[g].jobs = 1;
    graphs[g].order.assign(1, {1, static_cast<ticks>(g)});
  }
  takt::null_recorder null_sink;
  const auto r = simulation::detail::run_gpu_graphs<16>(s, graphs, takt::host::detail::full_work{},
                                                        {.until = 900'000, .slice = slice, .bus = bus}, null_sink);
  REQUIRE(!r.run.locks.error);
  std::vector<ticks> out;
  for (const auto& j : r.run.locks.jobs) { out.push_back(j.finish); }
  return out;
}
[[nodiscard]] auto on_cpus(std::int32_t processors, const std::vector<ticks>& times) -> takt::host::gpu_system {
  takt::host::gpu_system s;
  s.processors = processors;
  for (const ticks t : times) { s.programs.push_back({.cpu_before = t}); }
  return s;
}
using instants = std::vector<ticks>;

TEST_CASE("work is slower while other work is under way, and as fast as before when that has ended" *
          takt_tests::traces("GSA-49")) {
  // Both at two thirds of their speed until 6, when the second has done its 4; then 6 are left of the first.
  CHECK(finishes(on_cpus(2, {10, 4}), {.each = 500}) == instants{12, 6});
  // Three at half speed, then two at two thirds: 2, 2 and 2 done at 4; 4 and 4 at 7; the rest alone.
  CHECK(finishes(on_cpus(3, {10, 4, 2}), {.each = 500}) == instants{13, 7, 4});
  CHECK(finishes(on_cpus(3, {10, 4, 2}), {.each = 500, .most = 1}) == instants{12, 6, 3});
  CHECK(finishes(on_cpus(3, {10, 4, 2}), {.each = 500, .most = 0}) == instants{10, 4, 2});
}

TEST_CASE("who waits for a CPU slows nobody down, in turns either" * takt_tests::traces("GSA-49")) {
  CHECK(finishes(on_cpus(1, {10, 4}), {.each = 500}) == instants{10, 14});
  CHECK(finishes(on_cpus(1, {10, 4}), {.each = 500}, 2) == finishes(on_cpus(1, {10, 4}), {}, 2));
  // Two run at a time, at two thirds of their speed: three of 4 take 18 of two CPUs, and the last one ends alone.
  CHECK(finishes(on_cpus(2, {4, 4, 4}), {.each = 500}) == instants{6, 6, 10});
}

TEST_CASE("copies take part in the traffic, kernels do not" * takt_tests::traces("GSA-49")) {
  takt::host::gpu_system s = on_cpus(2, {2, 20});
  s.pools = {{.sharing_cpus = 2, .tokens = {.gpus = 1, .tokens_per_gpu = 1}}};
  s.distances = {0};
  s.programs[0].gpu_cluster = 0;
  s.programs[0].steps = {{takt::host::section_engine::copy_in, 4}, {takt::host::section_engine::execution, 5}};
  s.programs[0].longest_section = 9;
  CHECK(finishes(s, {}) == instants{11, 20});
  // Both at half speed until the copy has ended at 12; the kernel to 17 and the CPU are in nobody's way.
  CHECK(finishes(s, {.each = 1000}) == instants{17, 26});
}

TEST_CASE("more interference never lets work end earlier, and nothing of it changes nothing" *
          takt_tests::traces("GSA-49")) {
  takt::random_stream random{7};
  for (int n = 0; n < 300; ++n) {
    instants times(static_cast<std::size_t>(random.between(1, 8)));
    for (ticks& t : times) { t = random.between(1, 5000); }
    const auto system = on_cpus(static_cast<std::int32_t>(times.size()), times);  // nobody waits
    CHECK(finishes(system, {.each = 0, .most = 3}) == times);
    instants before = times;
    for (const std::int64_t each : {1, 70, 333, 2000}) {
      const instants now = finishes(system, {.each = each});
      for (std::size_t i = 0; i < now.size(); ++i) { CHECK(now[i] >= before[i]); }
      // Exactly: shortest first, k others slow the rest down, and each end rounds up.
      instants sorted = times;
      std::ranges::sort(sorted);
      ticks done = 0;
      ticks thousandths = 0;
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        thousandths += (sorted[k] - done) * (1000 + each * static_cast<ticks>(sorted.size() - 1 - k));
        done = sorted[k];
      }
      const ticks last = *std::ranges::max_element(now);
      CHECK(last * 1000 >= thousandths);
      CHECK(last - thousandths / 1000 <= static_cast<ticks>(sorted.size()) + 1);
      before = now;
    }
  }
}

TEST_CASE("interference of a bus that is no factor is refused") {
  for (const bus_interference b : {bus_interference{-1}, {10'001}, {1, -1}}) {
    takt::null_recorder null_sink;
    const auto r = simulation::detail::run_gpu_graphs<16>(on_cpus(1, {}), {}, takt::host::detail::full_work{},
                                                          {.until = 1, .bus = b}, null_sink);
    CHECK(r.run.locks.error.fault == takt::model_fault::options_out_of_range);
  }
}

}  // namespace
