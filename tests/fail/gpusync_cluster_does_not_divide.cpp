// EXPECT: takt: clusters do not divide the CPUs or GPUs
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.cpus = 6, .cpu_cluster_size = 3};
#else
constexpr takt::gpusync_configuration shape{.cpus = 6, .cpu_cluster_size = 4};
#endif
constexpr takt::gpusync_platform<shape> board{};
