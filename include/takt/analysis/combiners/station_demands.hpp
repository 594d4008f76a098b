// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/bound_parts.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Stations whose rules can say how long visits take.
template <class S>
concept RespondingStations = requires(const S& stations, std::size_t s, const job_timing& t, ticks release,
                                      priority_point& out, std::span<visit_demand> visits) {
  { stations.size() } -> std::convertible_to<std::size_t>;
  { stations.token_pools() } -> std::convertible_to<std::size_t>;
  { stations.setting(s) } -> std::same_as<token_setting>;
  { stations.point(s, t, release, out) } -> std::same_as<bool>;
  { stations.responds(s, visits) } -> std::same_as<bool>;
};

/// Returns whether a unit of a station cannot be taken from some visit at any instant.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto has_regions(const visit_table<N, V>& table, std::size_t s) -> bool {
  for (const visit_record& x : table.visits) {
    if (x.station == s && x.region > 0) { return true; }
  }
  return false;
}

/// Demands of all visits, station by station, each in the order of its points.
template <std::size_t N, std::size_t V>
class station_demands {
 public:
  constexpr station_demands() = default;
  template <class Stations>
  constexpr station_demands(const visit_table<N, V>& table, const Stations& stations) {
    for (std::uint32_t s = 0; s < stations.size(); ++s) {
      first_[s] = count_;
      const std::int32_t holders = holders_at(table, stations, s);
      for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
        const visit_record& x = table.visits[v];
        if (x.station != s || x.upper == 0) { continue; }
        const flow_record& t = table.tasks[x.task];
        visit_demand d{.task = x.task,
                       .position = x.position,
                       .ancestors = x.ancestors,
                       .view = x.view,
                       .wcet = x.upper,
                       .region = x.region,
                       .period = t.period,
                       .deadline = t.deadline,
                       .job_deadline = t.deadline,
                       .limit = takt::detail::time_within_period(t),
                       .response = x.upper,
                       .holders = holders};
        fits_ =
            fits_ && stations.point(s, {x.upper, t.period, t.deadline, static_cast<std::int32_t>(x.task), t.priority},
                                    0, d.point);
        insert(s, d, v);
      }
    }
    first_[stations.size()] = count_;
  }

  /// Adds a job of task i as one visit of so long. For one station only.
  template <class Stations>
  constexpr auto add(const Stations& stations, std::uint32_t s, const visit_table<N, V>& table, std::uint32_t i,
                     ticks wcet) -> bool {
    const flow_record& t = table.tasks[i];
    visit_demand d{.task = i,
                   .wcet = wcet,
                   .period = t.period,
                   .deadline = t.deadline,
                   .job_deadline = t.deadline,
                   .limit = takt::detail::time_within_period(t),
                   .response = wcet};
    if (!stations.point(s, {wcet, t.period, t.deadline, static_cast<std::int32_t>(i), t.priority}, 0, d.point)) {
      return false;
    }
    insert(0, d, i);
    return true;
  }
  [[nodiscard]] constexpr auto all() noexcept -> std::span<visit_demand> { return {demands_, count_}; }

  [[nodiscard]] constexpr auto fits() const noexcept -> bool { return fits_; }
  [[nodiscard]] constexpr auto of(std::size_t s) noexcept -> std::span<visit_demand> {
    return {demands_ + first_[s], first_[s + 1] - first_[s]};
  }
  /// Returns the position of the first demand of a station.
  [[nodiscard]] constexpr auto first(std::size_t s) const noexcept -> std::size_t { return first_[s]; }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return count_; }
  /// Pre: k < size(); so for `visit`.
  [[nodiscard]] constexpr auto operator[](std::size_t k) noexcept -> visit_demand& {
    TAKT_EXPECTS(k < count_);
    return demands_[k];
  }
  [[nodiscard]] constexpr auto visit(std::size_t k) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < count_);
    return visits_[k];
  }

 private:
  /// Returns how many tokens the pool has that every visit of a station needs, or 0.
  template <class Stations>
  [[nodiscard]] static constexpr auto holders_at(const visit_table<N, V>& table, const Stations& stations,
                                                 std::uint32_t s) -> std::int32_t {
    bool known = false;
    std::uint32_t pool = 0;
    for (const visit_record& x : table.visits) {
      if (x.station != s || x.upper == 0) { continue; }
      bool held = false;
      for (const visit_section& section : table.sections) {
        if (section.task != x.task || (section.visits >> x.position & 1U) == 0) { continue; }
        held = !known || section.tokens == pool;
        pool = section.tokens;
      }
      if (!held) { return 0; }
      known = true;
    }
    return known ? stations.setting(pool).tokens : 0;
  }

  [[nodiscard]] static constexpr auto before(const visit_demand& a, const visit_demand& b) noexcept -> bool {
    if (a.point != b.point) { return a.point < b.point; }
    return a.task != b.task ? a.task < b.task : a.position < b.position;
  }
  constexpr void insert(std::uint32_t s, const visit_demand& d, std::uint32_t v) {
    TAKT_EXPECTS(count_ < V);
    std::size_t at = count_++;
    for (; at > first_[s] && before(d, demands_[at - 1]); --at) {
      demands_[at] = demands_[at - 1];
      visits_[at] = visits_[at - 1];
    }
    demands_[at] = d;
    visits_[at] = v;
  }

  visit_demand demands_[V]{};
  std::uint32_t visits_[V]{};
  std::size_t first_[V + 2]{};
  std::size_t count_ = 0;
  bool fits_ = true;
};

