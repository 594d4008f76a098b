// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/task_attributes.hpp>

namespace takt::inline TAKT_ABI {

/// Positions of visits within their task, one bit each.
using visit_mask = std::uint64_t;
inline constexpr std::size_t max_visits_of_task = 64;
/// Times above it, some thirteen days in nanoseconds, are refused, so that sums over all visits of a table fit.
inline constexpr ticks longest_visit_time = ticks{1} << 50;
inline constexpr std::size_t most_visits = std::size_t{1} << 12;

/// Gives the most values that one rule reads of a visit beyond its time, in the order of the rule's view.
inline constexpr std::size_t max_view_values = 4;
struct view_values {
  ticks at[max_view_values]{};

  [[nodiscard]] friend constexpr auto operator==(const view_values&, const view_values&) noexcept -> bool = default;
};

struct flow_record {
  std::string_view name{};
  ticks period = 0;
  ticks deadline = 0;   ///< from the nominal release, of any length; orders by deadline go by it
  ticks jitter = 0;     ///< a job is released at most this much after its nominal release
  bool limited = true;  ///< false: the deadline orders jobs, and none has to meet it
  std::int32_t priority = no_priority;
  std::uint32_t first_visit = 0;
  std::uint32_t visit_count = 0;
  bool strict = false;  ///< nominal releases are exactly a period apart
  ticks offset = 0;     ///< of the first nominal release
};

/// Says what a visit needs its unit for besides its time. A step that follows the time, such as a call of a lock, takes
/// no time, but needs a unit. Steps of one instant are made one by one, that of the first visit in the table first.
/// After each, the next one must have a unit again. Starts, such as of a copy, come behind all steps of an instant.
enum class unit_need : std::uint8_t { time, step, start };

/// Time on one station: units of a pool that are scheduled together. A visit of length zero asks only for a step or
/// a start.
struct visit_record {
  std::uint32_t task = 0;
  std::uint32_t position = 0;
  std::uint32_t station = 0;
  ticks lower = 0;
  ticks upper = 0;
  visit_mask predecessors = 0;
  visit_mask ancestors = 0;
  view_values view{};
  unit_need need = unit_need::time;
  ticks region = 0;  ///< longest interval in which its unit cannot be taken from it; `upper`: from its start to its end
};

/// Visits of one job that hold a token from before the first until after the last of them. One of them comes first, and
/// the others follow it without visits in between. Sections of one task do not overlap. Where they may nest, see
/// `section_shapes`, outer ones come first in the table, and those of the same visits are one request for all of them.
struct visit_section {
  std::uint32_t task = 0;
  std::uint32_t tokens = 0;  ///< which pool of tokens
  visit_mask visits = 0;
};

[[nodiscard]] constexpr auto contains(const visit_section& s, const visit_record& v) noexcept -> bool {
  return s.task == v.task && (s.visits >> v.position & 1U) != 0;
}

namespace detail {

/// Returns the longest time from the nominal release to the end of a job that is in time and ends before the next
/// nominal release. For methods under which jobs of one task must not wait for each other.
[[nodiscard]] constexpr auto time_within_period(const flow_record& t) noexcept -> ticks {
  return t.limited && t.deadline < t.period ? t.deadline : t.period;
}

}  // namespace detail

[[nodiscard]] constexpr auto all_visits_of(const flow_record& t) noexcept -> visit_mask {
  return t.visit_count == max_visits_of_task ? ~visit_mask{0} : (visit_mask{1} << t.visit_count) - 1;
}

/// Says what sections of a task may be to each other. Bounds know `apart` only.
enum class section_shapes : std::uint8_t {
  apart,   ///< no two share visits
  nested,  ///< one may lie in another
};

/// Holds what every host and analysis reads of tasks, whatever they were written as: a job is a DAG of visits. What
/// only one rule reads is that rule's view.
template <std::size_t MaxTasks, std::size_t MaxVisits>
struct visit_table {
  static_assert(MaxVisits <= most_visits, "takt: a table of visits has at most 4096. See docs/errors.md#E05");
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxVisits;

