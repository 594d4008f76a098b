// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/rational.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

namespace takt::test {

struct reference_job {
  std::size_t task = 0;
  ticks release = 0;
  ticks finish = -1;
  bool missed = false;

  friend auto operator==(const reference_job&, const reference_job&) -> bool = default;
};

struct reference_run {
  std::vector<reference_job> jobs;  ///< that started, in the order of their starts
  bool exact = true;                ///< no fraction overflowed
};

/// The meaning of a simulation, spelled out tick by tick: every tick adds 1 / C to each job that holds a share, and
/// nothing is computed ahead. Contention is written out here once more. Without actuation delay.
template <std::size_t MaxTasks, class Policy>
[[nodiscard]] auto tick_by_tick(const application_set<MaxTasks>& table, Policy policy,
                                const std::vector<std::vector<ticks>>& releases,
                                const simulation::share_options& options) -> reference_run {
  struct state {
    std::size_t released = 0;
    std::size_t started = 0;
    std::size_t job = SIZE_MAX;  ///< in the result
    rational done;
  };
  reference_run out;
  std::vector<state> states(table.size());
  const auto is_active = [&](std::size_t i) { return states[i].job != SIZE_MAX; };
  const auto whole_time = [&](std::size_t i) -> ticks {
    if constexpr (requires { policy.whole_time(i); }) {
      return policy.whole_time(i);
    } else {
      std::int64_t stretch = 100'000'000;
      for (std::size_t k = 0; k < states.size(); ++k) {
        if (k != i && is_active(k)) { stretch += std::int64_t{table.contention.ppm(i, k)} * policy.held(k).percent(); }
      }
      return (table.tasks[i].alone.at(policy.held(i)) * stretch + 99'999'999) / 100'000'000;
    }
  };
  const auto ready = [&]() -> ticks {
    if constexpr (requires { policy.ready_at(); }) { return policy.ready_at(); }
    return 0;
  };
  bool missed = false;
  for (ticks now = 0;; ++now) {
    bool change = false;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (!is_active(i) || states[i].done < rational{1}) { continue; }
      reference_job& j = out.jobs[states[i].job];
      j.finish = now;
      if (now > j.release + table.tasks[i].deadline) { j.missed = true; }
      policy.complete(i);
      states[i].job = SIZE_MAX;
      change = true;
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (!is_active(i)) { continue; }
      reference_job& j = out.jobs[states[i].job];
      if (now < j.release + table.tasks[i].deadline || j.missed) { continue; }
      j.missed = missed = true;
      if (options.at_miss != miss_action::abort) { continue; }
      policy.abort(i);
      states[i].job = SIZE_MAX;
      change = true;
    }
    if (now >= options.horizon || (missed && options.at_miss == miss_action::stop)) { return out; }
    for (std::size_t i = 0; i < states.size(); ++i) {
      state& s = states[i];
      while (s.released < releases[i].size() && releases[i][s.released] <= now) { ++s.released; }
      if (is_active(i) || s.started == s.released) { continue; }
      const ticks release = releases[i][s.started++];
      s.job = out.jobs.size();
      s.done = rational{0};
      out.jobs.push_back({.task = i, .release = release});
      policy.release(i, release, release + table.tasks[i].deadline);
      change = true;
    }
    if (change) { policy.decide(now); }
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (!is_active(i) || !policy.held(i) || now < ready()) { continue; }
      states[i].done += rational{1, whole_time(i)};
      out.exact = out.exact && !states[i].done.overflowed();
    }
    if (!out.exact) { return out; }
  }
}

}  // namespace takt::test
