// EXPECT: takt: this question is about a GPU whose blocks have one queue; include <takt/graphs.hpp>
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/graph/tags.hpp>
#include <takt/takt.hpp>
#ifdef TAKT_FIXED
#include <takt/graphs.hpp>
#endif

#include "board.hpp"

constexpr auto shared = takt::platform(
    takt::pool(takt::processors(1), takt::edf),
    takt::pool(takt::block_slots(10, 2048, 32), takt::fifo_blocks(takt::per_job_streams, takt::unguarded)));
constexpr auto verdict =
    takt::analyze(shared, takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms),
                                                    takt::kernel(takt::grid(4, 256), takt::block_length(1_ms)))));
