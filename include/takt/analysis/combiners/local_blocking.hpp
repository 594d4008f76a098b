// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/combiners/section_demands.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/local_sections.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Sections under local rules, and how long they keep more important jobs of their processor from running.
///
/// Take a run of visits, pending from t to its end, and the last instant t' <= t before which no more important job was
/// ready. From t' on a job at least as important is ready or waits for a holder that runs. So less important jobs run
/// only sections for which they asked before t'. That is at most one of each job under inheritance, one in all under a
/// ceiling, as the next begins when no job is raised above it. An own earlier section X, which ran before a more
/// important job, may contain t'. It ends before t: from t the window behind B + X less X counts. Under EDF own visits
/// count as work of the window, and any other task may be the less important one. Source: Sha, Rajkumar and Lehoczky
/// 1990; Baker 1991; see docs/composition.md.
template <std::size_t N, std::size_t V>
class local_blocking {
 public:
  template <class Stations>
  constexpr local_blocking(const visit_table<N, V>& table, const Stations& stations) {
    for (const visit_section& x : table.sections) {
      if (!stations.token_is_local(x.tokens)) { continue; }
      exists_ = true;
      const std::uint32_t assigned_station = takt::detail::station_of(table, x);
      blocks_[assigned_station] = true;
      fits_ = fits_ && !has_regions(table, assigned_station) &&
              (stations.token_inherits(x.tokens) || stations.token_has_ceiling(x.tokens));
    }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) { runs_.first[v] = v; }
    if (!exists_) { return; }
    fits_ = fits_ && takt::detail::first_not_local(table, stations) == table.sections.size();
    for (const visit_section& x : table.sections) { fits_ = fits_ && !stations.token_donates(x.tokens); }
    if (!fits_) { return; }
    for (std::uint32_t s = 0; s < stations.size(); ++s) {
      if (!blocks_[s]) { continue; }
      const bool is_fixed = has_fixed_points(table, stations, s);
      for (std::uint32_t i = 0; i < table.size(); ++i) { note_blocking(table, stations, i, s, is_fixed); }
    }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
      runs_.time[v] = table.visits[v].upper;
      const std::uint32_t before = one_before(table, stations, v);
      if (before == v) { continue; }
      runs_.first[v] = runs_.first[before];
      runs_.time[v] += runs_.time[before];
    }
  }

  /// Returns false where nothing is known. Reasons are sections that are not local, a processor that cannot be taken
  /// back at any instant, and one that also serves holders of other tokens at lent priorities.
  [[nodiscard]] constexpr auto fits_beside(const lent_priorities<N, V>& lent, std::size_t stations) const noexcept
      -> bool {
    for (std::size_t s = 0; s < stations; ++s) {
      if (blocks_[s] && lent.raises(s)) { return false; }
    }
    return fits_;
  }
  [[nodiscard]] constexpr auto blocks(std::size_t s) const noexcept -> bool { return blocks_[s]; }
  [[nodiscard]] constexpr auto runs() const noexcept -> const visit_runs<V>& { return runs_; }
  /// Returns how long jobs of task i are kept from running by less important sections, on station s or on all.
  [[nodiscard]] constexpr auto of_job(const visit_table<N, V>& table, std::size_t i, std::uint32_t s) const -> ticks {
    ticks sum = 0;
    for (std::uint32_t v = table.tasks[i].first_visit; v < table.tasks[i].first_visit + table.tasks[i].visit_count;
         ++v) {
      const visit_record& x = table.visits[v];
      if (x.station == s && x.upper > 0 && runs_.first[v] == v) { sum += others_[v]; }
    }
    return sum < unbounded_response ? sum : unbounded_response;
  }
  [[nodiscard]] constexpr auto of_job(const visit_table<N, V>& table, std::size_t i) const -> ticks {
    ticks sum = 0;
    for (std::uint32_t s = 0; s <= V; ++s) { sum += blocks_[s] ? of_job(table, i, s) : 0; }
    return sum < unbounded_response ? sum : unbounded_response;
  }

  /// As `responds` of the stations, of visits and of runs. `grew` becomes true when a run's has grown. Pre: blocks(s).
  template <class Stations>
  [[nodiscard]] constexpr auto responds(const Stations& stations, std::size_t s, station_demands<N, V>& demands,
                                        bool& grew) -> bool {
    TAKT_EXPECTS(blocks(s));
    const auto visits = demands.of(s);
    const std::size_t first = demands.first(s);
    ticks found[V]{};
    for (std::size_t at = 0; at < visits.size(); ++at) {
      if (!ask(stations, s, demands, at, false, found[at])) { return false; }
      const std::uint32_t v = demands.visit(first + at);
      if (runs_.first[v] == v) { continue; }
      ticks run = 0;
      if (!ask(stations, s, demands, at, true, run)) { return false; }
      grew = grew || runs_.time[v] < run;
      runs_.time[v] = runs_.time[v] < run ? run : runs_.time[v];
    }
    for (std::size_t k = 0; k < visits.size(); ++k) {
      if (found[k] > visits[k].response) { visits[k].response = found[k]; }
    }
    return true;
  }

 private:
  /// Finds the response of the demand of a station at `at`, or of the run that it ends, from what the rule says. The
  /// rule sees a demand that comes before all others and stands for the blockers.
  template <class Stations>
  [[nodiscard]] constexpr auto ask(const Stations& stations, std::size_t s, station_demands<N, V>& demands,
                                   std::size_t at, bool whole_run, ticks& out) const -> bool {
    const auto visits = demands.of(s);
    const std::size_t first = demands.first(s);
    const std::uint32_t target = demands.visit(first + at);
    const std::uint32_t start = runs_.first[target];
    const ticks own = own_[target];
    const ticks blocker = others_[target] + own;
    if (others_[target] > visits[at].limit) {
      out = unbounded_response;
      return true;
    }
    visit_demand seen[V + 1]{};
    std::size_t count = 0;
    ticks period = 0;
    ticks deadline = 0;
    for (const visit_demand& u : visits) {
      period = period < u.period ? u.period : period;
      deadline = u.deadline - u.jitter < deadline ? u.deadline - u.jitter : deadline;
    }
    if (blocker > 0) {
      seen[count++] = {.task = static_cast<std::uint32_t>(N),
                       .point = boosted_priority,
                       .wcet = blocker,
                       .period = 4 * period,
                       .deadline = deadline,
                       .job_deadline = 4 * period};
    }
    std::size_t place = 0;
    for (std::size_t k = 0; k < visits.size(); ++k) {
      const std::uint32_t v = demands.visit(first + k);
      const bool of_run = whole_run && runs_.first[v] == start && v <= target;
      if (of_run && v != start) { continue; }
      visit_demand d = visits[k];
      d.moved = true;
      if (whole_run || k != at) { d.parts = nullptr; }
      if (of_run || (!whole_run && k == at)) {
        place = count;
        d.limit += own;
        d.response = (whole_run ? runs_.time[target] : d.response) + own;
        for (std::size_t u = 0; of_run && u < visits.size(); ++u) {
          const std::uint32_t other = demands.visit(first + u);
          d.wcet += other != start && other <= target && runs_.first[other] == start ? visits[u].wcet : 0;
        }
      } else {
        d.limit = 0;  // no answer is needed
      }
      seen[count++] = d;
    }
    if (!stations.responds(s, {seen, count})) { return false; }
    out = (seen[place].response) < unbounded_response ? seen[place].response - own : unbounded_response;
    if (seen[place].parts != nullptr && blocker > 0) { name_blockers(*seen[place].parts, others_[target]); }
    return true;
  }
  /// Says in place of the demand that stands for blockers how long others block. Parts that do not add up to the
  /// response of the rule stay so.
  static constexpr void name_blockers(parts_of_visit<ticks>& parts, ticks others) {
    const parts_of_visit<ticks> seen = parts;
    parts.clear();
    for (const auto& part : seen) {
      const bool blocks = part.by == static_cast<std::uint32_t>(N);
      parts.add(blocks ? term_kind::blocking : part.what, blocks ? no_index : part.by, blocks ? others : part.time);
    }
  }
  template <class Stations>
  [[nodiscard]] static constexpr auto has_fixed_points(const visit_table<N, V>& table, const Stations& stations,
                                                       std::uint32_t s) -> bool {
    for (const visit_record& x : table.visits) {
      priority_point p{};
      if (x.station == s && !takt::detail::fixed_point(table, stations, x.task, s, p)) { return false; }
    }
    return true;
  }
  [[nodiscard]] static constexpr auto length_of(const visit_table<N, V>& table, const visit_section& x) -> ticks {
    ticks sum = 0;
    for (std::uint32_t p = 0; p < table.tasks[x.task].visit_count; ++p) {
      sum += (x.visits >> p & 1U) != 0 ? table.visit(x.task, p).upper : 0;
    }
    return sum < unbounded_response ? sum : unbounded_response;
  }
  /// Returns whether a path joins two sections of one task.
  [[nodiscard]] static constexpr auto follow(const visit_table<N, V>& table, const visit_section& a,
                                             const visit_section& b) -> bool {
    return (table.visits[first_visit_of(table, a)].ancestors & b.visits) == b.visits ||
           (table.visits[first_visit_of(table, b)].ancestors & a.visits) == a.visits;
  }
  /// Returns whether another task than that of the section shares its tokens, and has a point before `limit` or at it.
  template <class Stations>
  [[nodiscard]] static constexpr auto has_user(const visit_table<N, V>& table, const Stations& stations,
                                               const visit_section& x, std::uint32_t s, const priority_point& limit)
      -> bool {
    for (const visit_section& user : table.sections) {
      priority_point p{};
      if (user.tokens != x.tokens || user.task == x.task) { continue; }
      if (takt::detail::job_point(table, stations, user.task, s, 0, p) && p <= limit) { return true; }
    }
    return false;
  }

  template <class Stations>
  constexpr void note_blocking(const visit_table<N, V>& table, const Stations& stations, std::uint32_t i,
                               std::uint32_t s, bool is_fixed) {
    priority_point own_point{};
    static_cast<void>(takt::detail::job_point(table, stations, i, s, 0, own_point));
    ticks others = 0;
    ticks raised = 0;  // the longest that runs at a ceiling
    ticks own = 0;
    for (std::uint32_t k = 0; k < table.size(); ++k) {
      priority_point point{};
      static_cast<void>(takt::detail::job_point(table, stations, k, s, 0, point));
      if (k != i && is_fixed && point < own_point) { continue; }
      ticks longest = 0;
      ticks sum = 0;
      bool chain = true;
      for (std::size_t h = 0; h < table.sections.size(); ++h) {
        const visit_section& x = table.sections[h];
        if (x.task != k || !counts(table, stations, x, s)) { continue; }
        const bool at_ceiling = stations.token_has_ceiling(x.tokens);
        const bool goes_before = is_fixed ? has_user(table, stations, x, s, own_point)
                                          : at_ceiling || has_user(table, stations, x, s, lowest_priority);
        if (!goes_before) { continue; }
        const ticks length = length_of(table, x);
        if (at_ceiling && k != i) {
          raised = raised < length ? length : raised;
          continue;
        }
        longest = longest < length ? length : longest;
        sum += length;
        for (std::size_t q = 0; q < h; ++q) {
          const visit_section& y = table.sections[q];
          chain = chain && (y.task != k || !counts(table, stations, y, s) || follow(table, x, y));
        }
      }
      ticks& into = k == i ? own : others;
      into += chain ? longest : sum;
    }
    others += raised;
    for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
      if (table.visit(i, p).station != s) { continue; }
      others_[table.tasks[i].first_visit + p] = others < unbounded_response ? others : unbounded_response;
      own_[table.tasks[i].first_visit + p] = is_fixed ? own : 0;
    }
  }
  template <class Stations>
  [[nodiscard]] static constexpr auto counts(const visit_table<N, V>& table, const Stations& stations,
                                             const visit_section& x, std::uint32_t s) -> bool {
    return stations.token_is_local(x.tokens) && takt::detail::station_of(table, x) == s;
  }

  /// Returns the visit that v directly follows in its run, or v itself.
  template <class Stations>
  [[nodiscard]] constexpr auto one_before(const visit_table<N, V>& table, const Stations& stations,
                                          std::uint32_t v) const -> std::uint32_t {
    const visit_record& x = table.visits[v];
    const flow_record& t = table.tasks[x.task];
    if (!blocks_[x.station] || x.position == 0 || x.upper == 0) { return v; }
    std::uint32_t before = 0;
    while (before < x.position && x.predecessors != visit_mask{1} << before) { ++before; }
    if (before == x.position || table.visit(x.task, before).station != x.station ||
        table.visit(x.task, before).upper == 0) {
      return v;
    }
    for (std::uint32_t p = before + 1; p < t.visit_count; ++p) {
      if (p != x.position && (table.visit(x.task, p).predecessors >> before & 1U) != 0) { return v; }
    }
    for (const visit_section& section : table.sections) {
      const bool waits =
          section.task == x.task && !stations.token_is_local(section.tokens) && first_visit_of(table, section) == v;
      if (waits) { return v; }
    }
    return t.first_visit + before;
  }

  visit_runs<V> runs_{};
  ticks others_[V]{};
  ticks own_[V]{};
  bool blocks_[V + 1]{};
  bool exists_ = false;
  bool fits_ = true;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
