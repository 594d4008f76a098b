// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/local_blocking.hpp>
#include <takt/analysis/combiners/section_demands.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Stations that say which of them may count suspensions as execution.
template <class S>
concept InflatingStations = DecidingStations<S> && TokenStations<S> && requires(const S& stations, std::size_t s) {
  { stations.takes_suspensions(s) } -> std::same_as<bool>;
  { stations.units(s) } -> std::same_as<std::int32_t>;
};

/// Writes the least time from the instant at which a visit becomes ready to the end of its job.
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

/// Lets visits become ready as long as the job can end in time and within its period, so jobs of one task do not wait
/// for each other. The deadline orders jobs. Returns the first task where a visit cannot, or `no_index`.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto windows_in_time(const visit_table<N, V>& table, const readiness<N, V>& ready,
                                             station_demands<N, V>& demands) -> std::uint32_t {
  ticks rests[V]{};
  least_rests(table, rests);
  for (std::size_t k = 0; k < demands.size(); ++k) {
    visit_demand& d = demands[k];
    const std::uint32_t v = demands.visit(k);
    const ticks end = takt::detail::time_within_period(table.tasks[d.task]);
    if (d.wcet > end || end - rests[v] < ready.earliest[v]) { return d.task; }
    d.jitter = end - rests[v] - ready.earliest[v];
    d.deadline = table.tasks[d.task].deadline - ready.earliest[v];
  }
  return no_index;
}

/// Returns whether two visits of a job can be pending on station s at one instant, so it is no sequence there.
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

/// Returns the longest path of a job, where its visits on station s count nothing. `waits` are those for tokens, of the
/// first visits of sections.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto longest_elsewhere(const visit_table<N, V>& table, std::size_t i, std::size_t s,
                                               const ticks* responses, const ticks* waits) -> ticks {
  const flow_record& t = table.tasks[i];
  ticks end[max_visits_of_task]{};
  ticks longest = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const visit_record& x = table.visit(i, p);
    ticks start = 0;
    for (std::uint32_t q = 0; q < p; ++q) {
      start = (x.predecessors >> q & 1U) != 0 && start < end[q] ? end[q] : start;
    }
    end[p] = start + waits[t.first_visit + p] + (x.station == s ? 0 : responses[t.first_visit + p]);
    if (end[p] > unbounded_response) { end[p] = unbounded_response; }
    longest = longest < end[p] ? end[p] : longest;
  }
  return longest;
}

/// Computes responses on one station until none grows, mutexes of its tasks included. False where they are not known.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto settles(const lent_priorities<N, V>& lent, local_blocking<N, V>& local,
                                     const Stations& stations, std::size_t s, station_demands<N, V>& demands) -> bool {
  if (!local.blocks(s)) { return settles(lent, stations, s, demands); }
  bool grew = false;
  return local.responds(stations, s, demands, grew);
}

/// Says how long jobs wait for tokens, where waits may count as execution.
template <std::size_t N, std::size_t V>
struct inflated_waits {
  ticks of_visit[V]{};  ///< of the first visits of sections
  ticks of_job[N]{};    ///< of each job besides, whether it asks or not
  bool among_best =
      false;  ///< they count only while a job is among the best of its assigned station, also where it takes no time
};

/// Returns whether jobs end within their periods if they meet their deadlines, so that a test of deadlines decides.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto deadlines_decide(const visit_table<N, V>& table, std::span<const visit_demand> jobs)
    -> bool {
  for (const visit_demand& job : jobs) {
    const flow_record& t = table.tasks[job.task];
    if (t.deadline > takt::detail::time_within_period(t)) { return false; }
  }
  return true;
}

/// Returns whether the visits of a task follow each other.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto is_chain(const visit_table<N, V>& table, std::size_t i) -> bool {
  for (std::uint32_t p = 1; p < table.tasks[i].visit_count; ++p) {
    if (table.visit(i, p).ancestors != (visit_mask{1} << p) - 1) { return false; }
  }
  return true;
}

