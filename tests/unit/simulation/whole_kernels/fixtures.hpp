// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/job_priority.hpp>

#include "support/accelerator_examples.hpp"
#include "support/kernel_runs.hpp"

namespace accelerator_fixtures {

using namespace takt_examples;
using kernel_runs::options;
using kernel_runs::periodic;
using kernel_runs::simulate_kernels;
using takt::preemption_cost_model;
using listed = kernel_runs::listed_releases;
using level_stack = takt::level_stack<kernels::max_tasks>;
inline const takt::level_stack<kernels::max_tasks> single_stream{1};
using gang_cores = takt::event_driven_gang<kernels::max_tasks, 4>;
using slotted = takt::slotted_cores<kernels::max_tasks, 4>;
using responses = std::vector<ticks>;

inline constexpr takt::by_absolute_deadline_alone edf{};
inline constexpr takt::by_given_priority by_priority{};

template <class Result>
[[nodiscard]] auto worst(const Result& r) -> responses {
  responses out;
  for (const auto& t : r.tasks) { out.push_back(t.worst_response); }
  return out;
}

/// Jobs of full length at these times, task by task.
[[nodiscard]] inline auto at(const kernels& tasks, const std::vector<std::vector<ticks>>& releases) -> listed {
  listed out{tasks.size()};
  for (std::size_t i = 0; i < releases.size(); ++i) {
    for (const ticks release : releases[i]) { out.add(i, {release, tasks.tasks[i].wcet}); }
  }
  return out;
}

/// Priorities in the given order, the first is the highest.
[[nodiscard]] constexpr auto ranked(kernels tasks) -> kernels {
  for (std::size_t i = 0; i < tasks.size(); ++i) { tasks.tasks[i].priority = static_cast<std::int32_t>(i); }
  return tasks;
}

}  // namespace accelerator_fixtures
