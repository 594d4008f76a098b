// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/model/block_kernel.hpp>
#include <takt/rules/time_slices.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a host that carries out the decisions of a rule's server has to know of it.
struct unit_traits {
  bool takes_units_back = false;  ///< before a visit is over
  bool takes_turns = false;       ///< of these times
  turn_times turns{};
  bool stops_kernels = false;        ///< at the ends of waves; views are `kernel_needs`
  bool distinguishes_cores = false;  ///< units are SMs, and `unassigned_core` is all of them
  std::int32_t levels = 1;           ///< most kernels that have started on one unit
  bool sizes_shares = false;   ///< units are shares in per cent, which change; the first of a view is an application
  bool queues_blocks = false;  ///< of kernels whose views are `block_visit`, on SMs of this GPU
  block_gpu blocks{.sms = 0};
};

namespace detail {

template <class Rule>
[[nodiscard]] constexpr auto unit_traits_of(const Rule& rule) noexcept -> unit_traits {
  unit_traits out;
  if constexpr (TakesTurns<Rule>) {
    out.takes_turns = true;
    out.turns = rule.turns();
  }
  if constexpr (requires { Rule::preemptive; }) { out.takes_units_back = Rule::preemptive; }
  out.takes_units_back = out.takes_units_back || out.takes_turns;
  if constexpr (requires { Rule::stops_kernels; }) { out.stops_kernels = Rule::stops_kernels; }
  if constexpr (requires { Rule::distinguishes_cores; }) { out.distinguishes_cores = Rule::distinguishes_cores; }
  if constexpr (requires {
                  { rule.nesting } -> std::convertible_to<std::int32_t>;
                }) {
    out.levels = rule.nesting;
  }
  if constexpr (requires { Rule::sizes_shares; }) { out.sizes_shares = Rule::sizes_shares; }
  if constexpr (requires {
                  { rule.gpu } -> std::convertible_to<block_gpu>;
                }) {
    out.queues_blocks = true;
    out.blocks = rule.gpu;
  }
  return out;
}

/// Finds the traits of the units of a pool. Erased pools specialize it.
template <class Pool>
struct pool_unit_traits {
  [[nodiscard]] static constexpr auto of(const Pool& p) noexcept -> unit_traits { return unit_traits_of(p.rule); }
};
template <class Pool>
[[nodiscard]] constexpr auto traits_of_pool(const Pool& p) noexcept -> unit_traits {
  return pool_unit_traits<Pool>::of(p);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
