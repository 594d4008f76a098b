// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>

namespace takt::inline TAKT_ABI {

/// Applications: one kernel each, of which its row of times is known. Their priorities are turned round, so that 0 is
/// the highest. What no visit table holds is refused, unless a rule reads it of them: memory, an assumed share, and
/// what they slow one another down by.
template <std::size_t MaxTasks>
struct visit_source<application_set<MaxTasks>> {
  using segments = detail::segment_list<visit_segment<gpu, wcet_row>>;
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxTasks;
  static constexpr bool needs_pools = false;

  template <VisitSink Sink>
  static constexpr void each(const application_set<MaxTasks>& table, Sink& sink) {
    model_error error = validate(table);
    constexpr bool is_read = requires { requires Sink::reads_applications; };
    if (!is_read && !error && !table.contention.none()) { error = {.fault = model_fault::workload_part_unused}; }
    std::int32_t highest = 0;
    for (std::uint32_t i = 0; i < table.size() && !error; ++i) {
      const share_task& t = table.tasks[i];
      if (!is_read && (t.request || t.memory.count() > 0)) { error = fault_at(model_fault::workload_part_unused, i); }
      highest = t.priority > highest ? t.priority : highest;
    }
    if (error) { return sink.refuse(located(error, table.tasks)); }
    for (const share_task& t : table.tasks) {
      sink.open({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = highest - t.priority});
      static_cast<void>(sink.visit(visit<gpu>(t.alone), 0));
    }
  }
};

namespace detail {

template <std::size_t N>
struct facts_said<application_set<N>> {
  static constexpr std::size_t rows = N;
  static constexpr std::size_t samples = 0;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
