// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <takt/rules/demand.hpp>
#include <takt/rules/servers/forward.hpp>

namespace takt::inline TAKT_ABI {

/// Visits of which other tasks can delay one on the same station, however late those are and however many of their jobs
/// are pending.
enum class delayed_by : std::uint8_t {
  everybody,
  no_later_points,  ///< those whose points are not behind its own
  no_other,
};

namespace detail {

/// Returns which visits can delay a visit, as a rule declares it. Its server has units of its own for each task
/// (`serves_tasks_apart`), or its order preempts with one priority for each job and its server runs the least points
/// (`starts_least_points`). A rule that declares neither lets every visit delay every other.
template <class Rule>
[[nodiscard]] constexpr auto delayed_by_under() noexcept -> delayed_by {
  using server = decltype(std::declval<const Rule&>().template make_server<8>(1));
  constexpr bool is_served_apart = serves_tasks_apart<server>;
  constexpr bool is_overtaken_never = InflatesSuspensions<Rule> && requires {
    requires Rule::preemptive;
    requires starts_least_points<server>;
  };
  return is_served_apart      ? delayed_by::no_other
         : is_overtaken_never ? delayed_by::no_later_points
                              : delayed_by::everybody;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
