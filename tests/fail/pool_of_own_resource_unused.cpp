// EXPECT: unused_pool<.*npu
// EXPECT: takt: this workload does not use a pool of the platform
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

struct npu {};

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cores, engine, gpu);
#else
constexpr auto other = takt::platform(cores, engine, gpu, takt::pool(npu{}, takt::fifo));
#endif
constexpr auto verdict = takt::analyze(other, takt::task_set(camera));
