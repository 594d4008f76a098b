// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/miss_action.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// A job that comes, and the instant from which its priority and its response count and its visits may start.
struct coming_job {
  std::uint32_t task = 0;
  ticks nominal = 0;
};

/// Holds for choices that say when jobs come, whatever became of the job before.
template <class C>
concept TimesJobs = requires(C& choices, std::uint32_t task, std::uint64_t job, ticks period) {
  { choices.gap(task, job, period) } -> std::same_as<ticks>;    ///< from the nominal release before; of job 0 from 0
  { choices.delay(task, job, period) } -> std::same_as<ticks>;  ///< of the release after the nominal one
};

/// Choices that bring jobs one by one, as what has happened lets them: tokens, edges between jobs, limits, guards. At
/// every instant, when what ends then has ended, `comes` is asked for a job until there is none; no job of its task is
/// then under way. `next_job` names the next instant at which something may come by itself, past ones for what has to
/// wait for the steps of an instant, or is `no_event`.
template <class C>
concept BringsJobs = requires(C& choices, const C& same, ticks now, coming_job& out) {
  { same.next_job() } -> std::same_as<ticks>;
  { choices.comes(now, out) } -> std::same_as<bool>;
};

namespace detail {

/// Holds for what is open in a run: when jobs come and how long visits take.
template <class C>
concept RunChoices = (TimesJobs<C> || BringsJobs<C>) && requires(C& choices, std::uint64_t job, const visit_record& v) {
  { choices.length(v, job) } -> std::same_as<ticks>;  ///< between `lower` and `upper`
};

}  // namespace detail

/// Choices that also say which of two visits that ask within one instant asks first. Without, they do as they come.
template <class C>
concept OrdersArrivals = requires(C& choices, std::uint32_t visit) {
  { choices.asks_before(visit, visit) } -> std::same_as<bool>;
};

/// Choices that hear how long each visit took from the instant at which it could start.
template <class C>
concept ObservesVisits = requires(C& choices, std::uint32_t visit, const visit_record& v, std::uint64_t job,
                                  ticks time) { choices.visited(visit, v, job, time, time); };

namespace detail {

/// Choices that leave visits out of a job. Asked whenever one could start, before it asks for tokens.
template <class C>
concept SkipsVisits = requires(C& choices, std::uint32_t visit, std::uint64_t job) {
  { choices.skips(visit, job) } -> std::same_as<bool>;
};

/// Choices under which a job makes visits several times. Asked whenever one has ended or was left out; the answer is
/// the interval that ends with it and begins anew, or 0. Sections lie inside of an interval, around it or beside it.
template <class C>
concept RepeatsVisits = requires(C& choices, std::uint32_t visit, std::uint64_t job) {
  { choices.again(visit, job) } -> std::same_as<visit_mask>;
};

/// Choices that hear when a job is there: released, and the one before is over.
template <class C>
concept ObservesReleases =
    requires(C& choices, std::uint32_t task, std::uint64_t job, ticks now) { choices.released(task, job, now); };

/// Choices that look at the run before anything happens at an instant: `run.state_of(task, states)` and more.
struct no_run;
template <class C, class Run = no_run>
concept ObservesTime = requires(C& choices, const Run& run, ticks now) { choices.passes(run, now); };

/// Choices under which a job that waited for the one before of its task asks as soon as that one has ended. That is
/// before servers hear of what else ends then; otherwise, it asks together with the jobs released at that instant.
template <class C>
concept AsksAtOnce = requires { requires C::asks_at_once; };

/// Choices that hear which visits ask their stations.
template <class C>
concept ObservesArrivals = requires(C& choices, std::uint32_t visit) { choices.arrived(visit); };

/// Choices under which some stations are served elsewhere: their servers hear nothing, and others say when visits end.
template <class C>
concept ServesElsewhere = requires(const C& choices, std::uint32_t station) {
  { choices.is_elsewhere(station) } -> std::same_as<bool>;
};

/// Choices that hear when jobs end.
template <class C>
concept ObservesJobs =
    requires(C& choices, std::uint32_t task, std::uint64_t job, ticks time) { choices.completed(task, job, time); };

}  // namespace detail

enum class token_event : std::uint8_t { asked, got, gave_back };

namespace detail {

/// Choices that hear what becomes of the tokens of sections.
template <class C>
concept ObservesTokens =
    requires(C& choices, std::uint32_t section, token_event what, ticks now) { choices.token(section, what, now); };

/// Choices that hear of a deadline when it passes, if `minds_misses`, and say whether the run ends there.
template <class C>
concept StopsAtMisses = requires(C& choices, const C& same, std::uint32_t task, std::uint64_t job, ticks deadline) {
  { same.minds_misses() } -> std::same_as<bool>;
  { choices.missed(task, job, deadline) } -> std::same_as<bool>;
};

/// Choices that hear of them and say what becomes of the job. One that is dropped is in no section and keeps no
/// processor, its visits take time, and their servers `drop` clients or serve bodies.
template <class C>
concept DropsJobs = requires(C& choices, const C& same, std::uint32_t task, std::uint64_t job, ticks deadline) {
  { same.minds_misses() } -> std::same_as<bool>;
  { choices.missed(task, job, deadline) } -> std::same_as<miss_action>;
};

}  // namespace detail

template <class C>
concept MindsMisses = detail::StopsAtMisses<C> || detail::DropsJobs<C>;

namespace detail {

/// Holds what asks stations within one instant, in the order that such choices give.
template <std::size_t V>
class ordered_arrivals {
 public:
  template <OrdersArrivals Choices>
  constexpr void add(std::uint32_t station, const visit_request& asked, Choices& choices) {
    std::size_t at = count_++;
    for (; at > 0 && choices.asks_before(asked.who, asked_[at - 1].who); --at) {
      asked_[at] = asked_[at - 1];
      stations_[at] = stations_[at - 1];
    }
    asked_[at] = asked;
    stations_[at] = station;
  }
  template <class Servers>
  constexpr void deliver(Servers& servers) {
    for (std::size_t i = 0; i < count_; ++i) { servers.arrive(stations_[i], asked_[i]); }
    count_ = 0;
  }

 private:
  visit_request asked_[V]{};
  std::uint32_t stations_[V]{};
  std::size_t count_ = 0;
};
struct arrivals_as_they_come {};

template <class Choices, std::size_t V>
using arrivals_of = std::conditional_t<OrdersArrivals<Choices>, ordered_arrivals<V>, arrivals_as_they_come>;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
