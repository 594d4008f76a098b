// EXPECT: "camera"
// EXPECT: takt: the plan does not fit the platform
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto verdict = takt::analyze(board, takt::task_set(camera), takt::dedicate(1));
#else
constexpr auto verdict = takt::analyze(board, takt::task_set(camera), takt::dedicate(0));
#endif
