// SPDX-License-Identifier: Apache-2.0
// One plan: what an analysis decides is what the simulation takes, for chains, graphs and applications alike.
#include <chrono>
#include <iostream>

#include <takt/report/format_duration.hpp>
#include <takt/simulation.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/simulate_shares.hpp>
#include <takt/takt.hpp>

namespace {

using namespace std::chrono_literals;

constexpr auto chains = takt::task_set(
    takt::task("camera", takt::period(33ms), takt::deadline(30ms), takt::cpu(1ms, 2ms), takt::copy(400us, 500us),
               takt::kernel(takt::work(8ms, 12ms), takt::overhead(20us), takt::interleave(9, 5)),
               takt::cpu(500us, 1ms)),
    takt::task("control", takt::period(5ms), takt::cpu(300us, 700us)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(10, 2), takt::federated));

constexpr auto video =
    takt::graph_set(takt::graph("video", takt::period(33ms), takt::node("read", takt::cpu(2ms), takt::writes("frame")),
                                takt::node("filter", takt::kernel(takt::grid(96, 256), takt::block_length(1ms)),
                                           takt::reads("frame"), takt::writes("edges")),
                                takt::node("track", takt::cpu(3ms), takt::reads("edges"))));
constexpr auto vision = takt::platform(
    takt::pool(takt::processors(4), takt::g_fl),
    takt::pool(takt::block_slots(16, 2048, 32), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));

constexpr auto avionics = takt::application_set(
    takt::application("map", takt::period(1s), takt::share_priority(2), takt::scaling_wcet(261ms, 500)),
    takt::application("track", takt::period(2s), takt::share_priority(1), takt::scaling_wcet(356ms, 300)));
constexpr auto by_shares = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));

template <class Platform, class Tasks, class Verdict>
[[nodiscard]] auto holds(const Platform& platform, const Tasks& tasks, const Verdict& verdict) -> bool {
  const auto seen = takt::simulate(platform, tasks, verdict.plan, {.horizon = 10s});
  bool within = seen.status() == takt::observation_status::no_miss;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& bound = verdict.tasks[i].bound;
    within = within && (!bound.exists || seen.tasks[i].worst_response <= bound.value);
    std::cout << seen.tasks[i].name << ": at most " << takt::report::format_duration(seen.tasks[i].worst_response)
              << " in " << seen.tasks[i].completed << " jobs, proven "
              << (bound.exists ? takt::report::format_duration(bound.value) : "by its deadline") << '\n';
  }
  return within && verdict.schedulable();
}

}  // namespace

auto main() -> int {
  const bool all = holds(board, chains, takt::analyze(board, chains)) &&
                   holds(vision, video, takt::analyze(vision, video)) &&
                   holds(by_shares, avionics, takt::analyze(by_shares, avionics));
  return all ? 0 : 1;
}
