// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/summarize.hpp>

/// One small system of each of the five kinds, and what is known of it.
namespace takt_tests {

using namespace takt::literals;

inline constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                   takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                   takt::pool(takt::virtual_sms(4, 2), takt::federated));
inline constexpr auto chains =
    takt::task_set(takt::task("camera", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(2_ms), takt::copy(500_us),
                              takt::kernel(takt::work(12_ms), takt::interleave(1)), takt::cpu(1_ms)),
                   takt::task("lidar", takt::period(50_ms), takt::cpu(4_ms), takt::copy(1500_us),
                              takt::kernel(takt::work(20_ms), takt::interleave(1)), takt::cpu(3_ms)));

template <class Rule>
[[nodiscard]] constexpr auto accelerator_under(const Rule& rule) {
  return takt::platform(takt::pool(takt::accelerator(2, 2), rule));
}
inline constexpr auto kernels = takt::task_set(
    takt::task("detect", takt::period(10_ms), takt::kernel(takt::wcet(3_ms), takt::preemption_cost(0_ms))),
    takt::task("track", takt::period(20_ms), takt::kernel(takt::wcet(5_ms), takt::preemption_cost(0_ms))));

inline constexpr auto cluster =
    takt::platform(takt::pool(takt::processors(2), takt::g_fl),
                   takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
inline constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(20_ms), takt::node("read", takt::cpu(1_ms)),
                                takt::node("detect", takt::kernel(takt::grid(4, 256), takt::block_length(1_ms),
                                                                  takt::launch(100_us), takt::await(50_us))),
                                takt::node("flow", takt::cpu(2_ms)), takt::edge("read", "detect"),
                                takt::edge("read", "flow"), takt::history("detect", "flow", 4)));

using sections = takt::task_rows<takt::gpusync_task<takt::ticks>, 2>;

[[nodiscard]] inline auto locked_gpus() -> takt::gpusync_board<> {
  takt::gpusync_board<> out;
  out.shape = {.cpus = 2, .cpu_cluster_size = 2};
  for (auto& cost : out.costs.kinds) { cost = {1000, 1, 1}; }
  return out;
}
[[nodiscard]] inline auto token_tasks() -> sections {
  constexpr takt::ticks ms = 1'000'000;
  sections out;
  sections::task_type t{.name = "stereo",
                        .wcet = 2 * ms,
                        .period = 20 * ms,
                        .deadline = 20 * ms,
                        .cpu_in_gpu_section = ms,
                        .bytes_in = 100,
                        .gpu_cluster = 0};
  t.kernels.unchecked_push_back(3 * ms);
  static_cast<void>(out.add(t));
  t.name = "lanes";
  t.period = t.deadline = 50 * ms;
  static_cast<void>(out.add(t));
  return out;
}

inline constexpr auto by_shares = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));

[[nodiscard]] inline auto applications() -> takt::application_set<2> {
  constexpr takt::ticks ms = 1'000'000;
  takt::application_set<2> out;
  static_cast<void>(out.add({.name = "detector",
                             .period = 40 * ms,
                             .deadline = 40 * ms,
                             .priority = 2,
                             .alone = takt::wcet_row::scaling(8 * ms, 0)}));
  static_cast<void>(out.add({.name = "recorder",
                             .period = 100 * ms,
                             .deadline = 100 * ms,
                             .priority = 1,
                             .alone = takt::wcet_row::scaling(20 * ms, 0)}));
  return out;
}

/// What an analysis without a plan says, with its reasons.
template <class P, class T>
[[nodiscard]] auto summary_of(const P& platform, const T& tasks) -> takt::report::verdict_summary {
  return takt::report::summarize(platform, tasks, takt::analysis::analyze_by<takt::published>(platform, tasks));
}

}  // namespace takt_tests
