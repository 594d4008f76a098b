// SPDX-License-Identifier: Apache-2.0
// From the camera to the brake over three tasks that do not wait for each other: how late a reaction can be, and how
// old the data behind an output. Bounds of tasks come from the proof, those of the chain from their periods beside
// them.
#include <array>
#include <iostream>

#include <takt/analysis/cause_effect/chain_latency.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;
using takt::communication;

constexpr auto tasks = takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(6_ms), takt::copy(500_us),
                                                 takt::kernel(takt::work(10_ms)), takt::cpu(1_ms)),
                                      takt::task("fuse", takt::period(20_ms), takt::cpu(4_ms)),
                                      takt::task("brake", takt::period(5_ms), takt::cpu(500_us)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

/// The chain camera, fuse, brake, all of whose tasks give their outputs in the same way.
constexpr auto chain(communication how) {
  std::array<takt::chain_stage, 3> stages{};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto period = tasks.table().tasks[i].period;
    stages[i] = {.period = period, .response = verdict.tasks[i].bound.value, .how = how};
  }
  return takt::bound_chain(stages);
}
static_assert(chain(communication::implicit).reaction < chain(communication::let).reaction);

auto main() -> int {
  for (const auto how : {communication::implicit, communication::let}) {
    const auto latency = chain(how);
    std::cout << name_of(how) << ": a reaction takes at most " << takt::report::format_duration(latency.reaction)
              << ", and data are at most " << takt::report::format_duration(latency.age) << " old\n";
  }
}
