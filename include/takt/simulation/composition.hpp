// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/rules/compositions.hpp>
#include <takt/rules/fifo_server.hpp>
#include <takt/rules/priority_server.hpp>

namespace takt::inline TAKT_ABI::simulation {

namespace detail {

/// Serves the jobs of chains, known by their ranks, as a rule of a known composition does.
template <class Rule, std::size_t Capacity>
struct server_for {
  using type =
      priority_server<FixedPriority<Rule> || BusyWaiting<Rule> ? preemption::allowed : preemption::forbidden, Capacity>;
};
template <FirstComeFirstServed Rule, std::size_t Capacity>
struct server_for<Rule, Capacity> {
  using type = fifo_server<Capacity>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::simulation
