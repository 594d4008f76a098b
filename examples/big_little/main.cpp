// SPDX-License-Identifier: Apache-2.0
// Two kinds of cores: big ones under EDF, little ones under fixed priority. A job may use both, and the GPU.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>

#include <takt/compose.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/simulation.hpp>

namespace {

using namespace std::chrono_literals;

struct little_core {};

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(33ms), takt::cpu(3ms), takt::copy(500us),
                              takt::kernel(takt::work(10ms)), takt::visit<little_core>(takt::takes(4ms))),
                   takt::task("logger", takt::period(50ms), takt::visit<little_core>(takt::takes(6ms))),
                   takt::task("control", takt::period(5ms), takt::cpu(1ms)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::edf), takt::pool(little_core{}, takt::rate_monotonic),
                   takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                   takt::pool(takt::virtual_sms(4, 2), takt::federated));
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
