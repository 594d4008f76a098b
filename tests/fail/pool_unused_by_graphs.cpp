// EXPECT: unused_pool<.*npu
// EXPECT: takt: this workload does not use a pool of the platform
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

struct npu {};

constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms))));
constexpr auto cpus = takt::pool(takt::processors(2), takt::g_fl);
#ifdef TAKT_FIXED
constexpr auto other = takt::platform(cpus);
#else
constexpr auto other = takt::platform(cpus, takt::pool(npu{}, takt::fifo));
#endif
constexpr auto verdict = takt::analyze(other, graphs, takt::published_methods);
