// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/takt.hpp>

using namespace takt::literals;

inline constexpr auto cores = takt::pool(takt::processors(1), takt::fixed_priority);
inline constexpr auto engine = takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority));
inline constexpr auto gpu = takt::pool(takt::virtual_sms(2, 2), takt::federated);
inline constexpr auto board = takt::platform(cores, engine, gpu);

inline constexpr auto camera =
    takt::task("camera", takt::period(33_ms), takt::cpu(1_ms, 2_ms), takt::copy(400_us, 500_us),
               takt::kernel(takt::work(8_ms, 12_ms), takt::overhead(20_us), takt::interleave(9, 5)),
               takt::copy(150_us, 200_us), takt::cpu(500_us, 1_ms));
