// SPDX-License-Identifier: Apache-2.0
// A first system: described once, then proven, explained, simulated, drawn and run.
// excerpt: headers
#include <iostream>

#include <takt/report.hpp>
#include <takt/runtime.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>

using namespace takt::literals;
// end of excerpt

namespace {
// excerpt: describe
constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(1_ms, 2_ms), takt::copy(500_us),
               takt::kernel(takt::work(40_ms, 60_ms), takt::overhead(20_us), takt::interleave(9, 5)),
               takt::copy(200_us), takt::cpu(1_ms)),
    takt::task("control", takt::period(5_ms), takt::cpu(300_us, 700_us)));

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(8, 2), takt::federated));
// end of excerpt

// excerpt: prove
constexpr auto verdict = takt::analyze(board, tasks, takt::rtgpu_methods);  // looks for a plan, too
static_assert(takt::require_schedulable<verdict>);  // else the compiler names task, bound and deadline
// end of excerpt
}  // namespace

auto main() -> int {
  // excerpt: explain
  takt::explain(std::cout, board, tasks, verdict);
  // end of excerpt
  // excerpt: simulate
  takt::trace recorded;
  const auto simulated = takt::simulate(board, tasks, verdict.plan, {.horizon = 10_s}, recorded);
  takt::explain(std::cout, board, tasks, verdict, simulated);
  takt::draw("first.svg", board, tasks, recorded, {.to = 66'000'000});
  // end of excerpt
  // excerpt: run
  const auto ran = takt::run(board, tasks, verdict.plan, {.length = 1_s});  // threads, and an emulated GPU
  takt::explain(std::cout, board, tasks, verdict, ran);
  // end of excerpt
  return simulated.misses() == 0 ? 0 : 1;
}
