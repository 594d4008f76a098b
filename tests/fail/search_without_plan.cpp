// EXPECT: takt: a search of one's own is called with the platform, the tasks and a test, and returns a plan
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto all_sms = [](const auto& /*board*/, const auto& /*tasks*/, const auto& /*test*/) {
  return takt::dedicate(2);
};
#else
constexpr auto all_sms = [](const auto& /*board*/, const auto& /*tasks*/) { return takt::dedicate(2); };
#endif
constexpr auto plan = takt::allocate(board, takt::task_set(camera), all_sms);
