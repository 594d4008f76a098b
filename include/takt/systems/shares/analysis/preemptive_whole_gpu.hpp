// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/application.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Computes response times if one job at a time had the whole GPU, by fixed priorities and with free preemption.
/// Shares are compared with these. Exact for tasks released together (Joseph and Pandya 1986). Every task is
/// evaluated.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto preemptive_whole_gpu(const application_set<MaxTasks>& table) -> verdict<ticks, MaxTasks> {
  verdict<ticks, MaxTasks> out;
  out.method = "preemptive-whole-gpu";
  out.error = validate(table);
  out.status = out.error ? takt::detail::status_of(out.error) : verdict_status::schedulable;
  if (out.error) { return out; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    // Bound: one per task, as in the table.
    out.tasks.unchecked_push_back({.name = table.tasks[i].name, .deadline = table.tasks[i].deadline});
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    inline_vector<detail::sporadic_task_load<ticks>, MaxTasks> higher;
    for (std::size_t k = 0; k < table.size(); ++k) {
      const share_task& other = table.tasks[k];
      if (other.priority > t.priority) {
        // Bound: one per task, at most MaxTasks.
        higher.unchecked_push_back({other.alone.at(full_share), other.period, static_cast<std::uint32_t>(k)});
      }
    }
    const ticks own = t.alone.at(full_share);
    constexpr detail::dedicated_processor<ticks> supply{};
    detail::enter(out, i, detail::served_response(higher, supply, own, t.deadline));
    out.tasks[i].parts.add(term_kind::gpu, static_cast<std::uint32_t>(i), own);
    detail::say_served(higher, supply, out.tasks[i]);
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
