// EXPECT: segment_is_served<.*npu.*of_task<1>
// EXPECT: takt: no pool of the platform serves this segment of this task
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

using namespace takt::literals;

struct npu {};

constexpr auto tasks =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms)),
                   takt::task("b", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(takt::takes(1_ms))));
#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, takt::pool(npu{}, takt::fifo));
#else
constexpr auto other = takt::platform(cores, takt::pool(takt::copy_engines(1), takt::fifo));
#endif
constexpr auto verdict = takt::analyze(other, tasks);