/// Bounds waits for tokens. They are in wall-clock time where the rule knows them and no section runs on a station that
/// lends priorities. Else they are suspension-oblivious, for jobs that are chains and have one assigned station. False
/// where neither is known.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto wait_for_tokens(const visit_table<N, V>& table, const Stations& stations,
                                             const readiness<N, V>& ready, const ticks* responses,
                                             inflated_waits<N, V>& out) -> bool {
  section_demands<N, V> sections{table, stations};
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const visit_section& x = table.sections[sections.section(k)];
    sections[k].length = section_length(table, x, [&](std::uint32_t v) {
      return stations.inherits(table.visits[v].station) ? table.visits[v].upper : responses[v];
    });
    sections[k].earliest = ready.earliest[first_visit_of(table, x)];
    sections[k].end = takt::detail::time_within_period(table.tasks[x.task]);
  }
  std::size_t oblivious = 0;
  bool donates = false;
  for (std::size_t pool = 0; pool < stations.token_pools(); ++pool) {
    const auto users = sections.of(table, pool);
    if (users.empty() || stations.token_is_local(pool)) { continue; }
    bool inside = stations.token_donates(pool);
    for (const section_demand& d : users) {
      for (std::uint32_t p = 0; p < table.tasks[d.task].visit_count; ++p) {
        inside = inside || ((d.visits >> p & 1U) != 0 && stations.inherits(table.visit(d.task, p).station));
      }
    }
    if (!inside && stations.delays(pool, users)) { continue; }
    if (inside && !stations.token_donates(pool) && !stations.token_inherits(pool)) { return false; }
    std::int32_t processors = 0;
    for (std::size_t k = 0; k < users.size(); ++k) {
      const section_demand& d = users[k];
      if (takt::detail::assigned_station_count(table, stations, d.task) != 1 ||
          !stations.takes_suspensions(d.assigned_station) || !is_chain(table, d.task)) {
        return false;
      }
      bool is_new = true;
      for (std::size_t q = 0; q < k && is_new; ++q) { is_new = users[q].assigned_station != d.assigned_station; }
      processors += is_new ? stations.units(d.assigned_station) : 0;
    }
    ticks lent = 0;
    if (!stations.blocks(pool, users, processors, lent)) { return false; }
    ++oblivious;
    donates = donates || stations.token_donates(pool);
    for (std::uint32_t i = 0; i < table.size() && lent > 0; ++i) {
      const std::size_t assigned_stations = takt::detail::assigned_station_count(table, stations, i);
      if (assigned_stations > 1) { return false; }
      const std::uint32_t assigned_station = takt::detail::assigned_station_of(table, stations, i);
      bool pays = false;
      for (const section_demand& d : users) {
        pays = pays || (assigned_stations == 1 && d.assigned_station == assigned_station);
      }
      if (pays && out.of_job[i] < lent) { out.of_job[i] = lent; }
    }
  }
  if (donates && oblivious > 1) { return false; }
  out.among_best = oblivious > 0;
  for (std::size_t k = 0; k < sections.size(); ++k) {
    out.of_visit[first_visit_of(table, table.sections[sections.section(k)])] = sections[k].wait;
  }
  return true;
}

/// Returns why the jobs that visit station s are not proven there with their time elsewhere as execution, or none.
/// Their demands are added to `jobs`.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto whole_jobs(const visit_table<N, V>& table, const Stations& stations, std::uint32_t s,
                                        const ticks* responses, const inflated_waits<N, V>& waits,
                                        const local_blocking<N, V>& local, station_demands<N, V>& jobs) -> obstacle {
  if (has_regions(table, s)) { return obstacle::processors; }  // each interval of a job would be held up anew
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    ticks demand = 0;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const visit_record& x = table.visit(i, p);
      demand += x.station == s ? x.upper : 0;
    }
    const bool is_assigned_to = waits.among_best && takt::detail::assigned_station_count(table, stations, i) == 1 &&
                                takt::detail::assigned_station_of(table, stations, i) == s;
    if (demand == 0 && !is_assigned_to) { continue; }
    if (stations.units(s) > 1 && forks_on(table, i, s)) { return obstacle::processors; }
    const ticks path = longest_elsewhere(table, i, s, responses, waits.of_visit);
    const ticks sum = demand + t.jitter + path + waits.of_job[i] + local.of_job(table, i, s);
    const ticks whole = sum < 1 ? 1 : sum;  // one that takes no time at all asks once it is among the best
    if (whole > takt::detail::time_within_period(t)) { return why_beyond(table, i, responses); }
    if (!jobs.add(stations, s, table, i, whole)) { return obstacle::overflow; }
  }
  const auto tested = jobs.all();
  if (tested.empty()) { return obstacle::none; }
  if (stations.has_decision(s) && deadlines_decide(table, tested)) {
    return stations.decides(s, tested) ? obstacle::none : obstacle::processors;
  }
  if (!stations.responds(s, tested)) { return obstacle::processors; }
  for (const visit_demand& job : tested) {
    if (job.response > takt::detail::time_within_period(table.tasks[job.task])) { return why_beyond(job.response); }
  }
  return obstacle::none;
}

}  // namespace detail

