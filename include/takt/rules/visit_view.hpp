// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a rule makes of the facts of a visit.
struct visit_view {
  interval<ticks> time{};
  view_values values{};
  model_fault fault = model_fault::none;
  lacking_facts lacks{};  ///< of a `visit_time_unknown`
};

/// Says where a view is asked for: the pool, and what the plan gives the task of it.
struct visit_placement {
  gpu_record gpu{};  ///< of no SMs where the pool is no GPU
  std::int32_t units = 1;
  std::uint32_t task = 0;    ///< position of the task
  std::int32_t sms = 0;      ///< of the plan's share, 0: none
  std::int32_t percent = 0;  ///< of the plan's lasting share, 0: none
};

/// Holds if a rule says how long a segment takes.
template <class Rule, class Segment>
concept Views = requires(const Rule& rule, const Segment& s, const visit_placement& at) {
  { rule.view(s, at).time } -> std::convertible_to<interval<ticks>>;
} || requires(const Rule& rule, const Segment& s, const visit_placement& at) {
  { rule.view(s, at) } -> std::convertible_to<interval<ticks>>;
} || requires(const Rule& rule, const Segment& s) {
  { rule.view(s).time } -> std::convertible_to<interval<ticks>>;
} || requires(const Rule& rule, const Segment& s) {
  { rule.view(s) } -> std::convertible_to<interval<ticks>>;
};

namespace detail {

/// A rule that reads of a visit which others are at its station: `beside` is asked of each two visits there, and
/// changes the first one's values.
template <class Rule>
concept LooksBeside =
    requires(const Rule& rule, view_values& own, const view_values& other) { rule.beside(own, other); };

/// Returns the view of a visit that no fact gives a time; one of these would.
[[nodiscard]] constexpr auto unknown_time(const lacking_facts& facts = {}) noexcept -> visit_view {
  return {.fault = model_fault::visit_time_unknown, .lacks = facts};
}
[[nodiscard]] constexpr auto as_view(const visit_view& v) noexcept -> visit_view { return v; }
[[nodiscard]] constexpr auto as_view(const interval<ticks>& time) noexcept -> visit_view { return {.time = time}; }

template <class Rule, class Segment>
  requires Views<Rule, Segment>
[[nodiscard]] constexpr auto view_by(const Rule& rule, const Segment& s, const visit_placement& at) -> visit_view {
  if constexpr (requires { rule.view(s, at); }) {
    return detail::as_view(rule.view(s, at));
  } else {
    return detail::as_view(rule.view(s));
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
