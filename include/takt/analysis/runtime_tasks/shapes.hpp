// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/visit_fact.hpp>

// Shapes of run-time tasks that published methods are about.

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Most nodes of a set of graphs: analyses keep a few numbers of each in place.
inline constexpr std::size_t most_runtime_nodes = 256;

/// Most kernels of a token section.
inline constexpr std::size_t most_section_kernels = 16;

}  // namespace detail

/// Returns whether tasks on a board are graphs as published methods have them, as far as shape goes. They have visits
/// with times or blocks, no token sections, no jitter, and one GPU at most.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto are_graphs(const RuntimeTasks& tasks, const hardware& board) -> bool {
  constexpr std::int32_t most_sms = 128;
  bool fit = board.own.empty() && board.gpus.size() <= 1 && (board.gpus.empty() || board.gpus[0].sms <= most_sms) &&
             tasks.visits.size() <= detail::most_runtime_nodes;
  for (const runtime_task& t : tasks.tasks) { fit = fit && t.jitter <= 0; }
  for (const runtime_visit& v : tasks.visits) {
    const bool timed = v.where == resource_kind::gpu
                           ? v.known.has(visit_fact::grid) && v.known.has(visit_fact::block_length)
                           : v.known.has(visit_fact::time);
    fit = fit && timed && !v.in_section && v.region == 0;
  }
  return fit;
}

/// Returns whether each task is CPU time around at most one sequence of copies, kernels and CPU time that is marked as
/// a token section. Tasks have no jitter, times of kernels on a whole GPU, and bytes of copies.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto have_marked_sections(const RuntimeTasks& tasks) -> bool {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    bool inside = false;
    bool ended = false;
    std::size_t kernels = 0;
    for (std::uint32_t p = 0; p < tasks.tasks[i].visit_count; ++p) {
      const runtime_visit& v = tasks.visit(i, p);
      ended = ended || (inside && !v.in_section);
      inside = v.in_section;
      const bool timed = v.where == resource_kind::gpu ? v.known.has(visit_fact::wcet)
                         : v.where == resource_kind::copy_engine
                             ? v.known.has(visit_fact::bytes) && v.direction != copy_direction::unspecified
                             : v.known.has(visit_fact::time);
      if (!timed || v.region > 0 || (inside && ended) || (!inside && v.where != resource_kind::processor)) {
        return false;
      }
      kernels += v.where == resource_kind::gpu ? 1U : 0U;
    }
    if (!is_chain(tasks, i) || tasks.tasks[i].jitter != 0 || kernels > detail::most_section_kernels) { return false; }
  }
  return true;
}

}  // namespace takt::inline TAKT_ABI::analysis
