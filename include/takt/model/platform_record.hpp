// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI {

/// Most cores, and most virtual SMs of a GPU.
inline constexpr std::int32_t max_units = 1 << 20;

/// Holds the limits of what can be resident on an SM at a time. Without threads it is not known, and blocks are taken
/// to fit a virtual SM.
struct sm_residency {
  std::int32_t threads = 0;
  std::int32_t blocks = 0;  ///< 0: never the reason why a block waits
  std::int32_t warp_size = usual_warp_size;

  [[nodiscard]] friend constexpr auto operator==(const sm_residency&, const sm_residency&) noexcept -> bool = default;

  /// Returns how many blocks of so many threads one SM holds, up to a limit. Pre: block_threads >= 1.
  [[nodiscard]] constexpr auto holds(std::int32_t block_threads, std::int32_t most) const noexcept -> std::int32_t {
    TAKT_EXPECTS(block_threads >= 1);
    if (threads < 1 || warp_size < 1) { return most; }
    const std::int64_t fit = threads / detail::whole_warps(block_threads, warp_size);
    const std::int64_t with_slots = blocks > 0 && blocks < fit ? blocks : fit;
    return with_slots < most ? static_cast<std::int32_t>(with_slots) : most;
  }
};

/// A GPU as an analysis sees it. It hands out whole SMs (isolated), on which only the task's own kernels interleave, or
/// virtual SMs (shared). With the latter, kernels of different tasks may sit on one physical SM, and every interleave
/// ratio must hold against any of them.
struct gpu_record {
  std::int32_t sms = 0;
  std::int32_t virtual_per_sm = 1;
  std::int32_t granularity = 1;  ///< shares are multiples of this many SMs (a hardware split unit)
  bool shared = false;
  gpu_speed speed{};
  std::int32_t tokens = 1;  ///< into how many equal parts `locked` divides the SMs
  sm_residency residency{};

  [[nodiscard]] friend constexpr auto operator==(const gpu_record&, const gpu_record&) noexcept -> bool = default;

  /// Returns whether products of its sizes fit. Without SMs, which stands for an unknown number, it is valid, too.
  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    return sms >= 0 && virtual_per_sm > 0 && sms <= max_units / virtual_per_sm && granularity > 0 && speed.valid();
  }
  /// Returns how many units a plan can hand out. Pre: valid; so for the one below.
  [[nodiscard]] constexpr auto budget() const noexcept -> std::int32_t {
    TAKT_EXPECTS(valid());
    return shared ? sms * virtual_per_sm : sms;
  }
  [[nodiscard]] constexpr auto virtual_sms(std::int32_t share) const noexcept -> std::int32_t {
    TAKT_EXPECTS(valid());
    return shared ? share : share * virtual_per_sm;
  }
  /// Returns how many SMs are behind a token; 0 when they do not divide evenly.
  [[nodiscard]] constexpr auto slot() const noexcept -> std::int32_t {
    return tokens < 1 || granularity < 1 ? 0 : sms / granularity / tokens * granularity;
  }
  /// Pre: valid.
  [[nodiscard]] constexpr auto power(std::int32_t share) const noexcept -> sm_power {
    TAKT_EXPECTS(valid());
    return {virtual_sms(share), speed, virtual_per_sm};
  }
};

inline constexpr std::size_t max_gpus = 8;
inline constexpr std::int32_t max_copy_engines = 2;

/// A platform as plain values.
struct platform_record {
  std::int32_t cores = 0;
  std::int32_t copy_engines = 0;
  inline_vector<gpu_record, max_gpus> gpus;

  /// Returns the engine of a copy. A single engine serves both directions; of two, one serves each, and copies of no
  /// stated direction go to the first.
  [[nodiscard]] constexpr auto engine_of(copy_direction d) const noexcept -> std::int32_t {
    return copy_engines == 2 && detail::takes_second_engine(d) ? 1 : 0;
  }
};

}  // namespace takt::inline TAKT_ABI
