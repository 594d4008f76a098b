// EXPECT: takt: the task set has no task
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(camera);
#else
constexpr auto tasks = takt::task_set();
#endif
