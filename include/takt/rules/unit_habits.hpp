// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <takt/rules/servers/forward.hpp>

namespace takt {

/// What whoever carries out the decisions of a rule's server has to know of it.
struct unit_habits {
  bool takes_units_back = false;   ///< before a visit is over
  bool takes_turns = false;        ///< at instants that only a clock tells
  bool stops_kernels = false;      ///< at the ends of waves, whose length is in the view
  bool tells_cores_apart = false;  ///< units are SMs, and `any_core` is all of them

  [[nodiscard]] friend constexpr auto operator==(const unit_habits&, const unit_habits&) noexcept -> bool = default;
};

namespace detail {

template <class Server>
inline constexpr bool is_time_slice_server = false;
template <std::size_t Capacity>
inline constexpr bool is_time_slice_server<time_slice_server<Capacity>> = true;

template <class Rule>
[[nodiscard]] constexpr auto habits_of() noexcept -> unit_habits {
  using server = std::remove_cvref_t<decltype(std::declval<const Rule&>().template make_server<1>(1))>;
  unit_habits out;
  out.takes_turns = is_time_slice_server<server>;
  if constexpr (requires { Rule::preemptive; }) { out.takes_units_back = Rule::preemptive; }
  out.takes_units_back = out.takes_units_back || out.takes_turns;
  if constexpr (requires { Rule::stops_kernels; }) { out.stops_kernels = Rule::stops_kernels; }
  if constexpr (requires { Rule::tells_cores_apart; }) { out.tells_cores_apart = Rule::tells_cores_apart; }
  return out;
}

}  // namespace detail

}  // namespace takt
