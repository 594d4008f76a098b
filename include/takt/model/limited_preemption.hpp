// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/visit.hpp>

namespace takt::inline TAKT_ABI {

/// The longest interval of a CPU segment in which its processor cannot be taken from it. It may begin at any instant of
/// the segment, and there may be several: floating non-preemptive regions.
/// Source: Baruah 2005; Yao, Buttazzo and Bertogna 2009.
struct longest_region {
  static constexpr std::string_view name = "nonpreemptive_region";
  duration time;
};
/// Zero: the segment can be preempted anywhere.
[[nodiscard]] constexpr auto nonpreemptive_region(duration longest) noexcept -> longest_region { return {longest}; }

/// Time on a CPU that says how long it keeps it. Only the rules of pools read it.
struct limited_cpu_segment {
  using resource = processors_resource;
  interval<duration> time;
  duration region{};
  std::string_view label{};  ///< see `named`
};

[[nodiscard]] constexpr auto cpu(duration bcet, duration wcet, longest_region r) noexcept -> limited_cpu_segment {
  return {{bcet, wcet}, r.time};
}
[[nodiscard]] constexpr auto cpu(duration wcet, longest_region r) noexcept -> limited_cpu_segment {
  return {{duration{}, wcet}, r.time};
}

template <>
struct detail::fact_access<execution_time, limited_cpu_segment> {
  [[nodiscard]] static constexpr auto get(const limited_cpu_segment& s) noexcept -> execution_time { return {s.time}; }
};

namespace detail {

template <class S>
inline constexpr bool is_cpu_segment = std::same_as<S, cpu_segment> || std::same_as<S, limited_cpu_segment>;

/// Returns the region of a visit whose longest time changed from `before` to `now`. A region that was all of it stays
/// so. Others grow by what was added, but never to all of it. Pre: 0 <= region <= before.
[[nodiscard]] constexpr auto region_in(ticks region, ticks before, ticks now) noexcept -> ticks {
  TAKT_EXPECTS(0 <= region && region <= before);
  if (region == 0 || before == now) { return region; }
  if (region == before) { return now; }
  const ticks grown = now > before ? region + (now - before) : region;
  return grown < now ? grown : now > 0 ? now - 1 : 0;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
