// EXPECT: segment\[2\].*"camera"
// EXPECT: takt: a task has a kernel, but the platform has no GPU
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto verdict = takt::analyze(takt::platform(cores, engine, gpu), takt::task_set(camera), takt::dedicate(1),
                                       takt::published_methods);
#else
constexpr auto verdict =
    takt::analyze(takt::platform(cores, engine), takt::task_set(camera), takt::dedicate(1), takt::published_methods);
#endif
