// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/contention.hpp>

namespace takt::inline TAKT_ABI::generation {

/// This is an invented stand-in for the GPU and the programs of Yao et al. 2022, who publish execution times, periods
/// and priorities but neither the times at other shares nor a counter. Everything else here is made up: chosen so that
/// the curves of their figures keep their shape, measured nowhere, and no property of any real GPU or benchmark.

enum class arrival : std::uint8_t { periodic, sporadic };

/// Unit of times: microseconds.
struct synthetic_application {
  std::string_view name;
  ticks wcet = 0;             ///< alone on the whole GPU; published
  ticks period = 0;           ///< and deadline; 0: not published, drawn from a utilization
  std::int32_t priority = 0;  ///< larger: more urgent; published
  arrival releases = arrival::periodic;
  std::int32_t fixed_permille = 0;  ///< part of `wcet` that no share shortens; invented
  resource_profile use_percent{};   ///< of each resource when alone on the whole GPU; invented
};

namespace detail {

inline constexpr std::int32_t most_fixed_permille = 980;

[[nodiscard]] constexpr auto with_fixed_parts_scaled(std::array<synthetic_application, 10> all) noexcept
    -> std::array<synthetic_application, 10> {
  for (synthetic_application& a : all) {
    const std::int32_t stretched = a.fixed_permille * 3 / 2;
    a.fixed_permille = stretched < most_fixed_permille ? stretched : most_fixed_permille;
  }
  return all;
}

}  // namespace detail

/// Table 3 of Yao et al. 2022: programs of Rodinia and of numerical libraries, here with invented demands.
inline constexpr std::array<synthetic_application, 10> synthetic_benchmarks = detail::with_fixed_parts_scaled({{
    {"GS", 261'000, 0, 10, arrival::periodic, 500, {30, 50, 60, 0, 0}},
    {"HW", 356'000, 0, 9, arrival::periodic, 300, {60, 40, 30, 40, 0}},
    {"CFD", 2'081'000, 0, 8, arrival::periodic, 200, {50, 60, 80, 0, 0}},
    {"KM", 79'000, 0, 7, arrival::periodic, 600, {40, 40, 50, 0, 60}},
    {"LM", 448'000, 0, 6, arrival::periodic, 100, {90, 20, 10, 60, 0}},
    {"LC", 144'000, 0, 5, arrival::periodic, 300, {70, 20, 20, 30, 50}},
    {"LUD", 28'000, 0, 4, arrival::periodic, 500, {50, 30, 20, 70, 0}},
    {"MC", 531'000, 0, 3, arrival::periodic, 900, {10, 10, 5, 0, 0}},
    {"SRD", 301'000, 0, 2, arrival::periodic, 400, {50, 50, 60, 40, 0}},
    {"ST", 1'444'000, 0, 1, arrival::periodic, 400, {50, 60, 70, 20, 0}},
}});

/// Table 4 of Yao et al. 2022: an airborne set, here with invented demands.
inline constexpr std::array<synthetic_application, 5> synthetic_airborne = {{
    {"BD", 405'000, 1'000'000, 10, arrival::periodic, 600, {60, 40, 40, 30, 0}},
    {"CM", 1'712'000, 5'000'000, 8, arrival::periodic, 600, {60, 40, 40, 30, 0}},
    {"MA", 2'071'000, 30'000'000, 6, arrival::sporadic, 600, {50, 50, 60, 20, 0}},
    {"PP", 2'896'000, 30'000'000, 5, arrival::sporadic, 700, {40, 30, 30, 20, 0}},
    {"OD", 8'495'000, 20'000'000, 3, arrival::periodic, 500, {80, 50, 60, 50, 20}},
}};

namespace detail {

/// Says how much two programs that both use all of a resource slow each other down, were it the only one.
inline constexpr std::uint32_t synthetic_contention_ppm = 100'000;

/// Returns by how much `of` is slower beside `by` when `by` holds the whole GPU, in millionths.
[[nodiscard]] constexpr auto synthetic_slowdown_ppm(const synthetic_application& of,
                                                    const synthetic_application& by) noexcept -> std::uint32_t {
  return profiled_slowdown(of.use_percent, by.use_percent, synthetic_contention_ppm);
}

/// Returns the time alone at a share of 1 to 100: the scaling part of `wcet` grows as 100 / share.
[[nodiscard]] constexpr auto synthetic_isolated_wcet(const synthetic_application& a, std::int32_t share) noexcept
    -> ticks {
  const std::int64_t stretched = std::int64_t{a.fixed_permille} * share + (1000 - std::int64_t{a.fixed_permille}) * 100;
  return ceil_divide(a.wcet * stretched, 1000 * std::int64_t{share});
}

}  // namespace detail

/// Beside others: each slows it in proportion to its share. `shares`: one per application of `set`, 0 for those that do
/// not run; that of `self` is its own. Pre: 1 <= own share, the sum is at most 100.
template <std::size_t Count>
[[nodiscard]] constexpr auto synthetic_co_run_time(const std::array<synthetic_application, Count>& set,
                                                   std::size_t self,
                                                   const std::array<std::int32_t, Count>& shares) noexcept -> ticks {
  TAKT_EXPECTS(self < Count && 1 <= shares[self]);
  constexpr std::int64_t whole = 100'000'000;
  std::int64_t slowdown = whole;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < Count; ++k) {
    sum += shares[k];
    if (k != self) { slowdown += std::int64_t{detail::synthetic_slowdown_ppm(set[self], set[k])} * shares[k]; }
  }
  TAKT_EXPECTS(sum <= 100);
  return ceil_divide(detail::synthetic_isolated_wcet(set[self], shares[self]) * slowdown, whole);
}

namespace detail {

/// Returns counts per millisecond while the application has a whole GPU. They are in the order of `workload_indicator`:
/// two counters of the SMs, two of the L2 cache, two of global memory, four of shared memory, one of textures.
[[nodiscard]] constexpr auto synthetic_counters(const synthetic_application& a) noexcept
    -> std::array<std::int64_t, 11> {
  const auto [sms, l2, dram, shared, texture] = a.use_percent;
  return {std::int64_t{sms} * 12'800, std::int64_t{sms} * 640,   std::int64_t{l2} * 900,     std::int64_t{l2} * 300,
          std::int64_t{dram} * 1'500, std::int64_t{dram} * 500,  std::int64_t{shared} * 800, std::int64_t{shared} * 400,
          std::int64_t{shared} * 80,  std::int64_t{shared} * 40, std::int64_t{texture} * 600};
}

}  // namespace detail

/// Returns the counters of each application of a set, as what networks are trained on.
template <std::size_t Count>
[[nodiscard]] constexpr auto synthetic_profiles(const std::array<synthetic_application, Count>& set) noexcept
    -> std::array<std::array<double, 11>, Count> {
  std::array<std::array<double, 11>, Count> out{};
  for (std::size_t k = 0; k < Count; ++k) {
    const auto counters = detail::synthetic_counters(set[k]);
    for (std::size_t i = 0; i < counters.size(); ++i) { out[k][i] = static_cast<double>(counters[i]); }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::generation
