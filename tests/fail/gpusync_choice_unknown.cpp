// EXPECT: takt: a choice is none of those that its type names
// SPDX-License-Identifier: Apache-2.0
#include <takt/model/gpusync/platform.hpp>

#ifdef TAKT_FIXED
constexpr takt::gpusync_configuration shape{.tokens = takt::token_protocol::r2dglp};
#else
constexpr takt::gpusync_configuration shape{.tokens = static_cast<takt::token_protocol>(9)};
#endif
constexpr takt::gpusync_platform<shape> board{};
