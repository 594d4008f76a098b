// EXPECT: takt: tokens without a limit, and a GPU cluster serves several CPU clusters
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.cpus = 4, .tokens_per_gpu = 4};
#else
constexpr takt::gpusync_configuration shape{.cpus = 4, .tokens_per_gpu = takt::unlimited_tokens};
#endif
constexpr takt::gpusync_platform<shape> board{};
