// SPDX-License-Identifier: Apache-2.0
// One board, many rules: clusters under EDF, copies by deadline, a GPU behind two tokens, and an NPU; chains and a
// graph share it.
#include <chrono>
#include <cstdint>
#include <iostream>

#include <takt/compose.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/simulation.hpp>

namespace {

using namespace std::chrono_literals;

struct npu {
  std::int32_t count = 1;
};

constexpr auto chains =
    takt::task_set(takt::task("detect", takt::period(40ms), takt::cpu(1ms, 2ms), takt::copy(1ms, takt::to_device),
                              takt::kernel(takt::work(8ms, 24ms)), takt::copy(300us, takt::to_host), takt::cpu(1ms)),
                   takt::task("plan", takt::period(60ms), takt::on_core(2), takt::cpu(4ms),
                              takt::visit<npu>(takt::takes(6ms)), takt::cpu(1ms)));
constexpr auto fusion =
    takt::graph("fusion", takt::period(50ms), takt::node("read", takt::cpu(2ms)), takt::node("left", takt::cpu(3ms)),
                takt::node("right", takt::cpu(4ms)), takt::node("merge", takt::cpu(2ms)), takt::edge("read", "left"),
                takt::edge("read", "right"), takt::edge("left", "merge"), takt::edge("right", "merge"));
constexpr auto tasks = takt::workload(chains, fusion);

constexpr auto board = takt::platform(takt::pool(takt::processors(4), takt::clustered(takt::edf, 2)),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::edf)),
                                      takt::pool(takt::virtual_sms(8, 1), takt::locked(takt::k_fmlp_order, 2)),
                                      takt::pool(npu{}, takt::nonpreemptive(takt::fixed_priority)));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(verdict.schedulable());

}  // namespace

auto main() -> int {
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10s});
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    std::cout << seen.tasks[i].name << ": at most " << takt::report::format_duration(seen.tasks[i].worst_response)
              << ", proven " << takt::report::format_duration(verdict.tasks[i].bound.value) << " by " << verdict.method
              << '\n';
  }
  return seen.misses() == 0 ? 0 : 1;
}
