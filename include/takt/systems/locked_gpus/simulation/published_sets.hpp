// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/systems/locked_gpus/simulation/varied_work.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Room for every published set.
using published_table = task_rows<gpusync_task<ticks, 2>, 64>;

struct published_set {
  gpusync_board<> platform;
  published_table tasks;
};

namespace detail {

inline constexpr ticks microsecond = 1000;
inline constexpr ticks millisecond = 1'000'000;
inline constexpr std::int64_t megabyte = 1'000'000;

/// Twelve CPUs in two clusters and eight GPUs. A bus under load copies 1 byte per nanosecond to or from the host, and 3
/// from GPU to GPU. This is what the published costs of 1 MB come to.
[[nodiscard]] inline auto two_nodes(std::int32_t gpus_per_cluster, std::int32_t tokens, std::int64_t chunk)
    -> gpusync_board<> {
  gpusync_board<> out;
  out.shape = {.cpus = 12,
               .cpu_cluster_size = 6,
               .gpus = 8,
               .gpu_cluster_size = gpus_per_cluster,
               .tokens_per_gpu = tokens,
               .numa_nodes = 2,
               .migration = gpus_per_cluster > 1 ? migration_path::peer_to_peer : migration_path::none,
               .scheduler = cpu_scheduler::earliest_deadline,
               .dma_chunk = chunk};
  out.costs.kinds = {linear_cost<ticks>{20 * microsecond, 1, 1}, {20 * microsecond, 1, 1}, {20 * microsecond, 1, 3}};
  return out;
}

}  // namespace detail

/// Positions of the two tasks in `mixed_set` whose budgets and predictions were published.
inline constexpr std::size_t first_reported_task = 0;   ///< period 15 ms, utilization 0.25
inline constexpr std::size_t second_reported_task = 1;  ///< period 75 ms, utilization 0.1

/// Returns the set on which budgets, predictions and affinity were evaluated, evenly on two clusters of six CPUs and
/// four GPUs with three tokens each. Nine tenths of a GPU task's time are on GPUs, three quarters of that in two equal
/// kernels. Periods, which are known for two tasks only, are multiples of 5 ms between 10 and 75 chosen by `seed`. Of
/// the 28 CPU tasks that the text counts it describes 22, which these are. Source: Elliott 2015, section 4.4.1.
[[nodiscard]] inline auto mixed_set(cpu_scheduler scheduler, service_order engines, std::uint64_t seed = 1)
    -> published_set {
  using detail::millisecond;
  published_set out{.platform = detail::two_nodes(4, 3, 2 * detail::megabyte), .tasks = {}};
  out.platform.shape.scheduler = scheduler;
  out.platform.shape.engines = engines;
  random_stream random{seed};
  std::int32_t number = 0;
  const auto add = [&](std::int64_t percent, ticks period, bool gpu) {
    const ticks time = period * percent / 100;
    published_table::task_type t{.wcet = time, .period = period, .deadline = period, .cpu_cluster = number++ % 2};
    if (gpu) {
      const ticks on_gpu = time * 9 / 10;
      const ticks kernels = on_gpu * 3 / 4;
      t.wcet = time - on_gpu;
      t.cpu_in_gpu_section = t.wcet / 2;
      // Bound: two kernels, all that tasks of these sets have.
      t.kernels.unchecked_push_back(kernels / 2);
      t.kernels.unchecked_push_back(kernels / 2);
      t.bytes_in = t.bytes_out = (on_gpu - kernels) / 2;  // a byte per nanosecond
      t.bytes_state = 2 * (t.bytes_in + t.bytes_out);
      t.gpu_cluster = t.cpu_cluster;
    }
    out.tasks.add(t);
  };
  const auto add_all = [&](std::int32_t count, std::int64_t percent, bool gpu) {
    for (std::int32_t i = 0; i < count; ++i) { add(percent, 5 * millisecond * random.between(2, 15), gpu); }
  };
  add(25, 15 * millisecond, true);
  add(10, 75 * millisecond, true);
  add_all(13, 25, true);
  add_all(13, 10, true);
  add_all(6, 50, true);
  add_all(12, 10, false);
  add_all(8, 20, false);
  add_all(2, 30, false);
  return out;
}

/// Returns sixteen of the GPU tasks of a mixed set, eight per cluster and the first reported one among them. They need
/// ten times their kernels in a job about every `interval`.
[[nodiscard]] inline auto aberrant_tasks(const published_set& s, ticks interval) -> std::vector<aberrant_task> {
  std::vector<aberrant_task> out;
  for (std::size_t i = 0; i < s.tasks.size() && out.size() < 16; ++i) {
    if (i == second_reported_task || !s.tasks.tasks[i].uses_gpu()) { continue; }
    out.push_back({i, 10, static_cast<std::size_t>(std::max<ticks>(interval / s.tasks.tasks[i].period, 1))});
  }
  return out;
}

/// Returns feature tracking in thirty video streams: two at 30 frames per second, ten at 20, eighteen at 10 with frames
/// of four times the size, evenly on the clusters. Data and state as published; `kernel` is the time of a small frame
/// on a GPU, which was not, and a CPU works a quarter of that. Source: Elliott 2015, section 4.4.2.
[[nodiscard]] inline auto feature_tracking(std::int32_t gpus_per_cluster, cpu_scheduler scheduler,
                                           service_order engines, ticks kernel = 6 * detail::millisecond)
    -> published_set {
  published_set out{.platform = detail::two_nodes(gpus_per_cluster, 2, 2 * detail::megabyte), .tasks = {}};
  auto& c = out.platform.shape;
  c.scheduler = scheduler;
  c.engines = engines;
  struct streams {
    std::int32_t count;
    ticks period;
    std::int64_t size;
  };
  std::int32_t number = 0;
  for (const streams s :
       {streams{2, 33'333'333, 1}, {10, 50 * detail::millisecond, 1}, {18, 100 * detail::millisecond, 4}}) {
    for (std::int32_t i = 0; i < s.count; ++i, ++number) {
      published_table::task_type t{.wcet = kernel * s.size / 4,
                                   .period = s.period,
                                   .deadline = s.period,
                                   .cpu_in_gpu_section = kernel * s.size / 8,
                                   .bytes_in = s.size * detail::megabyte / 2,
                                   .bytes_out = s.size * detail::megabyte / 2,
                                   .bytes_state = s.size * detail::megabyte * 13 / 2,
                                   .gpu_cluster = number % c.gpu_clusters()};
      while (!c.serves(t.gpu_cluster, t.cpu_cluster)) { ++t.cpu_cluster; }
      t.kernels.unchecked_push_back(kernel * s.size);  // Bound: one kernel.
      out.tasks.add(t);
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::simulation
