// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/combiners/inflated.hpp>
#include <takt/analysis/combiners/local_blocking.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/bound_parts.hpp>
#include <takt/rules/demand.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns the station of processors on which a job stays; the number of stations where it has none or several.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto only_assigned_station(const visit_table<N, V>& table, const Stations& stations,
                                                   std::uint32_t i) -> std::size_t {
  std::size_t assigned_station = stations.size();
  for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
    const std::size_t s = table.visit(i, p).station;
    if (!stations.takes_suspensions(s) || s == assigned_station) { continue; }
    if (assigned_station != stations.size()) { return stations.size(); }
    assigned_station = s;
  }
  return assigned_station;
}

/// Returns whether jobs of a task have one place in the order of a station, whenever they are released.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto has_fixed_place(const visit_table<N, V>& table, const Stations& stations, std::size_t s,
                                             std::uint32_t i) -> bool {
  const flow_record& t = table.tasks[i];
  const job_timing timing{1, t.period, t.deadline, static_cast<std::int32_t>(i), t.priority};
  priority_point first{};
  priority_point later{};
  return stations.point(s, timing, 0, first) && stations.point(s, timing, t.period, later) && first == later;
}

/// Adds what a thread's time on its processor consists of, by what the rule says of a `response` that may count an
/// instant more than its `own` work. If it says nothing, the `time` is one part.
constexpr void add_thread(const parts_of_visit<ticks>& said, std::uint32_t i, ticks response, ticks own, ticks time,
                          parts_of_task<ticks>& out) {
  if (said.sum() != response) { return out.add(term_kind::competition, i, time); }
  for (const auto& part : said) {
    const bool is_own = part.what == term_kind::own_work;
    out.add(is_own ? part.what : term_kind::job_interference, part.by, is_own ? own : part.time);
  }
}

/// Returns how long a thread with so much to do on its processor is there at most, under fixed priorities, where other
/// jobs keep the processor for up to `whole`. One that `goes_on` needs the processor for an instant more, to begin a
/// copy or kernel or to see that it has ended. Its parts are added to `parts`. Unbounded where nothing is known. Pre:
/// one unit; own > 0 or goes_on.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto time_on_processor(const visit_table<N, V>& table, const Stations& stations,
                                               std::uint32_t s, std::uint32_t i, const std::size_t* assigned,
                                               const ticks* whole, ticks own, bool goes_on, parts_of_task<ticks>& parts)
    -> ticks {
  TAKT_EXPECTS(stations.units(s) == 1 && (own > 0 || goes_on));
  const ticks rest = goes_on ? 1 : 0;  // it has the processor when it could do one tick more
  station_demands<N, V> there;
  for (std::uint32_t k = 0; k < table.size(); ++k) {
    const ticks time = k == i ? own + rest : whole[k];
    if (assigned[k] == s && time > 0 && !there.add(stations, s, table, k, time)) { return unbounded_response; }
  }
  parts_of_visit<ticks> said;
  for (visit_demand& d : there.all()) { d.parts = d.task == i ? &said : nullptr; }
  if (!stations.responds(s, there.all())) { return unbounded_response; }
  for (const visit_demand& d : there.all()) {
    if (d.task != i) { continue; }
    if (d.response >= unbounded_response) { return unbounded_response; }
    add_thread(said, i, d.response, own, d.response - rest, parts);
    return d.response - rest;
  }
  return unbounded_response;
}

