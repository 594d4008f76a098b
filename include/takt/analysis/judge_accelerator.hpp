// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/accelerator/fixed_order.hpp>
#include <takt/analysis/accelerator/fixed_priority.hpp>
#include <takt/analysis/accelerator/parts.hpp>
#include <takt/analysis/accelerator/single_stream_fixed_priority.hpp>
#include <takt/analysis/accelerator/slot_edf.hpp>
#include <takt/analysis/accelerator/slot_guarded_fixed_priority.hpp>
#include <takt/analysis/accelerator/whole_gpu_edf.hpp>
#include <takt/analysis/demand/edf_verdict.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator_tags.hpp>

namespace takt::analysis {

/// What is known of tasks that compete with one another: whether they all meet their deadlines, under fixed priorities
/// the bound of each, and whether some legal run must miss.
template <class Number, std::size_t MaxTasks>
struct part_answer {
  edf_verdict<Number> test{};
  verdict<Number, MaxTasks> bounds{};
  bool must_miss = false;

  constexpr part_answer() = default;
  constexpr explicit part_answer(const edf_verdict<Number>& demand) : test{demand} {}
  constexpr explicit part_answer(const verdict<Number, MaxTasks>& responses)
      : test{.status = responses.status, .error = responses.error}, bounds{responses} {}

  [[nodiscard]] constexpr auto fails() const noexcept -> bool { return test.status == verdict_status::not_proven; }
};

namespace detail {

template <class Number>
[[nodiscard]] constexpr auto fails(const edf_verdict<Number>& test) -> bool {
  return test.status == verdict_status::not_proven;
}

template <KernelOrder Order, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto ranks(const accelerator_table<Number, MaxTasks>& table) -> rank_order<MaxTasks> {
  return rank(table, order_of<Order>{});
}

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto stops_anywhere(const accelerator_table<Number, MaxTasks>& table) -> bool {
  return !(Number(0) < guard_band(table));
}

/// Whether the first job of task `order[i]` misses in the run in which the longest lower kernel starts one tick before
/// all higher tasks are released together, and they one tick before the task itself. It counts for less than the bound
/// where events coincide, so a miss does not rest on their order.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto first_job_misses(const accelerator_table<ticks, MaxTasks>& table,
                                              const rank_order<MaxTasks>& order, std::size_t i) -> bool {
  const auto& t = table.tasks[order[i]];
  ticks before = 0;
  for (std::size_t l = i + 1; l < order.size(); ++l) {
    const ticks rest = table.tasks[order[l]].wcet - 1;
    before = before < rest ? rest : before;
  }
  ticks window = 1;
  for (std::int64_t step = 0; step < default_iteration_limit; ++step) {
    ticks work = before;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& higher = table.tasks[order[j]];
      if (!add_jobs(work, ceil_quotient(window, higher.period), higher.wcet)) { return false; }
    }
    ticks end = 0;
    if (!add_exactly(work, t.wcet, end)) { return false; }
    if (end - 1 > t.deadline) { return true; }
    if (work <= window) { return false; }
    window = work;
  }
  return false;
}

}  // namespace detail

/// One kernel after the other.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_single_stream(const accelerator_table<ticks, MaxTasks>& table)
    -> part_answer<ticks, MaxTasks> {
  if constexpr (EarliestDeadlineFirst<Order>) {
    part_answer<ticks, MaxTasks> out{single_stream_edf(table)};
    out.must_miss =
        out.fails() && detail::fails(single_stream_edf<edf_report::verdict_only>(table, activation_timing::batched));
    return out;
  } else {
    const auto order = detail::ranks<Order>(table);
    part_answer<ticks, MaxTasks> out{single_stream_fixed_priority(table, order)};
    out.must_miss = out.fails() && detail::fails(gang_serial_edf<edf_report::verdict_only>(table));
    for (std::size_t i = 0; out.fails() && i < order.size(); ++i) {
      out.must_miss = out.must_miss || (!out.bounds.tasks[order[i]].meets && detail::first_job_misses(table, order, i));
    }
    return out;
  }
}

/// Nested kernels, at most `levels`. A run must miss if it would with all preemptions free.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_levels(const accelerator_table<ticks, MaxTasks>& table, std::int32_t levels,
                                          preemption_cost_model cost) -> part_answer<ticks, MaxTasks> {
  if (levels == 1) { return judge_single_stream<Order>(table); }
  part_answer<ticks, MaxTasks> out;
  if constexpr (EarliestDeadlineFirst<Order>) {
    out = part_answer<ticks, MaxTasks>{level_stack_edf(table, levels, cost)};
  } else {
    out = part_answer<ticks, MaxTasks>{level_stack_fixed_priority(table, detail::ranks<Order>(table), levels, cost)};
  }
  out.must_miss = out.fails() && detail::fails(gang_serial_edf<edf_report::verdict_only>(table));
  return out;
}

/// Tasks of one core, or those that need all, inside their slot. With kernels that stop anywhere the tests are exact.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_slot(const accelerator_table<ticks, MaxTasks>& part,
                                        const slot_reservation<ticks>& slot) -> part_answer<ticks, MaxTasks> {
  const bool exact = detail::stops_anywhere(part);
  part_answer<ticks, MaxTasks> out;
  if constexpr (EarliestDeadlineFirst<Order>) {
    out = part_answer<ticks, MaxTasks>{exact ? slot_supply_edf(part, slot) : slot_guarded_edf(part, slot)};
  } else {
    out = part_answer<ticks, MaxTasks>{slot_guarded_fixed_priority(part, detail::ranks<Order>(part), slot)};
    for (std::size_t i = 0; exact && i < part.size(); ++i) {
      out.must_miss = out.must_miss || (out.bounds.tasks[i].evaluated && !out.bounds.tasks[i].meets);
    }
  }
  out.must_miss =
      out.must_miss || (out.fails() && detail::fails(slot_supply_edf<edf_report::verdict_only>(part, slot)));
  return out;
}

/// Kernels that preempt one another at every event, on the same cores: without a limit to their nesting. With pinned
/// and gang tasks in one set, the first in order always runs if a kernel stops anywhere; no test is known otherwise.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_gang(const accelerator_table<ticks, MaxTasks>& table, bool mixed)
    -> part_answer<ticks, MaxTasks> {
  if (mixed && !detail::stops_anywhere(table)) {
    return part_answer<ticks, MaxTasks>{edf_verdict<ticks>::refused(edf_reason::not_applicable)};
  }
  const auto unlimited = static_cast<std::int32_t>(table.size()) + 1;
  return judge_levels<Order>(table, unlimited, preemption_cost_model::ideal);
}

/// Whether pinned and gang tasks of one core ask for more than it has, in some window.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto core_must_miss(const accelerator_table<ticks, MaxTasks>& table, std::int32_t core)
    -> bool {
  accelerator_table<ticks, MaxTasks> together = pinned_tasks(table, core);
  const auto gang = gang_tasks(table);
  for (std::size_t i = 0; i < gang.size(); ++i) { static_cast<void>(together.tasks.push_back(gang.tasks[i])); }
  return detail::fails(gang_serial_edf<edf_report::verdict_only>(together));
}

}  // namespace takt::analysis