/// Suspensions count as execution. A job's longest time on other stations is added to its demand on one that orders
/// whole jobs and preempts, and that station's own test decides. On several units jobs must be sequences: where two
/// visits of one can be pending there at one instant, the test says nothing. Visits elsewhere become ready at the
/// latest when their job can still meet its deadline, or end within its period if that comes first. Jobs that visit no
/// such station and, where no job waits for tokens, jobs that its test does not prove, are proven by the sum of their
/// responses. Bounds are the deadlines, or the periods where these are shorter. Waits for tokens count as execution
/// too, what jobs lend to others, and for each interval on a processor the sections of less important jobs there.
/// Error: `invalid_model`. Cost: one test for each station. Source: Brandenburg 2011, suspension-oblivious analysis;
/// see docs/composition.md.
template <std::size_t N, std::size_t V, detail::InflatingStations Stations>
[[nodiscard]] constexpr auto inflated(const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  auto out = detail::open_verdict(table, stations, "inflated");
  if (out.error) { return out; }
  const auto fail = [&out](obstacle why, std::uint32_t where) {
    out.why = why;
    out.where = where;
    return out;
  };
  detail::station_demands<N, V> demands{table, stations};
  if (!demands.fits()) { return fail(obstacle::overflow, no_index); }

  ticks responses[V]{};
  detail::inflated_waits<N, V> waits;
  detail::readiness<N, V> ready;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    static_cast<void>(ready.pass(table, i, responses, waits.of_visit));
  }
  const std::uint32_t late = detail::windows_in_time(table, ready, demands);
  if (late != no_index) { return fail(obstacle::deadline, late); }
  const detail::lent_priorities<N, V> lent{table, stations};
  detail::local_blocking<N, V> local{table, stations};
  if (!local.fits_beside(lent, stations.size())) { return fail(obstacle::tokens, table.sections[0].task); }
  bool bounded[V]{};
  for (std::size_t s = 0; s < stations.size(); ++s) {
    if (!detail::settles(lent, local, stations, s, demands)) { continue; }
    for (std::size_t k = 0; k < demands.size(); ++k) {
      const std::uint32_t v = demands.visit(k);
      if (table.visits[v].station != s) { continue; }
      bounded[v] = demands[k].response < unbounded_response;
      responses[v] = demands[k].response;
    }
  }
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    if (table.visits[v].upper > 0 && !bounded[v]) { responses[v] = takt::detail::beyond_limit(responses[v]); }
  }

  if (!detail::wait_for_tokens(table, stations, ready, responses, waits)) {
    return fail(obstacle::tokens, table.sections[0].task);
  }

  bool proven[N]{};
  for (std::uint32_t s = 0; s < stations.size(); ++s) {
    if (!stations.takes_suspensions(s)) { continue; }
    detail::station_demands<N, V> jobs;
    const obstacle why = detail::whole_jobs(table, stations, s, responses, waits, local, jobs);
    if (why != obstacle::none) {
      fail(why, s);
      if (!table.sections.empty()) { return out; }  // waits may hold only where this test does
      continue;
    }
    for (const visit_demand& job : jobs.all()) { proven[job.task] = true; }
  }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    const ticks path = detail::longest_elsewhere(table, i, stations.size(), responses, waits.of_visit);
    const ticks end = takt::detail::time_within_period(t);
    if (proven[i] || (path <= end && t.jitter + path <= end)) { continue; }
    return out.why == obstacle::none ? fail(detail::why_beyond(table, i, responses), i) : out;
  }
  out.why = obstacle::none;
  out.where = no_index;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    out.tasks[i].bound = {takt::detail::time_within_period(table.tasks[i]), true};
    out.tasks[i].parts.add(term_kind::local_deadline, i, out.tasks[i].bound.value);
    out.tasks[i].meets = true;
    out.tasks[i].blocking = local.of_job(table, i) + waits.of_job[i];
    for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
      out.tasks[i].blocking += waits.of_visit[table.tasks[i].first_visit + p];
    }
  }
  out.status = verdict_status::schedulable;
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
