// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>

namespace takt::inline TAKT_ABI {

/// Threads of a warp where nothing else is stated, as on all of NVIDIA's GPUs. AMD's of the series Vega and MI have 64.
inline constexpr std::int32_t usual_warp_size = 32;

/// Threads of the largest block that a GPU of NVIDIA or AMD starts.
inline constexpr std::int64_t most_block_threads = 1024;
namespace detail {

[[nodiscard]] constexpr auto is_block_size(std::int64_t threads) noexcept -> bool {
  return threads >= 1 && threads <= most_block_threads;
}

/// Threads that a block holds of its SM until it ends: an SM hands out whole warps. Pre: neither is below 1.
[[nodiscard]] constexpr auto whole_warps(std::int64_t threads, std::int32_t warp_size) noexcept -> std::int64_t {
  TAKT_EXPECTS(threads >= 1 && warp_size >= 1);
  return ceil_divide<std::int64_t>(threads, warp_size) * warp_size;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