/// Returns the response of a job under fixed priorities, visit by visit. Its own copies and kernels go on while other
/// jobs keep the processor. Its thread needs the processor to begin each of them and to see that the last one has
/// ended. Its parts are added to `parts`. Unbounded where some visit has no bound.
/// Pre: one unit.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto response_by_visits(const visit_table<N, V>& table, const Stations& stations,
                                                std::uint32_t s, std::uint32_t i, const std::size_t* assigned,
                                                const ticks* whole, const ticks* responses,
                                                const parts_of_visit<ticks>* elsewhere, parts_of_task<ticks>& parts)
    -> ticks {
  TAKT_EXPECTS(stations.units(s) == 1);
  const flow_record& t = table.tasks[i];
  const ticks most = takt::detail::time_within_period(t);
  ticks sum = t.jitter;
  parts.add(term_kind::release_jitter, i, sum);
  bool has_processor = false;
  const auto add = [&sum, most](ticks time) { sum = time > most - sum ? unbounded_response : sum + time; };
  for (std::uint32_t p = 0; p < t.visit_count && sum <= most; ++p) {
    const visit_record& x = table.visit(i, p);
    const bool is_there = x.station == s;
    if (is_there || !has_processor) {
      const ticks own = is_there ? x.upper : 0;
      const bool goes_on = own == 0 || (p + 1 < t.visit_count && table.visit(i, p + 1).station != s);
      add(time_on_processor(table, stations, s, i, assigned, whole, own, goes_on, parts));
    }
    if (!is_there && sum <= most) {
      add(responses[t.first_visit + p]);
      parts.add_visit(elsewhere[t.first_visit + p], static_cast<std::uint16_t>(p), t.visit_count - p);
    }
    has_processor = is_there;
  }
  if (!has_processor && sum <= most) { add(time_on_processor(table, stations, s, i, assigned, whole, 0, true, parts)); }
  return sum <= most ? sum : unbounded_response;
}

inline constexpr std::size_t most_beside = parts_of_visit<ticks>::most;  ///< parts of a job beside its visits

/// Says what the response of a job consists of that keeps its processor: its own time there, its visits elsewhere, and
/// other jobs, by what the rule says.
template <std::size_t N, std::size_t V>
constexpr void say_whole_job(const visit_table<N, V>& table, std::uint32_t s, const visit_demand& job,
                             const parts_of_visit<ticks>* elsewhere, const parts_of_visit<ticks>& said,
                             parts_of_task<ticks>& out) {
  if (said.sum() != job.response) { return; }
  const flow_record& t = table.tasks[job.task];
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const visit_record& x = table.visit(job.task, p);
    const auto position = static_cast<std::uint16_t>(p);
    if (x.station == s) {
      out.add(term_kind::own_work, job.task, x.upper, position);
    } else {
      out.add_visit(elsewhere[t.first_visit + p], position, t.visit_count - p + most_beside);
    }
  }
  out.add(term_kind::release_jitter, job.task, t.jitter);
  for (const auto& part : said) {
    if (part.what != term_kind::own_work) { out.add(term_kind::job_interference, part.by, part.time); }
  }
}

}  // namespace detail

