// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/analysis/tokens/bounds.hpp>
#include <takt/analysis/tokens/delays.hpp>
#include <takt/analysis/tokens/queue_delays.hpp>
#include <takt/core/number.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::detail {

template <>
inline constexpr bool is_included<needed_header::tokens> = true;

}  // namespace takt::inline TAKT_ABI::detail

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

[[nodiscard]] constexpr auto one_assigned_station(std::span<const section_demand> sections) noexcept -> bool {
  for (const section_demand& s : sections) {
    if (s.assigned_station != sections[0].assigned_station) { return false; }
  }
  return true;
}
[[nodiscard]] constexpr auto longest_section(std::span<const section_demand> sections) noexcept -> ticks {
  ticks longest = 0;
  for (const section_demand& s : sections) { longest = longest < s.length ? s.length : longest; }
  return longest;
}
[[nodiscard]] constexpr auto ticks_of(const blocking_bound<ticks>& b) noexcept -> ticks {
  return b.bounded() && b.time < unbounded_response ? b.time : unbounded_response;
}

}  // namespace detail

template <>
struct detail::token_bounds<fifo_order_rule> {
  static constexpr void delays(fifo_order_rule /*rule*/, std::span<section_demand> sections, const token_setting& at) {
    arrival_order_delays(sections, at.tokens);
  }
};

/// In one cluster the count holds in suspension-oblivious terms too: the head of each queue inherits.
template <>
struct detail::token_bounds<k_fmlp_order_rule> {
  static constexpr void delays(k_fmlp_order_rule /*rule*/, std::span<section_demand> sections,
                               const token_setting& at) {
    shortest_queue_delays(sections, at.tokens);
  }
  [[nodiscard]] static constexpr auto blocks(k_fmlp_order_rule /*rule*/, std::span<section_demand> sections,
                                             const token_setting& at, std::int32_t /*processors*/) -> ticks {
    if (!detail::one_assigned_station(sections)) { return unbounded_response; }
    shortest_queue_delays(sections, at.tokens);
    return 0;
  }
};

/// In wall-clock time no more is known than that no token is free while a job waits.
template <>
struct detail::token_bounds<r2dglp_order_rule> {
  static constexpr void delays(r2dglp_order_rule /*rule*/, std::span<section_demand> sections,
                               const token_setting& at) {
    work_conserving_delays(sections, at.tokens);
  }
  [[nodiscard]] static constexpr auto blocks(r2dglp_order_rule /*rule*/, std::span<section_demand> sections,
                                             const token_setting& at, std::int32_t /*processors*/) -> ticks {
    if (!detail::one_assigned_station(sections)) { return unbounded_response; }
    for (std::size_t s = 0; s < sections.size(); ++s) {
      const bool waits = detail::others_at_a_time(sections, s) >= at.tokens;
      const ticks longest = detail::longest_ahead(sections, s, 1);
      detail::set_wait(sections[s],
                       waits ? detail::ticks_of(r2dglp_wait<ticks>(at.processors, at.tokens, longest)) : 0);
    }
    return 0;
  }
};

/// Only in suspension-oblivious terms: a donor waits for others, and so does a job that is not among the best.
template <>
struct detail::token_bounds<ck_omlp_order_rule> {
  [[nodiscard]] static constexpr auto blocks(ck_omlp_order_rule /*rule*/, std::span<section_demand> sections,
                                             const token_setting& at, std::int32_t processors) -> ticks {
    for (std::size_t s = 0; s < sections.size(); ++s) {
      const bool waits = detail::others_at_a_time(sections, s) >= at.tokens;
      const ticks longest = detail::longest_ahead(sections, s, 1);
      detail::set_wait(sections[s],
                       waits ? detail::ticks_of(ck_omlp_direct<ticks>(processors, at.tokens, longest)) : 0);
    }
    return detail::ticks_of(ck_omlp_indirect<ticks>(processors, at.tokens, detail::longest_section(sections)));
  }
};

}  // namespace takt::inline TAKT_ABI::analysis
