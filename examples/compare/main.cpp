// SPDX-License-Identifier: Apache-2.0
// One workload under every published way to share the GPU: which of them keeps the deadlines, and with how much to
// spare.
#include <iostream>

#include <takt/compare.hpp>
#include <takt/report/comparison_report.hpp>
#include <takt/systems/policies.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::cpu(4_ms), takt::copy(500_us),
               takt::kernel(takt::work(20_ms), takt::wcet(5_ms), takt::preemption_cost(200_us)), takt::cpu(1_ms)),
    takt::task("lidar", takt::period(50_ms), takt::cpu(3_ms), takt::copy(800_us),
               takt::kernel(takt::work(30_ms), takt::wcet(9_ms), takt::preemption_cost(300_us)), takt::cpu(2_ms)));
const auto board = [] {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8, .context_switch = 250'000, .switch_is_known = true});
  return out;
}();

auto main() -> int {
  const auto table = takt::compare<takt::published_judges>(tasks, board, takt::published_policies);
  takt::explain(std::cout, board, tasks, table);
  takt::draw("comparison.svg", board, tasks, table);
  return table.schedulable() ? 0 : 1;
}
