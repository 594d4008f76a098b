// EXPECT: takt: the R2DGLP knows one CPU cluster
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/locked_gpus/tasks/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.cpus = 4, .tokens = takt::token_protocol::ck_omlp};
#else
constexpr takt::gpusync_configuration shape{.cpus = 4, .tokens = takt::token_protocol::r2dglp};
#endif
constexpr takt::gpusync_platform<shape> board{};
