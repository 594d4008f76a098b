// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/units.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

/// A pure state machine that shares units out. `decide` follows when all arrivals of an instant are in; `next` is the
/// instant of the next `fire`, which says who is done, or `no_client` where only a turn has ended and `decide` follows.
template <class S>
concept PoolServer = detail::DefaultCopyable<S> &&
                     requires(S s, const S c, const visit_request& asked, ticks time, const slice_sink& sink) {
                       s.arrive(asked);
                       s.decide(time, sink);
                       { c.next() } -> std::same_as<ticks>;
                       { s.fire(time, sink) } -> std::same_as<client>;
                     };

namespace detail {

/// A server, or one of takt's that is declared only: all of those share units out.
template <class S>
concept NamedServer = is_declared_server<S> || PoolServer<S>;

/// A server that lets a visit which waits or runs have another point; `decide` follows.
template <class S>
concept Reprioritizes = requires(S s, client who, const priority_point& p) { s.reprioritize(who, p); };

/// Says so of takt's servers where they are declared only.
template <class S>
concept LetsReprioritize = is_unit_server<S> || (!is_declared_server<S> && Reprioritizes<S>);

}  // namespace detail

/// A server that says who has a unit, and takes it that a visit is over before or after its length: what runs there may
/// be code.
template <class S>
concept ServesBodies =
    requires(S s, const S c, client who, ticks time, const slice_sink& slices, const holder_sink& to) {
      s.finish(who, time, slices);
      c.holders(to);
    };

namespace detail {

/// A server that lets a client go whose visit is not over, which waits or is served.
template <class S>
concept DropsClients = requires(S s, client who, ticks time, const slice_sink& slices) { s.drop(who, time, slices); };

}  // namespace detail

/// Says how a pool is shared out: an order of jobs and a server that follows it. A user's own type is one. With
/// bounds as members, any combination with other pools can be proven: see `BoundsResponses` and `DecidesDeadlines`.
/// Optional:
/// - `view(segment)` or `view(segment, placement)`: how long a visit takes, from the facts that the rule needs. It is
///   an `interval<ticks>` or, with what else the rule reads, a `visit_view`. `view_needs` is the type that an error
///   about a missing fact shows.
/// - `beside(own, other)`: see `LooksBeside`.
/// - `hands_out_sms`: the plan's shares give each task SMs of its own.
/// - `cluster(units)`: so many of the processors are scheduled together, and a task's `on_core` is one of its
///   cluster. `partitioned`: each is by itself. Without either, all are together, and a plan names no cores.
/// - `serves_one_unit`: a pool of more is refused.
/// - `on(resource)`: the rule there, where it reads more of the resource than the number of its units.
/// - `one_station`: the pool has one server, which may be large.
/// - `fits_chains` and `chain_fault`: whether chains know its choices, and a type whose use stops compilation if not.
/// - `preemptive`: it takes units back. Where these are SMs, it needs `stops_kernels`, which says that its view and
///   its server know when a kernel stops and what that costs.
/// - `takes_suspensions`: see `InflatesSuspensions`.
/// - `starts_early`: see `StartsEarly`.
/// - `honours_regions`, the rule itself: its server reads `visit_request::region` and its bounds read
///   `visit_demand::region`. Without, processors under a rule that takes units back refuse segments that have some.
template <class R>
concept PoolRule = RuleTag<R> && requires(const R rule, std::int32_t units) {
  { R::name } -> std::convertible_to<std::string_view>;
  requires JobPriority<std::remove_cvref_t<decltype(rule.job_order(units))>>;
  requires detail::NamedServer<decltype(rule.template make_server<8>(units))>;
};

namespace detail {

/// A rule under which jobs have one priority each and holders of tokens can be served at the priority of others.
template <class R>
concept InheritsPriorities = InflatesSuspensions<R> && requires(const R rule) {
  requires detail::LetsReprioritize<decltype(rule.template make_server<8>(1))>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
