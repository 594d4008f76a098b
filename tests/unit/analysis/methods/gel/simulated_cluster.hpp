// SPDX-License-Identifier: Apache-2.0
// A global scheduler of one cluster in whole time units, written for clarity: what bounds are held against.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/gel.hpp>
#include "support/environment.hpp"

namespace gel_tests {

using takt::gel_policy;
using takt::ticks;

inline constexpr std::size_t max_tasks = 8;
template <class Number>
using set_of_tasks = takt::task_rows<takt::gel_task<Number>, max_tasks>;
using task_set = set_of_tasks<ticks>;

template <class Number = ticks>
struct shape {
  Number wcet;
  Number period;
  Number deadline;
  std::int64_t parallelism = 1;
};
template <class Number>
[[nodiscard]] constexpr auto set_of(std::initializer_list<shape<Number>> shapes) -> set_of_tasks<Number> {
  set_of_tasks<Number> out;
  for (const auto& s : shapes) {
    static_cast<void>(
        out.add({.wcet = s.wcet, .period = s.period, .deadline = s.deadline, .parallelism = s.parallelism}));
  }
  return out;
}

/// What keeps a job from running beside earlier ones of its task.
enum class overlap { none, slots, distance, free };

struct run_options {
  std::int32_t processors = 1;
  gel_policy policy = gel_policy::earliest_deadline;
  overlap jobs = overlap::none;
  bool preemptive = true;
  bool sporadic = false;   ///< releases up to a few units late
  bool shortened = false;  ///< jobs may take less than their wcet
  bool early = false;      ///< jobs may start a few units before their release
  ticks horizon = 200;     ///< last release
  std::uint64_t seed = 1;
};

namespace detail {

struct job {
  std::size_t task = 0;
  std::size_t number = 0;
  ticks release = 0;
  ticks eligible = 0;
  ticks point = 0;
  ticks left = 0;
  ticks finish = -1;
  bool running = false;

  [[nodiscard]] auto rank() const { return std::tuple{point, task, number}; }
};

[[nodiscard]] inline auto jobs_of(const task_set& set, const run_options& o) -> std::vector<job> {
  takt::random_stream random{o.seed};
  std::vector<job> jobs;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& t = set.tasks[i];
    const auto point = takt::relative_point(o.policy, t, o.processors) * takt::rational{o.processors};
    ticks release = o.sporadic ? random.below(4) : 0;
    for (std::size_t number = 0; release <= o.horizon; ++number) {
      const ticks before = o.early ? std::min(release, random.below(6)) : 0;
      const ticks length = o.shortened ? random.between(1, t.wcet) : t.wcet;
      jobs.push_back({.task = i,
                      .number = number,
                      .release = release,
                      .eligible = release - before,
                      .point = release * o.processors + point.numerator(),
                      .left = length});
      release += t.period + (o.sporadic && random.chance(1, 3) ? random.below(4) : 0);
    }
  }
  return jobs;
}

/// Jobs of the same task that are older and unfinished keep it waiting.
[[nodiscard]] inline auto held_back(const std::vector<job>& jobs, const job& j, const task_set& set, overlap how)
    -> bool {
  if (how == overlap::free) { return false; }
  const auto limit = how == overlap::none ? std::size_t{1} : static_cast<std::size_t>(set.tasks[j.task].parallelism);
  std::size_t older = 0;
  for (const job& other : jobs) {
    if (other.task != j.task || other.number >= j.number || other.finish >= 0) { continue; }
    if (how == overlap::distance && other.number + limit == j.number) { return true; }
    ++older;
  }
  return how != overlap::distance && older >= limit;
}

}  // namespace detail

/// The greatest finish - release of each task.
[[nodiscard]] inline auto worst_responses(const task_set& set, const run_options& o) -> std::vector<ticks> {
  auto jobs = detail::jobs_of(set, o);
  std::vector<ticks> worst(set.size(), 0);
  std::size_t finished = 0;
  for (ticks now = 0; finished < jobs.size(); ++now) {
    std::vector<detail::job*> ready;
    for (auto& j : jobs) {
      if (j.finish < 0 && j.eligible <= now && !detail::held_back(jobs, j, set, o.jobs)) { ready.push_back(&j); }
    }
    std::sort(ready.begin(), ready.end(), [&](const auto* a, const auto* b) {
      if (!o.preemptive && a->running != b->running) { return a->running; }
      return a->rank() < b->rank();
    });
    for (std::size_t k = 0; k < ready.size(); ++k) {
      ready[k]->running = k < static_cast<std::size_t>(o.processors);
      if (!ready[k]->running || --ready[k]->left > 0) { continue; }
      ready[k]->finish = now + 1;
      ++finished;
      worst[ready[k]->task] = std::max(worst[ready[k]->task], now + 1 - ready[k]->release);
    }
  }
  return worst;
}

/// A number of random systems from the environment.
[[nodiscard]] inline auto asked(const char* name, std::uint64_t otherwise) -> std::uint64_t {
  return takt_tests::from_environment(name, otherwise);
}

}  // namespace gel_tests
