// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::program {

inline constexpr std::int32_t max_cores = 1024;
inline constexpr std::int32_t max_sms = 4096;
inline constexpr std::int32_t max_virtual_per_sm = 64;
inline constexpr std::int32_t max_threads = 65536;
inline constexpr std::int32_t max_warp = 1024;
inline constexpr std::int32_t max_levels = 4096;
inline constexpr std::int32_t max_engine_count = 65536;
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 48;
inline constexpr std::int64_t most_tokens_of_gpu = 64;
inline constexpr std::int64_t most_bytes_per_us = std::int64_t{1} << 40;

}  // namespace takt::program
