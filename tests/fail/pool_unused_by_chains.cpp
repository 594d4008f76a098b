// EXPECT: unused_pool<.*block_slots_resource
// EXPECT: takt: this workload does not use a pool of the platform
// SPDX-License-Identifier: Apache-2.0
#include <takt/graphs.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, engine, gpu);
#else
constexpr auto other = takt::platform(cores, engine, gpu, takt::pool(takt::block_slots(2, 2048), takt::fifo));
#endif
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
