// EXPECT: takt: the platform has no processors
// TAKT-TEST: RTGPU-51 a platform without processors is refused with a message
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto verdict = takt::analyze(takt::platform(cores, engine, gpu), takt::task_set(camera), takt::dedicate(1));
#else
constexpr auto verdict = takt::analyze(takt::platform(engine, gpu), takt::task_set(camera), takt::dedicate(1));
#endif