/// Replaces parts that are not those of a response by one for the whole visit.
constexpr void name_whole(parts_of_visit<ticks>& parts, std::uint32_t task, ticks response) {
  if (parts.sum() == response) { return; }
  parts.clear();
  parts.add(term_kind::node, task, response);
}

/// Visits of a job that follow each other on a processor without anything between them.
template <std::size_t V>
struct visit_runs {
  std::uint32_t first[V]{};  ///< of the run of each visit
  ticks time[V]{};           ///< from ready of the first to done of this one
};

/// Says when visits become ready at the earliest and at the latest, from their nominal release, given responses.
template <std::size_t N, std::size_t V>
struct readiness {
  ticks earliest[V]{};
  ticks latest[V]{};

  /// Computes the latest end of task i. `waits` are those for tokens, of the first visits of sections. A visit is done
  /// by its own response and by that of its run, if `runs` has one.
  constexpr auto pass(const visit_table<N, V>& table, std::size_t i, const ticks* responses, const ticks* waits,
                      const visit_runs<V>* runs = nullptr) -> ticks {
    const auto latest_end = [&](std::uint32_t v) {
      const ticks alone = at_most(latest[v] + responses[v]);
      const ticks in_run = end_of_run(v, runs);
      return in_run < alone ? in_run : alone;
    };
    const flow_record& t = table.tasks[i];
    ticks end = 0;
    for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
      const visit_record& x = table.visits[v];
      ticks e = 0;
      ticks l = x.predecessors == 0 ? t.jitter : 0;
      for (std::uint32_t p = 0; p < x.position; ++p) {
        if ((x.predecessors >> p & 1U) == 0) { continue; }
        const std::uint32_t u = t.first_visit + p;
        const ticks earliest_end = earliest[u] + table.visits[u].lower;
        const ticks end_of_it = latest_end(u);
        e = e < earliest_end ? earliest_end : e;
        l = l < end_of_it ? end_of_it : l;
      }
      earliest[v] = e;
      latest[v] = at_most(l + waits[v]);
      const ticks done = latest_end(v);
      end = end < done ? done : end;
    }
    return end;
  }
  /// Returns when a visit is done by the response of its run at the latest; unbounded where it begins one.
  [[nodiscard]] constexpr auto end_of_run(std::uint32_t v, const visit_runs<V>* runs) const noexcept -> ticks {
    if (runs == nullptr || runs->first[v] == v) { return unbounded_response; }
    return at_most(latest[runs->first[v]] + runs->time[v]);
  }

 private:
  /// Caps a time, so that no sum of two of them overflows.
  [[nodiscard]] static constexpr auto at_most(ticks time) noexcept -> ticks {
    return time < unbounded_response ? time : unbounded_response;
  }
};

/// Returns a verdict with a row for each task, nothing proven; refused where the table is wrong.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto open_verdict(const visit_table<N, V>& table, const Stations& stations,
                                          std::string_view method) -> verdict<ticks, N, V> {
  verdict<ticks, N, V> out;
  out.method = method;
  if (const auto error = validate(table, stations.size(), stations.token_pools())) {
    out.refuse(error);
    return out;
  }
  for (const flow_record& t : table.tasks) {
    // Bound: one per task, as in the table.
    out.tasks.unchecked_push_back({.name = t.name, .deadline = t.deadline, .evaluated = true, .limited = t.limited});
  }
  return out;
}

/// Names the obstacle that a response above its limit is: a search that was given up, or the length of the response.
[[nodiscard]] constexpr auto why_beyond(ticks response) noexcept -> obstacle {
  return response == given_up_response ? obstacle::passes : obstacle::deadline;
}
/// Names the obstacle of task i by the longest response of its visits.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto why_beyond(const visit_table<N, V>& table, std::uint32_t i, const ticks* responses)
    -> obstacle {
  ticks longest = 0;
  for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
    const ticks response = responses[table.tasks[i].first_visit + p];
    longest = longest < response ? response : longest;
  }
  return why_beyond(longest);
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
