// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/rules/time_slices.hpp>

namespace takt {

/// What whoever carries out the decisions of a rule's server has to know of it.
struct unit_habits {
  bool takes_units_back = false;  ///< before a visit is over
  bool takes_turns = false;       ///< of these times
  turn_times turns{};
  bool stops_kernels = false;      ///< at the ends of waves, whose length is in the view
  bool tells_cores_apart = false;  ///< units are SMs, and `any_core` is all of them

  [[nodiscard]] friend constexpr auto operator==(const unit_habits&, const unit_habits&) noexcept -> bool = default;
};

namespace detail {

template <class Rule>
[[nodiscard]] constexpr auto habits_of(const Rule& rule) noexcept -> unit_habits {
  unit_habits out;
  if constexpr (TakesTurns<Rule>) {
    out.takes_turns = true;
    out.turns = rule.turns();
  }
  if constexpr (requires { Rule::preemptive; }) { out.takes_units_back = Rule::preemptive; }
  out.takes_units_back = out.takes_units_back || out.takes_turns;
  if constexpr (requires { Rule::stops_kernels; }) { out.stops_kernels = Rule::stops_kernels; }
  if constexpr (requires { Rule::tells_cores_apart; }) { out.tells_cores_apart = Rule::tells_cores_apart; }
  return out;
}

}  // namespace detail

}  // namespace takt
