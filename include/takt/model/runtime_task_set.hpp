// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

enum class resource_kind : std::uint8_t { processor, copy_engine, gpu, own };
[[nodiscard]] constexpr auto last_of(resource_kind) noexcept -> resource_kind { return resource_kind::own; }

/// A visit as its facts. What is not `known` has no meaning.
struct runtime_visit {
  std::string_view name{};  ///< of its node, if it has one
  resource_kind where = resource_kind::processor;
  std::uint32_t own = 0;  ///< position of the resource in `hardware::own`
  copy_direction direction = copy_direction::unspecified;
  visit_mask predecessors = 0;
  bool in_section = false;       ///< of visits that hold a token where the rule of the GPU is one of tokens
  std::int64_t parallelism = 1;  ///< jobs of it that may run at a time, where the rule lets several; 0: any number
  ticks point = 0;               ///< relative priority point under `gel`
  ticks region = 0;              ///< of a processor: see `longest_region`

  known_facts known{};
  interval<ticks> time{};
  interval<ticks> work{};
  ticks overhead = 0;
  std::int64_t interleave_numerator = unsaid_interleave;
  std::int64_t interleave_denominator = 1;
  bool any_neighbour = true;
  std::uint32_t first_sample = 0;  ///< of `times_on_sms`, in `runtime_task_set::samples`
  std::uint32_t samples = 0;
  bool on_whole_sms = false;  ///< the samples count physical SMs; one whose upper end is `unbounded_time` is unknown
  std::int64_t blocks = 0;
  std::int32_t threads = 0;
  ticks block_length = 0;
  ticks wcet = 0;
  ticks preemption_cost = 0;
  kernel_width width = kernel_width::all_cores;
  std::int32_t sm = unassigned_core;
  std::uint32_t row = 0;  ///< of `wcet_by_share`, in `runtime_task_set::rows`
  std::int32_t context = 0;
  ticks slice = 0;  ///< of the context
  std::int64_t bytes = 0;
  std::int64_t state = 0;

  [[nodiscard]] friend constexpr auto operator==(const runtime_visit&, const runtime_visit&) noexcept -> bool = default;
};

/// An edge between jobs, or one with tokens of its own: job j of `to` needs job j - `lag` of `from`. Positions are
/// those of visits within their task.
struct runtime_edge {
  std::uint32_t task = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int32_t lag = 0;

  [[nodiscard]] friend constexpr auto operator==(const runtime_edge&, const runtime_edge&) noexcept -> bool = default;
};

struct runtime_task {
  std::string_view name{};
  ticks period = 0;
  ticks deadline = 0;   ///< of a task without one: its period
  bool limited = true;  ///< false: no deadline, any bound will do
  ticks jitter = 0;
  std::int32_t priority = no_priority;
  std::int32_t core = unassigned_core;  ///< or cluster; `unassigned_core` where it is not given
  std::int32_t gpu = unassigned_core;   ///< cluster of locked GPUs; `unassigned_core` where it is not given
  std::int64_t memory = 0;              ///< bytes, 0: not said
  bool strict = false;                  ///< released exactly a period apart
  ticks offset = 0;                     ///< of the first release, by the clock of all
  std::uint32_t first_visit = 0;
  std::uint32_t visit_count = 0;

  [[nodiscard]] friend constexpr auto operator==(const runtime_task&, const runtime_task&) noexcept -> bool = default;
};

/// A workload as values, whatever it was written as, before any rule looks at it: every policy reads its own view of
/// the same facts. Visits of a task stand back to back, each after its predecessors.
template <std::size_t MaxTasks, std::size_t MaxVisits, std::size_t MaxRows = MaxVisits,
          std::size_t MaxSamples = 4 * MaxVisits>
struct runtime_task_set {
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxVisits;

  inline_vector<runtime_task, MaxTasks> tasks;
  inline_vector<runtime_visit, MaxVisits> visits;
  inline_vector<runtime_edge, MaxVisits> history;
  inline_vector<wcet_row, MaxRows> rows;
  inline_vector<interval<ticks>, MaxSamples> samples;

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return tasks.size(); }
  /// Pre: the task is there, and has so many visits.
  [[nodiscard]] constexpr auto visit(std::size_t task, std::size_t position) const noexcept -> const runtime_visit& {
    TAKT_EXPECTS(task < tasks.size() && position < tasks[task].visit_count);
    return visits[tasks[task].first_visit + position];
  }
  /// False when full.
  constexpr auto add_task(runtime_task t) -> bool {
    t.first_visit = static_cast<std::uint32_t>(visits.size());
    t.visit_count = 0;
    return tasks.try_push_back(t);
  }
  /// Adds to the task added last. False when full, when there is no task, or when a predecessor is not there yet.
  constexpr auto add_visit(const runtime_visit& v) -> bool {
    if (tasks.empty()) { return false; }
    runtime_task& t = tasks.back();
    if (t.visit_count >= max_visits_of_task || (v.predecessors >> t.visit_count) != 0 || !visits.try_push_back(v)) {
      return false;
    }
    ++t.visit_count;
    return true;
  }
};

}  // namespace takt::inline TAKT_ABI
