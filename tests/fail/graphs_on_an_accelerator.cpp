// EXPECT: unused_pool<.*accelerator_resource
// EXPECT: takt: this workload does not use a pool of the platform
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms))));
#ifdef TAKT_FIXED
constexpr auto other = takt::platform(takt::pool(takt::processors(2), takt::g_fl));
#else
constexpr auto other = takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf)));
#endif
constexpr auto verdict = takt::analyze(other, graphs, takt::published_methods);