  inline_vector<flow_record, MaxTasks> tasks;
  inline_vector<visit_record, MaxVisits> visits;
  inline_vector<visit_section, MaxVisits> sections;

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return tasks.size(); }

  /// False when full.
  constexpr auto add_task(flow_record t) -> bool {
    t.first_visit = static_cast<std::uint32_t>(visits.size());
    t.visit_count = 0;
    return tasks.try_push_back(t);
  }
  /// Adds a visit of the task added last, after the visits of it that `predecessors` names. Pre: there is such a task.
  /// False when full or when a predecessor is not there yet.
  constexpr auto add_visit(std::uint32_t station, ticks lower, ticks upper, visit_mask predecessors,
                           const view_values& view = {}) -> bool {
    TAKT_EXPECTS(!tasks.empty());
    flow_record& t = tasks.back();
    const std::uint32_t position = t.visit_count;
    if (position >= max_visits_of_task || (predecessors >> position) != 0) { return false; }
    visit_mask ancestors = predecessors;
    for (std::uint32_t u = 0; u < position; ++u) {
      if ((predecessors >> u & 1U) != 0) { ancestors |= visits[t.first_visit + u].ancestors; }
    }
    if (!visits.try_push_back({static_cast<std::uint32_t>(tasks.size() - 1), position, station, lower, upper,
                               predecessors, ancestors, view})) {
      return false;
    }
    ++t.visit_count;
    return true;
  }
  /// Adds a visit after the visit added last.
  constexpr auto add_next(std::uint32_t station, ticks lower, ticks upper, const view_values& view = {}) -> bool {
    const std::uint32_t position = tasks.back().visit_count;
    return add_visit(station, lower, upper, position == 0 ? 0 : visit_mask{1} << (position - 1), view);
  }
  [[nodiscard]] constexpr auto visit(std::size_t task, std::size_t position) const noexcept -> const visit_record& {
    return visits[tasks[task].first_visit + position];
  }
};

namespace detail {

template <class Table>
[[nodiscard]] constexpr auto section_fault(const Table& table, const visit_section& s) -> bool {
  if (s.task >= table.size() || s.visits == 0) { return true; }
  const flow_record& t = table.tasks[s.task];
  std::size_t sources = 0;
  for (std::uint32_t p = 0; p < max_visits_of_task; ++p) {
    if ((s.visits >> p & 1U) == 0) { continue; }
    if (p >= t.visit_count) { return true; }
    const visit_mask before = table.visit(s.task, p).predecessors;
    const bool inside = before != 0 && (before & ~s.visits) == 0;
    if (!inside && (before & s.visits) != 0) { return true; }
    sources += inside ? 0U : 1U;
  }
  return sources != 1;
}

}  // namespace detail

