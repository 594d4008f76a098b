// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt {

/// What a rule makes of the facts of a visit.
struct visit_view {
  interval<ticks> time{};
  view_values values{};
  model_fault fault = model_fault::none;
};

/// Where a view is asked for: the pool, and what the plan gives the task of it.
struct visit_placement {
  gpu_record gpu{};  ///< of no SMs where the pool is no GPU
  std::int32_t units = 1;
  std::uint32_t task = 0;    ///< position of the task
  std::int32_t sms = 0;      ///< of the plan's share, 0: none
  std::int32_t percent = 0;  ///< of the plan's lasting share, 0: none
};

/// Whether a rule says how long a segment takes.
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

[[nodiscard]] constexpr auto as_view(const visit_view& v) noexcept -> visit_view { return v; }
[[nodiscard]] constexpr auto as_view(const interval<ticks>& time) noexcept -> visit_view { return {.time = time}; }

}  // namespace detail

template <class Rule, class Segment>
  requires Views<Rule, Segment>
[[nodiscard]] constexpr auto view_by(const Rule& rule, const Segment& s, const visit_placement& at) -> visit_view {
  if constexpr (requires { rule.view(s, at); }) {
    return detail::as_view(rule.view(s, at));
  } else {
    return detail::as_view(rule.view(s));
  }
}

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

/// A server that lets a visit which waits or runs have another point; `decide` follows.
template <class S>
concept Reprioritizes = requires(S s, client who, const priority_point& p) { s.reprioritize(who, p); };

/// How a pool is shared out: an order of jobs and a server that follows it. A user's own type is one. With bounds as
/// members, any combination with other pools can be proven: see `BoundsResponses` and `DecidesDeadlines`. Optional:
/// - `view(segment)` or `view(segment, placement)`: how long a visit takes, an `interval<ticks>` or, with what else the
///   rule reads, a `visit_view`, from the facts that the rule needs; `view_needs` is the type that an error about a
///   missing one shows;
/// - `hands_out_sms`: the plan's shares give each task SMs of its own;
/// - `cluster(units)`: so many of the processors are scheduled together, and a task's `on_core` is one of its cluster;
///   `partitioned`: each by itself. Without, all are, and a plan names no cores;
/// - `serves_one_unit`: a pool of more is refused;
/// - `on(resource)`: the rule there, where it reads more of the resource than the number of its units;
/// - `one_station`: the pool has one server, which may be large;
/// - `fits_chains` and `chain_fault`: whether chains know its choices, and a type whose use stops compilation if not;
/// - `preemptive`: it takes units back; where these are SMs, only with `stops_kernels`, which says that its view and
/// its
///   server know when a kernel stops and what that costs;
/// - `takes_suspensions`: see `InflatesSuspensions`;
/// - `starts_early`: see `StartsEarly`.
template <class R>
concept PoolRule = RuleTag<R> && requires(const R rule, std::int32_t units) {
  { R::name } -> std::convertible_to<std::string_view>;
  requires JobPriority<std::remove_cvref_t<decltype(rule.job_order(units))>>;
  { rule.template make_server<8>(units) } -> PoolServer;
};

namespace detail {

template <class Rule>
inline constexpr bool has_clusters = requires(const Rule& rule) {
  { rule.cluster(1) } -> std::convertible_to<std::int32_t>;
};
template <class Rule>
[[nodiscard]] constexpr auto is_partitioned() noexcept -> bool {
  if constexpr (requires { Rule::partitioned; }) { return Rule::partitioned; }
  return false;
}
/// Whether tasks name the processors of which they use one.
template <class Rule>
inline constexpr bool reads_cores = has_clusters<Rule> || is_partitioned<Rule>();

/// Processors that a rule schedules together.
template <class Rule>
[[nodiscard]] constexpr auto cluster_of(const Rule& rule, std::int32_t units) noexcept -> std::int32_t {
  if constexpr (has_clusters<Rule>) { return rule.cluster(units); }
  return is_partitioned<Rule>() ? 1 : units;
}

}  // namespace detail

/// Where jobs have one priority each and holders of tokens can be served at the priority of others.
template <class R>
concept InheritsPriorities = InflatesSuspensions<R> && requires(const R rule) {
  { rule.template make_server<8>(1) } -> Reprioritizes;
};

}  // namespace takt
