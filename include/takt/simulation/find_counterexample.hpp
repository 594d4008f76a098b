// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/duration.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/simulate_composed.hpp>

namespace takt::inline TAKT_ABI {

/// Says how many runs are tried, and how long they are, in the search for a run in which a deadline is missed.
struct counterexample_search {
  std::int64_t periods = 20;          ///< of the longest one, in each run
  std::int64_t most_visits = 80'000;  ///< in each run, about
  std::uint64_t seeds = 8;            ///< of each way to release jobs, beside the periodic one
};

/// A legal run of a board under its rules in which a deadline is missed.
struct counterexample {
  bool exists = false;
  std::uint32_t task = no_index;   ///< that misses it
  ticks deadline_at = no_instant;  ///< the instant that passed, where it is within the period
  simulation_options how{};        ///< the run, again
  std::uint64_t runs = 0;          ///< that were made
  model_error error{};             ///< what keeps them from being made
};

namespace detail {

/// Holds what a search for runs needs of tasks. Visits are told to it.
template <std::size_t N>
struct run_sizes {
  inline_vector<ticks, N> period;
  inline_vector<ticks, N> deadline;  ///< `unbounded_response`: none
  inline_vector<std::int64_t, N> visits;

  constexpr void open(const flow_attributes& task) {
    // Bound: one per task, and N is their number.
    period.unchecked_push_back(task.period);
    deadline.unchecked_push_back(task.deadline);
    visits.unchecked_push_back(0);
  }
  template <class S>
  constexpr auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    if (!visits.empty()) { ++visits.back(); }
    return 0;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the simulation*/) {}

  [[nodiscard]] constexpr auto horizon(const counterexample_search& s) const -> ticks {
    ticks longest = 1;
    for (const ticks p : period) { longest = longest < p ? p : longest; }
    const ticks wanted = longest > simulation::longest_time / s.periods ? longest : longest * s.periods;
    // The periods may be so far apart that all visits of such a run have no number: then it is cut, and counted again.
    for (ticks out = wanted;;) {
      const visit_count all = visits_until(out);
      if (all.visits <= s.most_visits) { return out; }
      out = out / (all.visits / s.most_visits + 1) + 1;
      if (all.whole) { return out; }
    }
  }

 private:
  struct visit_count {
    std::int64_t visits = 0;
    bool whole = true;  ///< else there are at least so many
  };
  [[nodiscard]] constexpr auto visits_until(ticks end) const -> visit_count {
    constexpr std::int64_t most_of_task = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(N + 1);
    visit_count out;
    for (std::size_t i = 0; i < period.size(); ++i) {
      const ticks jobs = end / (period[i] < 1 ? 1 : period[i]) + 1;
      const bool fits = visits[i] == 0 || jobs <= most_of_task / visits[i];
      out.visits += fits ? jobs * visits[i] : most_of_task;
      out.whole = out.whole && fits;
    }
    return out;
  }
};

template <class T>
[[nodiscard]] constexpr auto run_sizes_of(const T& tasks) -> run_sizes<tasks_of<T>> {
  run_sizes<tasks_of<T>> out;
  visit_source<T>::each(tasks, out);
  return out;
}
/// With the deadlines that were given: the engine holds jobs to the lesser of deadline and period.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto run_sizes_of(const runtime_task_set<N, V, R, S>& tasks) -> run_sizes<N> {
  run_sizes<N> out;
  visit_source<runtime_task_set<N, V, R, S>>::each(tasks, out);
  for (std::size_t i = 0; i < out.deadline.size(); ++i) {
    out.deadline[i] = tasks.tasks[i].limited ? tasks.tasks[i].deadline : unbounded_response;
  }
  return out;
}

template <std::size_t N, class Seen>
constexpr void note_late_task(const run_sizes<N>& sizes, const Seen& seen, counterexample& out) {
  for (std::uint32_t i = 0; i < seen.tasks.size() && !out.exists; ++i) {
    const auto& row = seen.tasks[i];
    const bool is_within = sizes.deadline[i] <= sizes.period[i];
    if (sizes.deadline[i] == unbounded_response) { continue; }
    // Jobs that were released by the end and are not done are at least a period apart.
    const auto waiting = static_cast<std::int64_t>(row.released - row.completed) - 1;
    const bool is_stuck = waiting > sizes.deadline[i] / sizes.period[i];
    const bool is_late = is_stuck || row.worst_response > sizes.deadline[i];
    if (!is_late && !(is_within && row.misses > 0)) { continue; }
    out.exists = true;
    out.task = i;
    out.deadline_at = is_within ? row.first_miss : no_instant;
  }
}

}  // namespace detail

/// Looks for a run under a plan in which a deadline is missed. The first run releases jobs together and one period
/// apart, with the longest times. Then, for some seeds, releases are adversarial or sporadic, with longest and with
/// random times. That it finds none proves nothing. Which times are possible is what the rules of the pools make of the
/// facts. Cost: 1 + 3 seeds runs.
template <class P, class T, std::size_t N, std::size_t W>
  requires ComposedBoard<P, T>
[[nodiscard]] constexpr auto find_counterexample(const P& board, const T& tasks, const plan<N, W>& p,
                                                 const counterexample_search& search = {}) -> counterexample {
  const auto sizes = detail::run_sizes_of(tasks);
  counterexample out;
  const auto try_run = [&](release_pattern releases, execution_times execution, std::uint64_t seed) {
    out.how = {.horizon = duration{sizes.horizon(search)}, .releases = releases, .execution = execution, .seed = seed};
    const auto seen = simulate(board, tasks, p, out.how);
    ++out.runs;
    out.error = seen.error;
    if (!seen.error) { detail::note_late_task(sizes, seen, out); }
    return out.exists || seen.error;
  };
  if (try_run(release_pattern::periodic, execution_times::upper, 1)) { return out; }
  for (std::uint64_t seed = 1; seed <= search.seeds; ++seed) {
    if (try_run(release_pattern::adversarial, execution_times::upper, seed) ||
        try_run(release_pattern::adversarial, execution_times::random, seed) ||
        try_run(release_pattern::sporadic, execution_times::upper, seed)) {
      return out;
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
