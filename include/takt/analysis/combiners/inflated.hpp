// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>

namespace takt::analysis {

/// Stations that say which of them may count suspensions as execution.
template <class S>
concept InflatingStations = DecidingStations<S> && requires(const S& stations, std::size_t s) {
  { stations.takes_suspensions(s) } -> std::same_as<bool>;
  { stations.units(s) } -> std::same_as<std::int32_t>;
};

namespace detail {

/// Least time from the instant at which a visit becomes ready to the end of its job.
template <std::size_t N, std::size_t V>
constexpr void least_rests(const visit_table<N, V>& table, ticks* rests) {
  for (std::size_t v = table.visits.size(); v-- > 0;) {
    const visit_record& x = table.visits[v];
    const flow_record& t = table.tasks[x.task];
    ticks rest = 0;
    for (std::uint32_t p = x.position + 1; p < t.visit_count; ++p) {
      const bool follows = (table.visit(x.task, p).predecessors >> x.position & 1U) != 0;
      if (follows && rest < rests[t.first_visit + p]) { rest = rests[t.first_visit + p]; }
    }
    rests[v] = rest + x.lower;
  }
}

/// Whether two visits of a job can be pending on station s at one instant, so that the job is no sequence there.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto forks_on(const visit_table<N, V>& table, std::size_t i, std::size_t s) -> bool {
  visit_mask there = 0;
  for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
    const visit_record& x = table.visit(i, p);
    if (x.station != s || x.upper == 0) { continue; }
    if ((there & ~x.ancestors) != 0) { return true; }
    there |= visit_mask{1} << p;
  }
  return false;
}

/// The longest path of a job, where its visits on station s count nothing.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto longest_elsewhere(const visit_table<N, V>& table, std::size_t i, std::size_t s,
                                               const ticks* responses) -> ticks {
  const flow_record& t = table.tasks[i];
  ticks end[max_visits_of_task]{};
  ticks longest = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const visit_record& x = table.visit(i, p);
    ticks start = 0;
    for (std::uint32_t q = 0; q < p; ++q) {
      start = (x.predecessors >> q & 1U) != 0 && start < end[q] ? end[q] : start;
    }
    end[p] = start + (x.station == s ? 0 : responses[t.first_visit + p]);
    if (end[p] > unbounded_response) { end[p] = unbounded_response; }
    longest = longest < end[p] ? end[p] : longest;
  }
  return longest;
}

/// Why the jobs that visit station s are not proven there with their time elsewhere as execution, or none. Their
/// demands are added to `jobs`.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto whole_jobs(const visit_table<N, V>& table, const Stations& stations, std::uint32_t s,
                                        const ticks* responses, station_demands<N, V>& jobs) -> obstacle {
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    ticks demand = 0;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const visit_record& x = table.visit(i, p);
      demand += x.station == s ? x.upper : 0;
    }
    if (demand == 0) { continue; }
    if (stations.units(s) > 1 && forks_on(table, i, s)) { return obstacle::processors; }
    const ticks whole = demand + t.jitter + longest_elsewhere(table, i, s, responses);
    if (whole > t.deadline) { return obstacle::deadline; }
    if (!jobs.add(stations, s, table, i, whole)) { return obstacle::overflow; }
  }
  const auto tested = jobs.all();
  if (tested.empty()) { return obstacle::none; }
  if (stations.has_decision(s)) { return stations.decides(s, tested) ? obstacle::none : obstacle::processors; }
  if (!stations.responds(s, tested)) { return obstacle::processors; }
  for (const visit_demand& job : tested) {
    if (job.response > job.deadline) { return obstacle::deadline; }
  }
  return obstacle::none;
}

}  // namespace detail

/// Suspensions count as execution: a job's time on other stations, as long as they can take, is added to its demand on
/// one that orders whole jobs and preempts, and that station's own test decides. On several units jobs must be
/// sequences: where two visits of one can be pending there at one instant, the test says nothing. Visits elsewhere
/// become ready at the latest when their job can still meet its deadline. Jobs that no test proves are proven by the
/// sum of their responses. Bounds are the deadlines. Tasks with token sections are not proven. Error: `invalid_model`.
/// Cost: one test for each station. Source: Brandenburg 2011, suspension-oblivious analysis; see docs/composition.md.
template <std::size_t N, std::size_t V, InflatingStations Stations>
[[nodiscard]] constexpr auto inflated(const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  auto out = detail::open_verdict(table, stations, "inflated");
  if (out.error) { return out; }
  const auto fail = [&out](obstacle why, std::uint32_t where) {
    out.why = why;
    out.where = where;
    return out;
  };
  if (!table.sections.empty()) { return fail(obstacle::gpu, table.sections[0].task); }
  detail::station_demands<N, V> demands{table, stations};
  if (!demands.fits()) { return fail(obstacle::overflow, nowhere); }

  ticks rests[V]{};
  ticks responses[V]{};
  const ticks waits[V]{};
  detail::readiness<N, V> ready;
  detail::least_rests(table, rests);
  for (std::uint32_t i = 0; i < table.size(); ++i) { static_cast<void>(ready.pass(table, i, responses, waits)); }
  for (std::size_t k = 0; k < demands.size(); ++k) {
    visit_demand& d = demands[k];
    const std::uint32_t v = demands.visit(k);
    const ticks latest = table.tasks[d.task].deadline - rests[v];
    if (d.wcet > table.tasks[d.task].deadline || latest < ready.earliest[v]) {
      return fail(obstacle::deadline, d.task);
    }
    d.jitter = latest - ready.earliest[v];
    d.deadline = table.tasks[d.task].deadline - ready.earliest[v];
  }
  bool bounded[V]{};
  for (std::size_t s = 0; s < stations.size(); ++s) {
    const auto visits = demands.of(s);
    if (!stations.responds(s, visits)) { continue; }
    for (std::size_t k = 0; k < demands.size(); ++k) {
      const std::uint32_t v = demands.visit(k);
      if (table.visits[v].station != s) { continue; }
      bounded[v] = demands[k].response < unbounded_response;
      responses[v] = demands[k].response;
    }
  }
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    if (table.visits[v].upper > 0 && !bounded[v]) { responses[v] = unbounded_response; }
  }

  bool proven[N]{};
  for (std::uint32_t s = 0; s < stations.size(); ++s) {
    if (!stations.takes_suspensions(s)) { continue; }
    detail::station_demands<N, V> jobs;
    const obstacle why = detail::whole_jobs(table, stations, s, responses, jobs);
    if (why != obstacle::none) {
      fail(why, s);
      continue;
    }
    for (const visit_demand& job : jobs.all()) { proven[job.task] = true; }
  }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    const ticks path = detail::longest_elsewhere(table, i, stations.size(), responses);
    if (proven[i] || (path <= t.deadline && t.jitter + path <= t.deadline)) { continue; }
    return out.why == obstacle::none ? fail(obstacle::deadline, i) : out;
  }
  out.why = obstacle::none;
  out.where = nowhere;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    out.tasks[i].bound = {table.tasks[i].deadline, true};
    out.tasks[i].meets = true;
  }
  out.status = verdict_status::schedulable;
  return out;
}

}  // namespace takt::analysis
