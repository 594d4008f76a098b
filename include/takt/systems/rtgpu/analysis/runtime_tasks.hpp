// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/kernel_rows.hpp>
#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_table.hpp>
#include <takt/rules/compositions.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// The flat table of chains that run-time tasks fit in, with room for so many times that are derived from facts.
template <class RuntimeTasks, std::size_t Derived = 32 * RuntimeTasks::max_visits>
using chain_table = task_table<ticks, RuntimeTasks::max_tasks, 2 * RuntimeTasks::max_visits + RuntimeTasks::max_tasks,
                               decltype(RuntimeTasks::samples)::capacity() + Derived>;

namespace detail {

/// Writes the chain of a task as `cpu [copy] kernel [copy] cpu ...`, which published methods of chains read. CPU visits
/// one after the other are one segment. Where a chain begins or ends on a device, or two devices follow one another, a
/// CPU segment of no time stands there. If accelerator segments of devices are sections, it stands only at the end,
/// since a job asks for them from its CPU.
template <class Table>
class chain_writer {
 public:
  constexpr chain_writer(Table& table, bool has_sections) : table_{&table}, has_sections_{has_sections} {}

  [[nodiscard]] constexpr auto add(const segment_record<ticks>& s) -> model_fault {
    switch (s.where) {
      case stage::cpu: return add_cpu(s);
      case stage::copy:
        if (at_ == state::copied_in) { return model_fault::chain_does_not_alternate; }
        if (const auto fault = at_ == state::cpu || at_ == state::kernel ? model_fault::none : part();
            fault != model_fault::none) {
          return fault;
        }
        at_ = at_ == state::kernel ? state::copied_back : state::copied_in;
        return put(s);
      case stage::kernel:
        if (const auto fault = at_ == state::cpu || at_ == state::copied_in ? model_fault::none : part();
            fault != model_fault::none) {
          return fault;
        }
        at_ = state::kernel;
        return put(s);
    }
    return model_fault::choice_out_of_range;
  }
  [[nodiscard]] constexpr auto finish() -> model_fault {
    if (at_ == state::cpu) { return model_fault::none; }
    if (at_ == state::start) { return model_fault::empty_chain; }
    return at_ == state::copied_in ? model_fault::chain_does_not_alternate : put({});
  }

 private:
  enum class state : std::uint8_t { start, cpu, copied_in, kernel, copied_back };

  [[nodiscard]] constexpr auto put(const segment_record<ticks>& s) -> model_fault {
    return table_->add_segment(s) ? model_fault::none : model_fault::too_many_segments;
  }
  [[nodiscard]] constexpr auto part() -> model_fault {
    if (has_sections_) { return model_fault::chain_does_not_alternate; }
    at_ = state::cpu;
    return put({});
  }
  [[nodiscard]] constexpr auto add_cpu(const segment_record<ticks>& s) -> model_fault {
    if (at_ == state::copied_in) { return model_fault::chain_does_not_alternate; }
    if (at_ != state::cpu) {
      at_ = state::cpu;
      return put(s);
    }
    interval<ticks>& last = table_->segments.back().time;
    const bool fits =
        checked_add(last.lower, s.time.lower, last.lower) && checked_add(last.upper, s.time.upper, last.upper);
    return fits ? model_fault::none : model_fault::time_overflow;
  }

  Table* table_;
  bool has_sections_;
  state at_ = state::start;
};

/// Returns whether sections of a token that a workload names are what lies between two CPU visits.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto sections_are_segments(const RuntimeTasks& tasks, std::size_t task) -> bool {
  bool any = false;
  for (std::uint32_t p = 0; p < tasks.tasks[task].visit_count; ++p) { any = any || tasks.visit(task, p).in_section; }
  for (std::uint32_t p = 0; any && p < tasks.tasks[task].visit_count; ++p) {
    const runtime_visit& v = tasks.visit(task, p);
    if (v.in_section != (v.where != resource_kind::processor)) { return false; }
  }
  return true;
}

template <class RuntimeTasks>
[[nodiscard]] constexpr auto tasks_with_kernels(const RuntimeTasks& tasks) -> std::size_t {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    bool any = false;
    for (std::uint32_t p = 0; p < tasks.tasks[i].visit_count; ++p) {
      any = any || tasks.visit(i, p).where == resource_kind::gpu;
    }
    count += any ? 1U : 0U;
  }
  return count;
}

}  // namespace detail

/// Writes run-time tasks as a flat table of chains for hosts that know a board as `composition` says. Pre: the table
/// is empty, the sizes of the platform are in range.
template <class RuntimeTasks, class Table>
[[nodiscard]] constexpr auto read_chains(const RuntimeTasks& tasks, const platform_record& platform,
                                         const chain_composition& composition, Table& out) -> model_error {
  TAKT_EXPECTS(out.size() == 0);
  bool times_are_given = true;
  const bool has_sections = composition.serialized || runs_on_token(composition.kernels);
  const kernel_reach reach = detail::reach_of(platform, composition.kernels, detail::tasks_with_kernels(tasks));
  if (const auto why = detail::history_mismatch(tasks)) { return why; }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    const auto refuse = [&](model_fault fault, std::size_t visit = no_index) {
      return detail::mismatch_at(tasks, fault, i, visit);
    };
    if (t.jitter != 0) { return refuse(model_fault::workload_part_unused); }
    if (!is_chain(tasks, i)) { return refuse(model_fault::chain_does_not_alternate); }
    if (has_sections && !detail::sections_are_segments(tasks, i)) { return refuse(model_fault::workload_part_unused); }
    const ticks limit = detail::deadline_to_prove(t);
    if (!out.add_task(t.name, t.period, limit, t.priority, t.core == unassigned_core ? 0 : t.core)) {
      return refuse(model_fault::too_many_tasks);
    }
    out.tasks.back().is_placed = t.core != unassigned_core;
    if (is_after_period(t)) { out.tasks.back().later_deadline = t.deadline; }
    detail::chain_writer<Table> chain{out, has_sections};
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const runtime_visit& v = tasks.visit(i, p);
      segment_record<ticks> s{.where = stage::cpu, .direction = v.direction, .time = v.time};
      switch (v.where) {
        case resource_kind::own: return refuse(model_fault::unknown_resource, p);
        case resource_kind::processor:
        case resource_kind::copy_engine:
          if (!v.known.has(visit_fact::time)) { return detail::fact_missing(tasks, lacks(visit_fact::time), i, p); }
          if (v.region > 0) { return refuse(model_fault::region_not_honoured, p); }
          s.where = v.where == resource_kind::processor ? stage::cpu : stage::copy;
          break;
        case resource_kind::gpu:
          if (platform.gpus.empty()) { return refuse(model_fault::kernel_without_gpu, p); }
          s.time = {};
          if (const auto why = read_kernel(tasks, i, p, platform, reach, limit, out, s, times_are_given)) {
            return why;
          }
          break;
      }
      if (const auto fault = chain.add(s); fault != model_fault::none) { return refuse(fault, p); }
    }
    if (const auto fault = chain.finish(); fault != model_fault::none) { return refuse(fault); }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI::analysis