/// Returns the first fault of a table on so many stations, at most one more than it has room for visits. Times within
/// range bound every sum of a bound's iteration.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto validate(const visit_table<N, V>& table, std::size_t stations, std::size_t token_pools = 0,
                                      section_shapes shapes = section_shapes::apart) -> model_error {
  const bool nests = shapes == section_shapes::nested;
  if (table.tasks.empty()) { return {.fault = model_fault::no_task}; }
  if (stations > V + 1) { return {.fault = model_fault::platform_size_out_of_range}; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    if (t.visit_count == 0) { return fault_at(model_fault::empty_chain, i); }
    if (t.period < 1) { return fault_at(model_fault::period_not_positive, i); }
    if (t.deadline < 1) { return fault_at(model_fault::deadline_not_positive, i); }
    if (t.jitter < 0) { return fault_at(model_fault::negative_jitter, i); }
    if (t.offset < 0) { return fault_at(model_fault::negative_time, i); }
    if (t.period > longest_visit_time || t.deadline > longest_visit_time || t.jitter > longest_visit_time ||
        t.offset > longest_visit_time) {
      return fault_at(model_fault::time_overflow, i);
    }
  }
  for (std::size_t v = 0; v < table.visits.size(); ++v) {
    const visit_record& x = table.visits[v];
    if (x.lower < 0) { return fault_at(model_fault::negative_time, x.task, x.position); }
    if (x.upper < x.lower) { return fault_at(model_fault::best_case_exceeds_worst_case, x.task, x.position); }
    if (x.upper > longest_visit_time) { return fault_at(model_fault::time_overflow, x.task, x.position); }
    if (x.region < 0) { return fault_at(model_fault::negative_time, x.task, x.position); }
    if (x.region > x.upper) { return fault_at(model_fault::region_exceeds_time, x.task, x.position); }
    if (x.station >= stations) { return fault_at(model_fault::platform_size_out_of_range, x.task, x.position); }
    if (!nests && x.need != unit_need::time) { return fault_at(model_fault::malformed, x.task, x.position); }
  }
  for (std::size_t s = 0; s < table.sections.size(); ++s) {
    const visit_section& section = table.sections[s];
    if (section.tokens >= token_pools || detail::section_fault(table, section)) {
      return fault_at(model_fault::malformed, section.task);
    }
    for (std::size_t r = 0; r < s; ++r) {
      const visit_section& other = table.sections[r];
      if (other.task != section.task || (other.visits & section.visits) == 0) { continue; }
      if (!nests || (section.visits & ~other.visits) != 0) { return fault_at(model_fault::malformed, section.task); }
    }
  }
  return {};
}

namespace detail {

/// Returns the earliest that the predecessors of a visit let its window begin: when they are due, or after a late
/// release. A job asks for the token of a section then, and not before.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto earliest_window(const visit_table<N, V>& table, std::size_t v, const ticks* offsets,
                                             const ticks* local_deadlines) -> ticks {
  const visit_record& x = table.visits[v];
  const flow_record& t = table.tasks[x.task];
  ticks out = x.predecessors == 0 ? t.jitter : 0;
  for (std::uint32_t p = 0; p < x.position; ++p) {
    const std::uint32_t u = t.first_visit + p;
    const bool later = (x.predecessors >> p & 1U) != 0 && out < offsets[u] + local_deadlines[u];
    if (later) { out = offsets[u] + local_deadlines[u]; }
  }
  return out;
}

/// Returns the section that a visit is of; the number of sections if there is none.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto section_of(const visit_table<N, V>& table, std::size_t v) -> std::uint32_t {
  const visit_record& x = table.visits[v];
  std::uint32_t s = 0;
  for (; s < table.sections.size(); ++s) {
    const visit_section& section = table.sections[s];
    if (section.task == x.task && (section.visits >> x.position & 1U) != 0) { break; }
  }
  return s;
}
/// Returns whether a visit is the one of a section that comes first.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto begins_section(const visit_table<N, V>& table, std::size_t v) -> bool {
  const std::uint32_t s = section_of(table, v);
  return s < table.sections.size() && (table.visits[v].predecessors & table.sections[s].visits) == 0;
}

/// Returns whether guards of all visits, offsets from the nominal release and local deadlines from there, fit. They
/// keep the order of visits, wait for late releases, and end within the deadline and the period. The next job of a task
/// starts when the one before has ended.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto guards_fit(const visit_table<N, V>& table, const ticks* offsets,
                                        const ticks* local_deadlines) -> bool {
  for (std::size_t v = 0; v < table.visits.size(); ++v) {
    const visit_record& x = table.visits[v];
    const flow_record& t = table.tasks[x.task];
    const ticks end = time_within_period(t);
    if (offsets[v] < 0 || local_deadlines[v] < 0 || offsets[v] > end || local_deadlines[v] > end - offsets[v]) {
      return false;
    }
    if (offsets[v] < detail::earliest_window(table, v, offsets, local_deadlines)) { return false; }
  }
  return true;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
