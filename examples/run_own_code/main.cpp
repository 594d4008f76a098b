// SPDX-License-Identifier: Apache-2.0
// One's own code on threads of this machine under the proven plan, bound by the names of tasks and segments. A name
// that the set does not have does not compile; what has no code takes its time on the clock.
#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>

#include <takt/runtime.hpp>
#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(20_ms), takt::named("decode", takt::cpu(2_ms)), takt::copy(500_us),
                              takt::kernel(takt::work(3_ms)), takt::named("track", takt::cpu(2_ms))),
                   takt::task("control", takt::period(10_ms), takt::cpu(1_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks, takt::rtgpu_methods);
static_assert(takt::require_schedulable<verdict>);

auto main() -> int {
  std::array<std::uint64_t, 1000> frame{};
  std::uint64_t bright = 0;
  std::uint64_t steps = 0;
  const auto decode = [&](std::uint64_t job) { frame.fill(job); };
  const auto track = [&](std::uint64_t /*job*/) { bright = std::accumulate(frame.begin(), frame.end(), bright); };
  const auto steer = [&](std::uint64_t /*job*/) { ++steps; };
  const auto code = takt::codes<tasks>(takt::bind<"camera", "decode">(decode), takt::bind<"camera", "track">(track),
                                       takt::bind<"control", "cpu">(steer));
  const auto seen = takt::run(board, tasks, verdict.plan, {.length = 400_ms}, code);
  takt::explain(std::cout, board, tasks, verdict, seen);
  const std::uint64_t frames = seen.tasks[0].completed;
  const bool all = bright == 1000 * (frames * (frames - 1) / 2) && steps == seen.tasks[1].completed;
  std::cout << (all ? "Every job ran its code.\n" : "Some job did not run its code.\n");
  return all ? 0 : 1;
}
