// EXPECT: takt: the association names a cluster that the platform lacks
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.association = {{0b1}}};
#else
constexpr takt::gpusync_configuration shape{.association = {{0b100}}};
#endif
constexpr takt::gpusync_platform<shape> board{};
