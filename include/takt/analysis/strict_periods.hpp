// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Most jobs of the tasks of one processor that a test of strict periods follows.
inline constexpr std::int64_t most_strict_jobs = std::int64_t{1} << 14U;

namespace detail {

/// A task whose jobs are released at `offset` + k `period` and take up to `wcet`.
struct strict_load {
  ticks offset = 0;
  ticks period = 1;
  ticks wcet = 0;
};

}  // namespace detail

/// Says how a job stands to jobs of other tasks with the same point.
enum class tie : std::uint8_t { lost, won };

namespace detail {

/// The longest response of the jobs of one task.
struct strict_response {
  bool decided = false;  ///< the run has come to repeat itself, so that no later job responds later
  ticks worst = 0;       ///< of the jobs of a legal run, all of them if it is decided
};

/// Says how far the jobs of a task are.
struct strict_progress {
  ticks next = 0;            ///< release that comes
  ticks head = 0;            ///< release of the first unfinished job
  ticks left = 0;            ///< what is left to do of it
  std::int64_t pending = 0;  ///< unfinished jobs
};

/// Returns the least common multiple of all periods; 0 where the jobs until the run repeats are too many.
template <class Loads>
[[nodiscard]] constexpr auto bearable_hyperperiod(const Loads& tasks, ticks first) -> ticks {
  ticks all = 1;
  for (const strict_load& t : tasks) {
    if (!common_multiple(ticks{t.period}, all, all) || all > longest_visit_time) { return 0; }
  }
  std::int64_t jobs = 0;
  for (const strict_load& t : tasks) {
    jobs += (first + 3 * all) / t.period + 1;
    if (jobs > most_strict_jobs) { return 0; }
  }
  return all;
}

/// Returns the task that runs: the first pending one in the order of the points. `tasks.size()`: none.
template <std::size_t N, class Point>
[[nodiscard]] constexpr auto first_pending(const strict_progress (&at)[N], std::size_t count, std::size_t own, tie ties,
                                           const Point& point) -> std::size_t {
  std::size_t out = count;
  ticks least = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (at[i].pending == 0) { continue; }
    const ticks value = point(i, at[i].head);
    const bool wins = i == own && ties == tie::won;
    const bool yields = out == own && ties == tie::lost;
    const bool goes = out == count || value < least || (value == least && (wins || yields));
    if (goes) {
      least = value;
      out = i;
    }
  }
  return out;
}

template <std::size_t N>
[[nodiscard]] constexpr auto same_progress(const strict_progress (&a)[N], const strict_progress (&b)[N],
                                           std::size_t count) -> bool {
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    same = same && a[i].pending == b[i].pending && (a[i].pending == 0 || a[i].left == b[i].left);
  }
  return same;
}

/// Returns the longest response of one of the strictly periodic tasks of a processor that preempts in the order of the
/// points of jobs, `point(task, release)`, the least first. Every job takes its longest time. That is the worst case.
/// Where the order of jobs does not depend on their times, a job of independent tasks on one preemptive processor ends
/// no later if some job takes less. Ties decide only about the own task: among others they move no work past it.
///
/// The run is followed until two states a hyperperiod apart are equal; past `most_strict_jobs` jobs it is undecided.
/// Pre: offset >= 0, period >= 1, wcet >= 1 of each task; own < tasks.size(). Cost: jobs x tasks.
/// Source: Leung and Merrill 1980 (the interval); Ha and Liu 1994 (the longest times are the worst).
template <std::size_t N, class Point>
[[nodiscard]] constexpr auto response_by_hyperperiod(const inline_vector<strict_load, N>& tasks, std::size_t own,
                                                     tie ties, const Point& point) -> strict_response {
  TAKT_EXPECTS(own < tasks.size());
  strict_response out;
  ticks first = 0;
  for (const strict_load& t : tasks) {
    TAKT_EXPECTS(t.offset >= 0 && t.period >= 1 && t.wcet >= 1);
    first = first < t.offset ? t.offset : first;
  }
  const ticks hyperperiod = detail::bearable_hyperperiod(tasks, first);
  if (hyperperiod == 0) { return out; }
  detail::strict_progress at[N]{};
  detail::strict_progress before[N]{};
  for (std::size_t i = 0; i < tasks.size(); ++i) { at[i].next = tasks[i].offset; }
  ticks check = first;
  ticks now = 0;
  for (std::int64_t jobs = 0;;) {
    ticks event = check;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      detail::strict_progress& p = at[i];
      if (p.next == now) {
        if (p.pending++ == 0) {
          p.head = now;
          p.left = tasks[i].wcet;
        }
        p.next += tasks[i].period;
        if (++jobs > most_strict_jobs) { return out; }
      }
      event = p.next < event ? p.next : event;
    }
    if (now == check) {
      out.decided = check > first && detail::same_progress(at, before, tasks.size());
      if (out.decided) { return out; }
      for (std::size_t i = 0; i < tasks.size(); ++i) { before[i] = at[i]; }
      check += hyperperiod;
      continue;
    }
    const std::size_t runs = detail::first_pending(at, tasks.size(), own, ties, point);
    if (runs == tasks.size() || now + at[runs].left > event) {
      if (runs != tasks.size()) { at[runs].left -= event - now; }
      now = event;
      continue;
    }
    detail::strict_progress& p = at[runs];
    now += p.left;
    if (runs == own && out.worst < now - p.head) { out.worst = now - p.head; }
    --p.pending;
    p.head += tasks[runs].period;
    p.left = tasks[runs].wcet;
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
