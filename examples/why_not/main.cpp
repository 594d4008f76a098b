// SPDX-License-Identifier: Apache-2.0
// Why a set is not proven: which task, by how much, and what its time goes to. Half of the answer is the repair.
#include <iostream>

#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks_with(takt::duration planning) {
  return takt::task_set(takt::task("camera", takt::period(33_ms), takt::deadline(25_ms), takt::cpu(2_ms),
                                   takt::copy(500_us), takt::kernel(takt::work(12_ms)), takt::cpu(1_ms)),
                        takt::task("plan", takt::period(40_ms), takt::deadline(20_ms), takt::cpu(planning)),
                        takt::task("control", takt::period(5_ms), takt::cpu(700_us)));
}
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(2, 1), takt::federated));

auto main() -> int {
  constexpr auto before = tasks_with(16_ms);
  constexpr auto late = takt::analyze(board, before, takt::rtgpu_methods);
  takt::explain(std::cout, board, before, late);

  constexpr auto after = tasks_with(5_ms);
  constexpr auto repaired = takt::analyze(board, after, takt::rtgpu_methods);
  static_assert(!late.schedulable());
  static_assert(repaired.schedulable());
  std::cout << "\nWith 5ms for plan:\n";
  takt::explain(std::cout, repaired);
}
