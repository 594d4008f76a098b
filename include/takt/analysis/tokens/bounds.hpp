// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/tokens/delays.hpp>
#include <takt/core/number.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/locking/mutex_orders.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// A rule of tokens that says by `bounds_header` where its bounds are, and that header is missing.
template <class Rule>
concept LacksTokenBoundsHeader = requires { Rule::bounds_header; } && !BoundsDelays<Rule> &&
                                 !takt::detail::BoundsBlocking<Rule> && !takt::detail::is_included<Rule::bounds_header>;

template <class Rule>
struct token_bounds_are_included : takt::detail::no_header_needed {};
template <LacksTokenBoundsHeader Rule>
struct token_bounds_are_included<Rule> : takt::detail::header_is_included<Rule::bounds_header, false> {};

/// Holds what is known of tokens under a rule. A rule that brings its bounds as members needs nothing here. Bounds of
/// queues of tokens are in <takt/analysis/tokens/queue_bounds.hpp>.
template <class Rule>
struct token_bounds {
  static_assert(detail::token_bounds_are_included<Rule>::passed);
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

}  // namespace takt::inline TAKT_ABI::analysis::detail
