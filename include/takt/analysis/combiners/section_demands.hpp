// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Stations with pools of tokens whose rules may know how long requests wait.
template <class S>
concept TokenStations =
    RespondingStations<S> && requires(const S& stations, std::size_t s, std::span<section_demand> sections,
                                      std::int32_t processors, ticks& lent) {
      { stations.token_inherits(s) } -> std::same_as<bool>;
      { stations.token_donates(s) } -> std::same_as<bool>;
      { stations.token_is_local(s) } -> std::same_as<bool>;
      { stations.token_has_ceiling(s) } -> std::same_as<bool>;
      { stations.inherits(s) } -> std::same_as<bool>;
      { stations.units(s) } -> std::same_as<std::int32_t>;
      { stations.delays(s, sections) } -> std::same_as<bool>;
      { stations.blocks(s, sections, processors, lent) } -> std::same_as<bool>;
    };

/// Returns the longest path through a section. `time_of(v)`: of one of its visits.
template <std::size_t N, std::size_t V, class TimeOf>
[[nodiscard]] constexpr auto section_length(const visit_table<N, V>& table, const visit_section& s,
                                            const TimeOf& time_of) -> ticks {
  const flow_record& t = table.tasks[s.task];
  ticks end[max_visits_of_task]{};
  ticks longest = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    if ((s.visits >> p & 1U) == 0) { continue; }
    const visit_mask before = table.visit(s.task, p).predecessors & s.visits;
    ticks start = 0;
    for (std::uint32_t q = 0; q < p; ++q) { start = (before >> q & 1U) != 0 && start < end[q] ? end[q] : start; }
    end[p] = start + time_of(t.first_visit + p);
    if (end[p] > unbounded_response) { end[p] = unbounded_response; }
    longest = longest < end[p] ? end[p] : longest;
  }
  return longest;
}

/// Returns the visit of a section that comes first, in the order of the table.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto first_visit_of(const visit_table<N, V>& table, const visit_section& s) -> std::uint32_t {
  std::uint32_t p = 0;
  while ((s.visits >> p & 1U) == 0 || (table.visit(s.task, p).predecessors & s.visits) != 0) { ++p; }
  return table.tasks[s.task].first_visit + p;
}

/// Sections, pool by pool.
template <std::size_t N, std::size_t V>
class section_demands {
 public:
  template <class Stations>
  constexpr section_demands(const visit_table<N, V>& table, const Stations& stations) {
    for (std::uint32_t pool = 0; pool < stations.token_pools(); ++pool) {
      for (std::uint32_t s = 0; s < table.sections.size(); ++s) {
        const visit_section& x = table.sections[s];
        if (x.tokens != pool) { continue; }
        const flow_record& t = table.tasks[x.task];
        section_demand d{.task = x.task,
                         .visits = x.visits,
                         .before = table.visits[first_visit_of(table, x)].ancestors,
                         .assigned_station = takt::detail::assigned_station_of(table, stations, x.task),
                         .period = t.period,
                         .limit = takt::detail::time_within_period(t)};
        priority_point later{};
        d.fixed = takt::detail::job_point(table, stations, x.task, d.assigned_station, 0, d.point) &&
                  takt::detail::job_point(table, stations, x.task, d.assigned_station, t.period, later) &&
                  d.point == later;
        section_[count_] = s;
        demands_[count_++] = d;
      }
    }
  }

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return count_; }
  /// Pre: k < size(); so for `section`.
  [[nodiscard]] constexpr auto operator[](std::size_t k) noexcept -> section_demand& {
    TAKT_EXPECTS(k < count_);
    return demands_[k];
  }
  /// Returns the number of a demand's section in the table.
  [[nodiscard]] constexpr auto section(std::size_t k) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < count_);
    return section_[k];
  }
  /// Returns the sections of a pool.
  [[nodiscard]] constexpr auto of(const visit_table<N, V>& table, std::size_t pool) noexcept
      -> std::span<section_demand> {
    std::size_t first = 0;
    while (first < count_ && table.sections[section_[first]].tokens < pool) { ++first; }
    std::size_t last = first;
    while (last < count_ && table.sections[section_[last]].tokens == pool) { ++last; }
    return {demands_ + first, last - first};
  }

 private:
  section_demand demands_[V]{};
  std::uint32_t section_[V]{};
  std::size_t count_ = 0;
};

/// Responses of stations on which holders of tokens are served at the priority of those who wait. To all others such a
/// visit has the best priority of all users of its tokens. It may come as late as it would end without help, since it
/// can have been raised at any time of its stay. Its own response is as if no job waited. For fixed priorities on one
/// unit only, where a visit that always comes first delays others most.
/// Source: docs/composition.md, contract 3.
template <std::size_t N, std::size_t V>
class lent_priorities {
 public:
  template <class Stations>
  constexpr lent_priorities(const visit_table<N, V>& table, const Stations& stations) {
    for (const visit_section& held : table.sections) {
      if (!stations.token_inherits(held.tokens) || stations.token_is_local(held.tokens)) { continue; }
      for (std::uint32_t p = 0; p < table.tasks[held.task].visit_count; ++p) {
        const visit_record& x = table.visit(held.task, p);
        if ((held.visits >> p & 1U) == 0 || !stations.inherits(x.station) || x.upper == 0) { continue; }
        const std::uint32_t v = table.tasks[held.task].first_visit + p;
        for (const visit_section& waiting : table.sections) {
          if (waiting.tokens != held.tokens || waiting.task == held.task) { continue; }
          raise(table, stations, v, waiting.task);
        }
      }
    }
    for (std::size_t s = 0; s < stations.size(); ++s) {
      if (!raises_[s]) { continue; }
      for (const visit_record& x : table.visits) {
        priority_point now{};
        priority_point later{};
        const ticks period = table.tasks[x.task].period;
        const bool fixed = x.station != s || (point_of(table, stations, x.task, s, 0, now) &&
                                              point_of(table, stations, x.task, s, period, later) && now == later);
        varies_[s] = varies_[s] || !fixed;
      }
    }
  }