/// Each job is one thread that does one visit after the other and never leaves its processor before it ends. It waits
/// there for its copies and kernels, unless a job that comes before it runs. So it occupies the processor for no longer
/// than the sum of its own time there and of its responses elsewhere, and the test of the processors decides.
///
/// Why: while the thread is preempted, its copies and kernels go on, so it waits for no more than their responses,
/// which count from when it asked. Visits elsewhere become ready when the job's deadline can still be met; up to the
/// first miss that holds. On a single processor under fixed priorities a job is also done when its visits are, one
/// after the other. A visit there, the begin of a copy or kernel, and the end of the last one wait only for what more
/// important threads keep of the processor. That counts from the last instant without one of them. Processors must
/// preempt and have one priority for each job; a task needs a visit of one, which may take no time. Error:
/// `invalid_model`, also of non-preemptive regions.
template <std::size_t N, std::size_t V, detail::InflatingStations Stations>
[[nodiscard]] constexpr auto spinning(const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  auto out = detail::open_verdict(table, stations, "busy-waiting");
  if (out.error) { return out; }
  const auto fail = [&out](obstacle why, std::uint32_t where) {
    out.why = why;
    out.where = where;
    for (auto& t : out.tasks) {
      t.bound = {};
      t.parts.clear();
    }
    return out;
  };
  for (const visit_record& x : table.visits) {
    if (x.region == 0) { continue; }
    model_error error = fault_at(model_fault::region_not_honoured, x.task, x.position);
    error.name = table.tasks[x.task].name;
    out.refuse(error);
    return out;
  }
  if (!table.sections.empty()) { return fail(obstacle::tokens, table.sections[0].task); }
  detail::station_demands<N, V> demands{table, stations};
  if (!demands.fits()) { return fail(obstacle::overflow, no_index); }

  ticks none[V]{};
  ticks responses[V]{};
  detail::readiness<N, V> ready;
  for (std::uint32_t i = 0; i < table.size(); ++i) { static_cast<void>(ready.pass(table, i, none, none)); }
  const std::uint32_t late = detail::windows_in_time(table, ready, demands);
  if (late != no_index) { return fail(obstacle::deadline, late); }
  parts_of_visit<ticks> elsewhere[V]{};
  for (std::size_t k = 0; k < demands.size(); ++k) { demands[k].parts = &elsewhere[demands.visit(k)]; }
  const detail::lent_priorities<N, V> lent{table, stations};
  for (std::size_t s = 0; s < stations.size(); ++s) {
    if (stations.takes_suspensions(s)) { continue; }
    if (!demands.of(s).empty() && !detail::settles(lent, stations, s, demands)) {
      return fail(obstacle::gpu, demands.of(s)[0].task);
    }
    for (std::size_t k = 0; k < demands.size(); ++k) {
      const std::uint32_t v = demands.visit(k);
      if (table.visits[v].station != s) { continue; }
      responses[v] = demands[k].response;
      detail::name_whole(elsewhere[v], demands[k].task, responses[v]);
    }
  }

  std::size_t assigned[N]{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    assigned[i] = detail::only_assigned_station(table, stations, i);
    if (assigned[i] == stations.size()) { return fail(obstacle::processors, i); }
  }
  ticks wholes[N]{};
  parts_of_visit<ticks> said[N]{};
  for (std::uint32_t s = 0; s < stations.size(); ++s) {
    detail::station_demands<N, V> jobs;
    const bool decides = stations.has_decision(s);
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      if (assigned[i] != s) { continue; }
      const flow_record& t = table.tasks[i];
      ticks whole = t.jitter;
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const ticks part = table.visit(i, p).station == s ? table.visit(i, p).upper : responses[t.first_visit + p];
        if (part > takt::detail::time_within_period(t)) { return fail(obstacle::deadline, i); }
        whole += part;
        if (whole > takt::detail::time_within_period(t)) { return fail(obstacle::deadline, i); }
      }
      wholes[i] = whole;
      if (whole > 0 && !jobs.add(stations, s, table, i, whole)) { return fail(obstacle::overflow, i); }
      out.tasks[i].bound = {0, true};
    }
    if (jobs.all().empty()) { continue; }
    for (visit_demand& job : jobs.all()) { job.parts = &said[job.task]; }
    bool known = stations.responds(s, jobs.all());
    for (visit_demand& job : jobs.all()) {
      const bool by_visits = known && stations.units(s) == 1 && table.tasks[job.task].visit_count > 1 &&
                             detail::has_fixed_place(table, stations, s, job.task);
      auto& parts = out.tasks[job.task].parts;
      detail::say_whole_job(table, s, job, elsewhere, said[job.task], parts);
      if (by_visits) {
        parts_of_task<ticks> own;
        const ticks other =
            detail::response_by_visits(table, stations, s, job.task, assigned, wholes, responses, elsewhere, own);
        if (other < unbounded_response && other < job.response) {
          job.response = other;
          parts = own;
        }
      }
      known = known && job.response <= takt::detail::time_within_period(table.tasks[job.task]);
      out.tasks[job.task].bound = {job.response, true};
    }
    if (known) { continue; }
    if (!decides || !detail::deadlines_decide(table, jobs.all()) || !stations.decides(s, jobs.all())) {
      for (const visit_demand& job : jobs.all()) {
        if (job.response <= takt::detail::time_within_period(table.tasks[job.task])) { continue; }
        return fail(detail::why_beyond(job.response), job.task);
      }
      return fail(obstacle::processors, s);
    }
    for (const visit_demand& job : jobs.all()) {
      auto& t = out.tasks[job.task];
      t.bound = {table.tasks[job.task].deadline, true};
      t.parts.clear();
      t.parts.add(term_kind::local_deadline, job.task, t.bound.value);
    }
  }
  for (auto& t : out.tasks) { t.meets = true; }
  out.why = obstacle::none;
  out.where = no_index;
  out.status = verdict_status::schedulable;
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
