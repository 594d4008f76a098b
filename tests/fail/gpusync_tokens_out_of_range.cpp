// EXPECT: takt: a GPU's tokens, copy engines or chunks are out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.tokens_per_gpu = takt::unlimited_tokens};
#else
constexpr takt::gpusync_configuration shape{.tokens_per_gpu = 65};
#endif
constexpr takt::gpusync_platform<shape> board{};
