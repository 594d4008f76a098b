// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/analysis/tokens/delays.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds what is known of tokens under a rule. A rule that brings its bounds as members needs nothing here.
template <class Rule>
struct token_bounds {
  static constexpr void delays(const Rule& rule, std::span<section_demand> sections, const token_setting& at)
    requires BoundsDelays<Rule>
  {
    rule.delays(sections, at);
  }
  [[nodiscard]] static constexpr auto blocks(const Rule& rule, std::span<section_demand> sections,
                                             const token_setting& at, std::int32_t processors) -> ticks
    requires takt::detail::BoundsBlocking<Rule>
  {
    return rule.blocks(sections, at, processors);
  }
};

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
struct token_bounds<fifo_order_rule> {
  static constexpr void delays(fifo_order_rule /*rule*/, std::span<section_demand> sections, const token_setting& at) {
    arrival_order_delays(sections, at.tokens);
  }
};

/// In one cluster the count holds in suspension-oblivious terms too: the head of each queue inherits.
template <>
struct token_bounds<k_fmlp_order_rule> {
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
struct token_bounds<r2dglp_order_rule> {
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
struct token_bounds<ck_omlp_order_rule> {
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

/// A more important job overtakes, and one that has the token keeps it. Where points change from job to job, all
/// do.
template <>
struct token_bounds<priority_mutex_rule> {
  static constexpr void delays(priority_mutex_rule /*rule*/, std::span<section_demand> sections,
                               const token_setting& at) {
    work_conserving_delays(sections, at.tokens, [](const section_demand& own, const section_demand& other) {
      return !own.fixed || !other.fixed || own.assigned_station != other.assigned_station || other.point <= own.point;
    });
  }
};

template <class Rule>
concept KnowsDelays = requires(const Rule& rule, std::span<section_demand> sections, const token_setting& at) {
  token_bounds<Rule>::delays(rule, sections, at);
};
template <class Rule>
concept KnowsBlocking = requires(const Rule& rule, std::span<section_demand> sections, const token_setting& at) {
  { token_bounds<Rule>::blocks(rule, sections, at, 1) } -> std::same_as<ticks>;
};

/// Says whether waits under a rule are known, or blocking that takes their place.
template <class Rule>
inline constexpr bool has_token_bound =
    KnowsDelays<Rule> || KnowsBlocking<Rule> || takt::detail::token_is_local<Rule>();

}  // namespace takt::inline TAKT_ABI::analysis
