// EXPECT: "track"
// EXPECT: takt: a task is on a CPU cluster that the platform lacks
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/locked_gpus.hpp>

constexpr takt::gpusync_configuration two_clusters{.cpus = 2, .cpu_cluster_size = 1};
using platform = takt::gpusync_platform<two_clusters>;

[[nodiscard]] constexpr auto tasks() {
  takt::task_rows<takt::gpusync_task<takt::ticks>, 1> out;
#ifdef TAKT_FIXED
  out.add({.name = "track", .wcet = 1, .period = 10, .deadline = 10, .cpu_cluster = 1});
#else
  out.add({.name = "track", .wcet = 1, .period = 10, .deadline = 10, .cpu_cluster = 2});
#endif
  return out;
}
constexpr auto verdict = takt::analyze(platform{}, tasks(), takt::plan<1>{}, takt::locked_gpu_methods);
