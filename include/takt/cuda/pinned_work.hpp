// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#if defined(__CUDACC__)
#define TAKT_HOST_DEVICE __host__ __device__
#else
#define TAKT_HOST_DEVICE
#endif

namespace takt::cuda {

/// The logical indices 0 to count - 1 of a kernel in chunks of `length`, the last one maybe shorter. A chunk is what
/// one block does without a look at anybody else.
struct pinned_work {
  std::int64_t count = 0;
  std::int64_t length = 1;
  std::uint32_t chunks = 0;
  std::uint32_t job = 0;  ///< which job on its `pinning_state` this is, from 0, one after the other

  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto first(std::uint32_t chunk) const noexcept -> std::int64_t {
    return static_cast<std::int64_t>(chunk) * length;
  }
  /// One past the last index.
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto last(std::uint32_t chunk) const noexcept -> std::int64_t {
    return count - first(chunk) < length ? count : first(chunk) + length;
  }
};

/// None unless count >= 0, length >= 1 and the chunks are fewer than 2^32 - 1.
[[nodiscard]] constexpr auto divide_work(std::int64_t count, std::int64_t length, std::uint32_t job = 0) noexcept
    -> std::optional<pinned_work> {
  if (count < 0 || length < 1) { return std::nullopt; }
  const std::int64_t chunks = count / length + (count % length != 0 ? 1 : 0);
  if (chunks >= std::numeric_limits<std::uint32_t>::max()) { return std::nullopt; }
  return pinned_work{count, length, static_cast<std::uint32_t>(chunks), job};
}

/// Blocks that cover `count` elements of `block_length` each, none of them lost where the sizes do not divide. Pre:
/// count >= 0, block_length >= 1. Source: Elliott 2015, section 2.4.2.1.
[[nodiscard]] constexpr auto grid_for(std::int64_t count, std::int64_t block_length) noexcept -> std::int64_t {
  return count / block_length + (count % block_length != 0 ? 1 : 0);
}

}  // namespace takt::cuda

#undef TAKT_HOST_DEVICE
