// EXPECT: "track"
// EXPECT: takt: the tasks need more memory than the GPU has
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto memory = takt::memory_units{3};
#else
constexpr auto memory = takt::memory_units{2};
#endif
constexpr auto apps = takt::application_set(takt::application("map", takt::period(1_s), takt::share_priority(2),
                                                              takt::memory_units{2}, takt::scaling_wcet(261_ms)),
                                            takt::application("track", takt::period(2_s), takt::share_priority(1),
                                                              takt::memory_units{1}, takt::scaling_wcet(356_ms)));
constexpr auto verdict =
    takt::analyze(takt::platform(takt::pool(takt::gpu_shares(memory), takt::shares())), apps, takt::published_methods);
