// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/combiners/inflated.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/delayed_by.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Stations that say which visits can delay a visit there.
template <class S>
concept ReachingStations = InflatingStations<S> && requires(const S& stations, std::size_t s) {
  { stations.delays_from(s) } -> std::same_as<delayed_by>;
};

/// Methods of bounds that a verdict without a proof has for some of its tasks.
inline constexpr std::string_view closed_holistic = "holistic, closed part";
inline constexpr std::string_view closed_spinning = "busy-waiting, closed part";

}  // namespace detail
[[nodiscard]] constexpr auto is_of_closed_part(std::string_view method) noexcept -> bool {
  return method == detail::closed_holistic || method == detail::closed_spinning;
}

/// Says which tasks can delay which, in any run, jobs of one task that overlap included. Two tasks that use one pool of
/// tokens can delay each other. So can those that visit one station, with two exceptions. Its rule may declare that
/// each task is served apart. Or it declares that visits with later points do not hinder, and points there do not
/// change from job to job; those with non-preemptive regions always hinder. Where tokens lend priorities, nothing is
/// taken of points on the stations of those who use them.
template <std::size_t N, std::size_t V>
class delay_relation {
 public:
  template <detail::ReachingStations Stations>
  constexpr delay_relation(const visit_table<N, V>& table, const Stations& stations) {
    bool lends[N]{};
    for (const visit_section& a : table.sections) {
      lends[a.task] = lends[a.task] || stations.token_inherits(a.tokens) || stations.token_donates(a.tokens) ||
                      stations.token_is_local(a.tokens);
      for (const visit_section& b : table.sections) {
        if (a.tokens == b.tokens) { delays_[a.task][b.task] = true; }
      }
    }
    for (std::size_t s = 0; s < stations.size(); ++s) { note_station(table, stations, s, lends); }
  }

  /// Returns whether jobs of `by` can delay jobs of `task` without the help of a third one.
  [[nodiscard]] constexpr auto delays(std::size_t by, std::size_t task) const noexcept -> bool {
    return delays_[by][task];
  }
  /// Takes `task` out of `kept`, and all that it can delay, directly or by others. Pre: kept[task].
  constexpr void drop(std::size_t task, bool* kept) const {
    TAKT_EXPECTS(task < N && kept[task]);
    std::size_t open[N]{};
    std::size_t count = 0;
    kept[task] = false;
    for (open[count++] = task; count > 0;) {
      const std::size_t by = open[--count];
      for (std::size_t i = 0; i < N; ++i) {
        if (!kept[i] || !delays_[by][i]) { continue; }
        kept[i] = false;
        open[count++] = i;
      }
    }
  }

 private:
  template <class Stations>
  constexpr void note_station(const visit_table<N, V>& table, const Stations& stations, std::size_t s,
                              const bool* lends) {
    delayed_by from = stations.delays_from(s);
    if (from == delayed_by::no_other) { return; }
    bool is_there[N]{};
    bool has_regions[N]{};
    ticks first[N]{};
    ticks last[N]{};
    for (const visit_record& x : table.visits) {
      if (x.station != s) { continue; }
      const flow_record& t = table.tasks[x.task];
      const job_timing timing{x.upper, t.period, t.deadline, static_cast<std::int32_t>(x.task), t.priority};
      priority_point now{};
      priority_point later{};
      const bool is_fixed = stations.point(s, timing, 0, now) && stations.point(s, timing, t.period, later) &&
                            now == later && !lends[x.task];
      if (!is_fixed) { from = delayed_by::everybody; }
      if (!is_there[x.task] || now.point < first[x.task]) { first[x.task] = now.point; }
      if (!is_there[x.task] || last[x.task] < now.point) { last[x.task] = now.point; }
      is_there[x.task] = true;
      has_regions[x.task] = has_regions[x.task] || x.region > 0;
    }
    for (std::size_t by = 0; by < table.size(); ++by) {
      for (std::size_t i = 0; i < table.size() && is_there[by]; ++i) {
        const bool comes_later = from == delayed_by::no_later_points && last[i] < first[by] && !has_regions[by];
        if (is_there[i] && !comes_later) { delays_[by][i] = true; }
      }
    }
  }

  bool delays_[N][N]{};
};

namespace detail {

/// Holds some of the tasks of a table, as a table.
template <std::size_t N, std::size_t V>
struct table_part {
  visit_table<N, V> table;
  std::uint32_t whole[N]{};  ///< the number of each task in the whole table

