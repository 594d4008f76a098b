// EXPECT: takt: a choice is none of those that its type names
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.migration = takt::migration_path::system_memory};
#else
constexpr takt::gpusync_configuration shape{.migration = static_cast<takt::migration_path>(9)};
#endif
constexpr takt::gpusync_platform<shape> board{};
