// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>

namespace takt {

/// Any number of jobs of one task may run at the same time.
inline constexpr std::int64_t unrestricted_parallelism = 0;

/// A sporadic task of a cluster of identical processors under a global scheduler that runs the jobs with the least
/// release + relative priority point (G-EDF-like, GEL).
template <ExactNumber Number>
struct gel_task {
  std::string_view name{};
  Number wcet{};
  Number period{};
  Number deadline{};             ///< relative; any sign, and it may lie beyond the period
  Number point{};                ///< relative priority point; only `gel_policy::given_points` reads it
  std::int64_t parallelism = 1;  ///< jobs of the task that may run at the same time
  std::int32_t cluster = 0;
};

/// Tasks in the given order.
template <ExactNumber Number, std::size_t MaxTasks>
struct gel_table {
  using number = Number;
  static constexpr std::size_t max_tasks = MaxTasks;

  inline_vector<gel_task<Number>, MaxTasks> tasks;

  /// False when full.
  constexpr auto add(const gel_task<Number>& t) -> bool { return tasks.push_back(t); }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return tasks.size(); }
};

/// The tasks of one cluster.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto cluster_part(const gel_table<Number, MaxTasks>& table, std::int32_t cluster)
    -> gel_table<Number, MaxTasks> {
  gel_table<Number, MaxTasks> part;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].cluster == cluster) { static_cast<void>(part.add(table.tasks[i])); }
  }
  return part;
}

enum class gel_fault : std::uint8_t {
  none,
  no_processor,
  wcet_not_positive,
  period_not_positive,
  negative_parallelism,
  parallelism_not_given,       ///< the analysis needs a limit
  deadline_is_not_the_period,  ///< the analysis is one of implicit deadlines
  too_many_processors,         ///< more than the analysis has room for
  choice_out_of_range,         ///< an option is none of the named enumerators
  time_overflow,               ///< a time is the mark of an overflow, or too large to add a few of them
};

[[nodiscard]] constexpr auto name_of(gel_fault f) noexcept -> std::string_view {
  switch (f) {
    case gel_fault::none: return "";
    case gel_fault::no_processor: return "no-processor";
    case gel_fault::wcet_not_positive: return "wcet-not-positive";
    case gel_fault::period_not_positive: return "period-not-positive";
    case gel_fault::negative_parallelism: return "negative-parallelism";
    case gel_fault::parallelism_not_given: return "parallelism-not-given";
    case gel_fault::deadline_is_not_the_period: return "deadline-is-not-the-period";
    case gel_fault::too_many_processors: return "too-many-processors";
    case gel_fault::choice_out_of_range: return "choice-out-of-range";
    case gel_fault::time_overflow: return "time-overflow";
  }
  return "";
}

struct gel_error {
  gel_fault fault = gel_fault::none;
  std::size_t task = 0;  ///< position in the table

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != gel_fault::none; }
};

/// The first fault of a set on a cluster of so many processors. An empty set has none.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto validate(const gel_table<Number, MaxTasks>& table, std::int32_t processors) -> gel_error {
  if (processors < 1) { return {.fault = gel_fault::no_processor}; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (!is_number(t.wcet) || !is_number(t.period) || !is_number(t.deadline) || !is_number(t.point)) {
      return {gel_fault::time_overflow, i};
    }
    if (t.wcet <= Number(0)) { return {gel_fault::wcet_not_positive, i}; }
    if (t.period <= Number(0)) { return {gel_fault::period_not_positive, i}; }
    if (t.parallelism < 0) { return {gel_fault::negative_parallelism, i}; }
  }
  return {};
}

}  // namespace takt
