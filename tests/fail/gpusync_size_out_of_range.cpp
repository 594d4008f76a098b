// EXPECT: takt: the number of CPUs, GPUs or nodes is out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.cpus = 4, .gpus = 2};
#else
constexpr takt::gpusync_configuration shape{.cpus = 4, .gpus = 0};
#endif
constexpr takt::gpusync_platform<shape> board{};
