// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <ExactNumber Number>
[[nodiscard]] constexpr auto interval_fault(const interval<Number>& i) -> model_fault {
  if (i.lower < Number(0) || i.upper < Number(0)) { return model_fault::negative_time; }
  if (i.upper < i.lower) { return model_fault::best_case_exceeds_worst_case; }
  return model_fault::none;
}

/// Returns the fault of work that SMs divide. Times that were measured (`sampled`) have the serial part within them.
template <class Number>
[[nodiscard]] constexpr auto work_fault(const Number& work, const Number& serial_part, std::int64_t numerator,
                                        std::int64_t denominator, bool sampled = false) -> model_fault {
  if (serial_part < Number(0)) { return model_fault::negative_time; }
  if (denominator < 1 || numerator < denominator) { return model_fault::interleave_below_one; }
  Number stretched{};
  Number serial{};
  if (!number_traits<Number>::multiply(work, numerator, stretched) ||
      !number_traits<Number>::multiply(serial_part, denominator, serial)) {
    return model_fault::time_overflow;
  }
  return !sampled && stretched < serial ? model_fault::overhead_exceeds_work : model_fault::none;
}

template <class Table, class Number>
[[nodiscard]] constexpr auto segment_fault(const Table& table, const segment_record<Number>& s) -> model_fault {
  if (!is_known(s.where) || !is_known(s.direction)) { return model_fault::choice_out_of_range; }
  if (const auto fault = interval_fault(s.time); fault != model_fault::none) { return fault; }
  if (s.where != stage::kernel) { return model_fault::none; }
  for (std::uint32_t r = 0; r < s.samples; ++r) {
    if (const auto fault = interval_fault(table.samples[s.first_sample + r]); fault != model_fault::none) {
      return fault;
    }
  }
  const interleave_ratio ratio = ratio_on(1, s.interleave_numerator, s.interleave_denominator);
  return work_fault(s.time.upper, s.overhead, ratio.numerator, ratio.denominator, s.samples > 0);
}

template <class Number>
[[nodiscard]] constexpr auto attribute_fault(const task_record<Number>& t) -> model_fault {
  if (t.period <= Number(0)) { return model_fault::period_not_positive; }
  if (t.deadline <= Number(0)) { return model_fault::deadline_not_positive; }
  if (t.priority < no_priority) { return model_fault::negative_priority; }
  if (t.core < 0) { return model_fault::negative_core; }
  if (t.segment_count == 0) { return model_fault::empty_chain; }
  return model_fault::none;
}

template <class Table>
[[nodiscard]] constexpr auto first_fault(const Table& table) -> model_error {
  using number = typename Table::number;
  if (table.size() == 0) { return {.fault = model_fault::no_task}; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const task_record<number>& t = table.tasks[i];
    if (const auto fault = detail::attribute_fault(t); fault != model_fault::none) {
      return {.fault = fault, .task = t.id};
    }
    for (std::uint32_t j = 0; j < t.segment_count; ++j) {
      if (const auto fault = detail::segment_fault(table, table.segment(i, j)); fault != model_fault::none) {
        return {.fault = fault, .task = t.id, .visit = j};
      }
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (table.tasks[other].name == t.name) { return {.fault = model_fault::duplicate_name, .task = t.id}; }
      if (t.priority != no_priority && table.tasks[other].priority == t.priority) {
        return {.fault = model_fault::duplicate_priority, .task = t.id};
      }
    }
  }
  return {};
}

/// Returns the fault with the bounds of the segment that it is about.
template <class Table>
[[nodiscard]] constexpr auto with_time(const Table& table, model_error e) -> model_error {
  for (std::size_t i = 0; e.visit != no_index && i < table.size(); ++i) {
    if (table.tasks[i].id != e.task) { continue; }
    const auto& s = table.segment(i, e.visit);
    const bool below_zero = e.fault == model_fault::negative_time;
    if (below_zero && s.time.lower < typename Table::number(0)) {
      note(s.time.lower, e.value, e.has_value);
    } else if (below_zero && s.time.upper < typename Table::number(0)) {
      note(s.time.upper, e.value, e.has_value);
    } else if (below_zero || e.fault == model_fault::overhead_exceeds_work) {
      note(s.overhead, e.value, e.has_value);
    } else if (e.fault == model_fault::best_case_exceeds_worst_case) {
      note(s.time.lower, e.value, e.has_value);
      note(s.time.upper, e.limit, e.has_limit);
    }
  }
  return e;
}

/// Returns the first task with a deadline after its period, or no fault. Published methods of chains let one job of a
/// task be under way at a time and know none.
template <class Table>
[[nodiscard]] constexpr auto late_deadline_fault(const Table& table) -> model_error {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.period < t.deadline) {
      return located(model_error{.fault = model_fault::deadline_exceeds_period, .task = t.id}, table.tasks);
    }
  }
  return {};
}

}  // namespace detail

/// Returns the first thing that is wrong with a task set by itself, or no fault. Whether it fits a platform and an
/// analysis is asked there. Cost: tasks^2 name comparisons plus one pass over the segments.
template <class Table>
[[nodiscard]] constexpr auto validate(const Table& table) -> model_error {
  return located(detail::with_time(table, detail::first_fault(table)), table.tasks);
}

}  // namespace takt::inline TAKT_ABI
