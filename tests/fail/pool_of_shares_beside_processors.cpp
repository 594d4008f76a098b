// EXPECT: takt: a GPU that is granted by shares is a platform of its own
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, engine, gpu);
#else
constexpr auto other = takt::platform(cores, engine, takt::pool(takt::gpu_shares(), takt::shares()));
#endif
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
