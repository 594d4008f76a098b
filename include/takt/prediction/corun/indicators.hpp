// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what describes the load that a running application puts on the GPU. Source: Yao et al. 2022, Table 1; its text
/// speaks of a third indicator of the SMs and never names it.
enum class workload_indicator : std::uint8_t {
  instructions,
  warps,
  l2_reads,
  l2_writes,
  global_loads,
  global_stores,
  shared_loads,
  shared_stores,
  shared_load_conflicts,
  shared_store_conflicts,
  texture_loads,
};
inline constexpr std::size_t workload_indicators = 11;

[[nodiscard]] constexpr auto name_of(workload_indicator i) noexcept -> std::string_view {
  constexpr std::array<std::string_view, workload_indicators> names{
      "instructions", "warps",        "l2_read",        "l2_write",       "global_load", "global_store",
      "shared_load",  "shared_store", "shared_ldbconf", "shared_stbconf", "texture_load"};
  const auto at = static_cast<std::size_t>(i);
  return at < names.size() ? names[at] : std::string_view{};
}

/// Lists what the profiler counts. The L2 cache and the texture units have two partitions with a counter each.
enum class raw_event : std::uint8_t {
  inst_executed,
  active_warps,
  l2_subp0_total_read_sector_queries,
  l2_subp1_total_read_sector_queries,
  l2_subp0_total_write_sector_queries,
  l2_subp1_total_write_sector_queries,
  global_load,
  global_store,
  shared_ld_transactions,
  shared_st_transactions,
  shared_ld_bank_conflict,
  shared_st_bank_conflict,
  tex0_cache_sector_queries,
  tex1_cache_sector_queries,
};
inline constexpr std::size_t raw_events = 14;

[[nodiscard]] constexpr auto name_of(raw_event e) noexcept -> std::string_view {
  constexpr std::array<std::string_view, raw_events> names{"inst_executed",
                                                           "active_warps",
                                                           "l2_subp0_total_read_sector_queries",
                                                           "l2_subp1_total_read_sector_queries",
                                                           "l2_subp0_total_write_sector_queries",
                                                           "l2_subp1_total_write_sector_queries",
                                                           "global_load",
                                                           "global_store",
                                                           "shared_ld_transactions",
                                                           "shared_st_transactions",
                                                           "shared_ld_bank_conflict",
                                                           "shared_st_bank_conflict",
                                                           "tex0_cache_sector_queries",
                                                           "tex1_cache_sector_queries"};
  const auto at = static_cast<std::size_t>(e);
  return at < names.size() ? names[at] : std::string_view{};
}

namespace detail {

/// Returns the indicator that an event counts towards.
[[nodiscard]] constexpr auto indicator_of(raw_event e) noexcept -> workload_indicator {
  using enum workload_indicator;
  constexpr std::array<workload_indicator, raw_events> of{instructions,
                                                          warps,
                                                          l2_reads,
                                                          l2_reads,
                                                          l2_writes,
                                                          l2_writes,
                                                          global_loads,
                                                          global_stores,
                                                          shared_loads,
                                                          shared_stores,
                                                          shared_load_conflicts,
                                                          shared_store_conflicts,
                                                          texture_loads,
                                                          texture_loads};
  return of[static_cast<std::size_t>(e)];
}

}  // namespace detail

/// Holds what an application does to the GPU: a rate per indicator, so that runs of different lengths compare.
template <std::size_t Indicators = workload_indicators>
using workload_profile = std::array<double, Indicators>;

/// Holds what a predictor sees: the indicators of all others, then the own share. Another number of indicators makes
/// another type of network, not another network.
template <std::size_t Indicators = workload_indicators>
using workload_input = std::array<double, Indicators + 1>;

/// Returns events counted in a window as rates per tick of it. Pre: window > 0.
[[nodiscard]] constexpr auto to_profile(const std::array<std::uint64_t, raw_events>& counts, double window) noexcept
    -> workload_profile<> {
  TAKT_EXPECTS(window > 0);
  workload_profile<> out{};
  for (std::size_t e = 0; e < raw_events; ++e) {
    out[static_cast<std::size_t>(detail::indicator_of(static_cast<raw_event>(e)))] +=
        static_cast<double>(counts[e]) / window;
  }
  return out;
}

/// Returns the input of `self` beside others, from profiles that each application showed alone on the whole GPU. It is
/// the sum of profile x share / 100 over the others. Unlike the paper's counters, read while all run, it is known
/// before another one starts. `shares`: one per profile, 0 for those that do not run. Pre: self < shares.size() =
/// profiles.size().
template <std::size_t Indicators>
[[nodiscard]] constexpr auto input_of(std::span<const workload_profile<Indicators>> profiles,
                                      std::span<const std::int32_t> shares, std::size_t self) noexcept
    -> workload_input<Indicators> {
  TAKT_EXPECTS(self < shares.size() && shares.size() == profiles.size());
  workload_input<Indicators> out{};
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (k == self) { continue; }
    for (std::size_t i = 0; i < Indicators; ++i) { out[i] += profiles[k][i] * shares[k] / 100; }
  }
  out[Indicators] = shares[self];
  return out;
}

}  // namespace takt::inline TAKT_ABI