  constexpr table_part(const visit_table<N, V>& all, const bool* kept) {
    std::uint32_t number[N]{};
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (!kept[i]) { continue; }
      number[i] = static_cast<std::uint32_t>(table.size());
      whole[table.size()] = i;
      flow_record t = all.tasks[i];
      t.first_visit = static_cast<std::uint32_t>(table.visits.size());
      // Bound: the part has at most what all have; so below.
      table.tasks.unchecked_push_back(t);
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        visit_record x = all.visit(i, p);
        x.task = number[i];
        table.visits.unchecked_push_back(x);
      }
    }
    for (visit_section x : all.sections) {
      if (!kept[x.task]) { continue; }
      x.task = number[x.task];
      table.sections.unchecked_push_back(x);
    }
  }
};

/// The responses of the visits of a part, among all; those of others have no bound. Where a verdict has room for them.
template <std::size_t N, std::size_t V, class Found, class Verdict>
constexpr void add_visits(const visit_table<N, V>& all, const table_part<N, V>& part, const Found& found,
                          Verdict& out) {
  if (!out.visits.empty() || found.visits.empty() || Verdict::max_visits < all.visits.size()) { return; }
  for (const visit_record& x : all.visits) {
    // Bound: one per visit, for which there is room, see above.
    out.visits.unchecked_push_back({.name = {}, .task = x.task, .segment = x.position, .response = unbounded_response});
  }
  for (const auto& x : found.visits) {
    out.visits[all.tasks[part.whole[x.task]].first_visit + x.segment].response = x.response;
  }
}

/// Takes out what an unproven verdict on a part names, and all that can be delayed by it.
template <std::size_t N, std::size_t V, class Verdict>
constexpr void drop_obstacle(const delay_relation<N, V>& reach, const table_part<N, V>& part, const Verdict& failed,
                             bool* kept) {
  const auto drop = [&](std::size_t i) {
    if (kept[part.whole[i]]) { reach.drop(part.whole[i], kept); }
  };
  switch (failed.why) {
    case obstacle::deadline:
    case obstacle::passes:  // of a task whose visits a rule gave up, else nowhere
    case obstacle::gpu:
      if (failed.where < part.table.size()) { drop(failed.where); }
      return;
    case obstacle::processors:
      for (const visit_record& x : part.table.visits) {
        if (x.station == failed.where) { drop(x.task); }
      }
      return;
    case obstacle::tokens:
      for (const visit_section& x : part.table.sections) { drop(x.task); }
      return;
    case obstacle::none:
    case obstacle::copies:
    case obstacle::history:
    case obstacle::interrupts:
    case obstacle::overflow:
    case obstacle::invalid_model: return;
  }
}

}  // namespace detail

/// Bounds, in a verdict that is no proof of the whole set, for the tasks that nothing unproven can delay.
/// `judge(table)` is a combiner on the same stations, `out` its verdict on the whole table or that of another method:
/// rows that are proven stay as they are.
///
/// Why: let no task outside of a part delay one in it. Then each station and each pool of tokens does for the part what
/// it would do without the others. So a run of all, looked at where the part is, is a legal run of the part alone. A
/// proof about the part as a system of its own holds for it. Nothing else is used of the others: they may miss
/// deadlines, and their jobs may overlap. See docs/composition.md, closed parts.
///
/// `reach` is the relation of the same table. Cost: a verdict of `judge` for each round, fewer rounds than tasks.
template <std::size_t N, std::size_t V, class Judge, class Verdict>
constexpr void bound_closed_part(const visit_table<N, V>& table, const delay_relation<N, V>& reach, const Judge& judge,
                                 std::string_view name, Verdict& out) {
  bool kept[N]{};
  for (std::size_t i = 0; i < table.size(); ++i) { kept[i] = true; }
  for (std::size_t left = table.size(); left > 0;) {
    const detail::table_part<N, V> part{table, kept};
    const auto found = judge(part.table);
    if (found.schedulable()) {
      for (std::size_t k = 0; k < part.table.size(); ++k) {
        auto& t = out.tasks[part.whole[k]];
        if (t.meets) { continue; }
        t.bound = found.tasks[k].bound;
        t.blocking = found.tasks[k].blocking;
        t.parts = found.tasks[k].parts;
        for (auto& said : t.parts) { said.by = said.by < part.table.size() ? part.whole[said.by] : said.by; }
        t.meets = true;
        t.evaluated = true;
        t.method = name;
      }
      detail::add_visits(table, part, found, out);
      return;
    }
    detail::drop_obstacle(reach, part, found, kept);
    std::size_t now = 0;
    for (std::size_t i = 0; i < table.size(); ++i) { now += kept[i] ? 1U : 0U; }
    if (now == left) { return; }
    left = now;
  }
}

}  // namespace takt::inline TAKT_ABI::analysis
