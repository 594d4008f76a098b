// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/choice.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Says which tokens of a pool belong to one GPU: neighbours, or every g-th.
enum class token_layout : std::uint8_t { block, interleaved };
[[nodiscard]] constexpr auto last_of(token_layout) noexcept -> token_layout { return token_layout::interleaved; }

/// Lists what is to be said about a pool of tokens before it is used.
enum class token_finding : std::uint8_t {
  none,
  no_tokens,                 ///< no GPU, no token per GPU, no known layout, or more tokens than can be numbered
  engines_never_all_busy,    ///< fewer tokens per GPU than a GPU has engines: sound, but some engine is always idle
  gpus_differ_from_topology  ///< the map has another number of GPUs
};

/// The tokens of a GPU cluster: rho for each of its g GPUs, k = rho * g in all. The layout matters only where a choice
/// among idle GPUs is open, where a block fills the first GPU before the second.
/// Differs from Elliott 2015, footnote 8 of section 3.2.3.2, which divides by g instead of rho and so names GPUs that
/// do not exist.
struct token_map {
  std::int32_t gpus = 1;
  std::int32_t tokens_per_gpu = 1;
  token_layout layout = token_layout::block;

  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    return gpus > 0 && tokens_per_gpu > 0 && tokens_per_gpu <= std::numeric_limits<replica_id>::max() / gpus &&
           is_known(layout);
  }
  /// Pre: the map is valid.
  [[nodiscard]] constexpr auto tokens() const noexcept -> replica_id {
    TAKT_EXPECTS(valid());
    return tokens_per_gpu * gpus;
  }
  /// Pre: the map is valid, and 0 <= token < tokens().
  [[nodiscard]] constexpr auto gpu_of(replica_id token) const noexcept -> std::int32_t {
    TAKT_EXPECTS(0 <= token && token < tokens());
    switch (layout) {
      case token_layout::block: return token / tokens_per_gpu;
      case token_layout::interleaved: return token % gpus;
    }
    return 0;
  }
  /// Pre: the map is valid, and 0 <= gpu < gpus.
  [[nodiscard]] constexpr auto first_of(std::int32_t gpu) const noexcept -> replica_id {
    TAKT_EXPECTS(valid() && 0 <= gpu && gpu < gpus);
    switch (layout) {
      case token_layout::block: return gpu * tokens_per_gpu;
      case token_layout::interleaved: return gpu;
    }
    return 0;
  }

  template <std::size_t MaxGpus, std::size_t MaxHubs>
  [[nodiscard]] constexpr auto check(const gpu_topology<MaxGpus, MaxHubs>& topology) const noexcept -> token_finding {
    if (!valid()) { return token_finding::no_tokens; }
    if (topology.gpus() != gpus) { return token_finding::gpus_differ_from_topology; }
    for (std::int32_t g = 0; g < gpus; ++g) {
      if (tokens_per_gpu < topology.engines(g)) { return token_finding::engines_never_all_busy; }
    }
    return token_finding::none;
  }

  [[nodiscard]] friend constexpr auto operator==(const token_map&, const token_map&) noexcept -> bool = default;
};

}  // namespace takt::inline TAKT_ABI
