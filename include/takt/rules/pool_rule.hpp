// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt {

/// What a rule makes of the facts of a visit.
struct visit_view {
  interval<ticks> time{};
  view_values values{};
};

/// A pure state machine that shares units out. `decide` follows when all arrivals of an instant are in; `next` is the
/// instant of the next `fire`, which says who is done, or `no_client` where only a turn has ended and `decide` follows.
template <class S>
concept PoolServer =
    std::semiregular<S> && requires(S s, const S c, const visit_request& asked, ticks time, const slice_sink& sink) {
      s.arrive(asked);
      s.decide(time, sink);
      { c.next() } -> std::same_as<ticks>;
      { s.fire(time, sink) } -> std::same_as<client>;
    };

/// How a pool is shared out: an order of jobs and a server that follows it. A user's own type is one. With bounds as
/// members, any combination with other pools can be proven: see `BoundsResponses` and `DecidesDeadlines`. Optional:
/// - `view(segment)`: how long a visit takes, an `interval<ticks>` or, with what else the rule reads, a `visit_view`,
///   from the facts that the rule needs;
/// - `partitioned`: each unit of the pool is scheduled by itself, and tasks name theirs by `on_core`;
/// - `serves_one_unit`: a pool of more is refused;
/// - `takes_suspensions`: see `InflatesSuspensions`.
template <class R>
concept PoolRule = RuleTag<R> && requires(const R rule, std::int32_t units) {
  { R::name } -> std::convertible_to<std::string_view>;
  requires JobPriority<std::remove_cvref_t<decltype(rule.job_order(units))>>;
  { rule.template make_server<8>(units) } -> PoolServer;
};

}  // namespace takt
