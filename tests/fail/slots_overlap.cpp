// EXPECT: takt: two slots overlap
// TAKT-TEST: AP-16 slots that overlap do not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto sms =
    takt::platform(takt::pool(takt::accelerator(2), takt::slots(takt::edf, takt::pinned_slot(0_ms, 8_ms),
                                                                takt::gang_slot(8_ms, 4_ms), takt::period(12_ms))));
#else
constexpr auto sms =
    takt::platform(takt::pool(takt::accelerator(2), takt::slots(takt::edf, takt::pinned_slot(0_ms, 8_ms),
                                                                takt::gang_slot(7_ms, 4_ms), takt::period(12_ms))));
#endif
