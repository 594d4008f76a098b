// EXPECT: takt: a slot does not lie in its period
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto sms =
    takt::platform(takt::pool(takt::accelerator(2), takt::slots(takt::edf, takt::pinned_slot(0_ms, 12_ms),
                                                                takt::gang_slot(0_ms, 0_ms), takt::period(12_ms))));
#else
constexpr auto sms =
    takt::platform(takt::pool(takt::accelerator(2), takt::slots(takt::edf, takt::pinned_slot(0_ms, 13_ms),
                                                                takt::gang_slot(0_ms, 0_ms), takt::period(12_ms))));
#endif