  /// Does what `responds` of the stations does. False also where a response is not known because priorities are lent.
  template <class Stations>
  [[nodiscard]] constexpr auto responds(const Stations& stations, std::size_t s, station_demands<N, V>& demands) const
      -> bool {
    const auto visits = demands.of(s);
    if (!raises_[s]) { return stations.responds(s, visits); }
    if (varies_[s] || stations.units(s) > 1) { return false; }
    for (const visit_demand& d : visits) {
      if (d.region > 0) { return false; }
    }
    const std::size_t first = demands.first(s);
    visit_demand seen[V]{};
    std::size_t from[V]{};
    ticks found[V]{};
    for (std::size_t target = 0; target <= visits.size(); ++target) {  // the last stands for all that nobody raises
      const bool for_rest = target == visits.size();
      if (!for_rest && !is_raised_[demands.visit(first + target)]) { continue; }
      for (std::size_t k = 0; k < visits.size(); ++k) {
        const std::uint32_t v = demands.visit(first + k);
        visit_demand d = visits[k];
        d.moved = true;
        if (for_rest ? is_raised_[v] : k != target) { d.parts = nullptr; }
        if (is_raised_[v] && k != target) {
          if (ceiling_[v] < d.point) { d.point = ceiling_[v]; }
          d.jitter += d.response < unbounded_response ? d.response : 0;
        }
        std::size_t at = V > 1 ? k : 0;
        for (; V > 1 && at > 0 && before(d, seen[at - 1]); --at) {
          seen[at] = seen[at - 1];
          from[at] = from[at - 1];
        }
        seen[at] = d;
        from[at] = k;
      }
      if (!stations.responds(s, {seen, visits.size()})) { return false; }
      for (std::size_t k = 0; k < visits.size(); ++k) {
        const bool is_raised = is_raised_[demands.visit(first + from[k])];
        if (for_rest ? !is_raised : from[k] == target) { found[from[k]] = seen[k].response; }
      }
    }
    for (std::size_t k = 0; k < visits.size(); ++k) {
      if (found[k] > visits[k].response) { visits[k].response = found[k]; }
    }
    return true;
  }
  /// Returns whether responses there depend on each other.
  [[nodiscard]] constexpr auto raises(std::size_t s) const noexcept -> bool { return raises_[s]; }

 private:
  template <class Stations>
  [[nodiscard]] static constexpr auto point_of(const visit_table<N, V>& table, const Stations& stations,
                                               std::uint32_t task, std::size_t s, ticks release, priority_point& out)
      -> bool {
    return takt::detail::job_point(table, stations, task, static_cast<std::uint32_t>(s), release, out);
  }
  template <class Stations>
  constexpr void raise(const visit_table<N, V>& table, const Stations& stations, std::uint32_t v, std::uint32_t task) {
    const std::uint32_t s = table.visits[v].station;
    priority_point p{};
    priority_point later{};
    const bool fixed = point_of(table, stations, task, s, 0, p) &&
                       point_of(table, stations, task, s, table.tasks[task].period, later) && p == later;
    varies_[s] = varies_[s] || !fixed;
    if (p.tie > boosted_priority.tie) { --p.tie; }  // before the job that it waits with
    if (!is_raised_[v] || p < ceiling_[v]) { ceiling_[v] = p; }
    is_raised_[v] = true;
    raises_[s] = true;
  }
  [[nodiscard]] static constexpr auto before(const visit_demand& a, const visit_demand& b) noexcept -> bool {
    if (a.point != b.point) { return a.point < b.point; }
    return a.task != b.task ? a.task < b.task : a.position < b.position;
  }
  bool is_raised_[V]{};
  priority_point ceiling_[V]{};
  bool raises_[V + 1]{};
  bool varies_[V + 1]{};  ///< points there change from job to job
};

inline constexpr std::int32_t most_settling_passes = 1'000;

/// Computes responses on one station until none grows. False where they are not known.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto settles(const lent_priorities<N, V>& lent, const Stations& stations, std::size_t s,
                                     station_demands<N, V>& demands) -> bool {
  for (std::int32_t pass = 0; pass < most_settling_passes; ++pass) {
    ticks before[V]{};
    const auto visits = demands.of(s);
    for (std::size_t k = 0; k < visits.size(); ++k) { before[k] = visits[k].response; }
    if (!lent.responds(stations, s, demands)) { return false; }
    bool grew = false;
    for (std::size_t k = 0; k < visits.size(); ++k) {
      grew = grew || before[k] < visits[k].response;
      if (visits[k].response >= unbounded_response && lent.raises(s)) { return false; }
    }
    if (!grew || !lent.raises(s)) { return true; }
  }
  return false;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
