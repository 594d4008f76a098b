// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/proven_miss.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Why some legal run misses a deadline under every plan: a clause, with figures. `task`: the name of the one that is
/// to blame.
[[nodiscard]] inline auto miss_clause(std::string_view task, const proven_miss<ticks>& miss) -> std::string {
  constexpr ticks whole = 1'000'000;
  const std::string value = format_duration(miss.value);
  const auto late = [&] {
    return format_duration(miss.value - miss.limit) + " more than its deadline of " + format_duration(miss.limit);
  };
  const auto load = [&](ticks units) { return count_of(miss.value / (units < 1 ? 1 : units), {"%", 10'000}) + "%"; };
  const std::string unit = std::to_string(miss.index);
  switch (miss.reason) {
    case miss_reason::own_time:
      return "a job of " + std::string{task} + " that has the board to itself can take " + value + ", " + late();
    case miss_reason::synchronous_release:
      return "a job of " + std::string{task} + " that is released together with those before it on core " + unit +
             " takes at least " + value + ", " + late();
    case miss_reason::strict_releases:
      return "a job of " + std::string{task} + ", released on core " + unit + " as its offset and period say, takes " +
             value + ", " + late();
    case miss_reason::core_overloaded: return "core " + unit + " can be asked for " + load(1) + " of its time";
    case miss_reason::processors_overloaded:
      return "the cores can be asked for " + load(miss.limit / whole) + " of their time";
    case miss_reason::copy_engine_overloaded:
      return "copy engine " + unit + " can be asked for " + load(1) + " of its time";
    case miss_reason::gpu_overloaded: return "the kernels can ask for " + load(1) + " of the time of all SMs";
    case miss_reason::kernels_overloaded:
      return "the kernels, served " + std::to_string(miss.limit / whole) + " at a time, can ask for " +
             load(miss.limit / whole) + " of the time that there is";
    case miss_reason::more_gpu_tasks_than_sms:
      return std::to_string(miss.value) + " tasks have kernels, and only " + std::to_string(miss.limit) +
             " of them can have SMs of their own";
    case miss_reason::known_method:
      return "the analysis " + std::string{miss.method} + " finds a deadline that is missed";
  }
  return {};
}

}  // namespace detail

/// Returns the explanation of a miss as a sentence.
[[nodiscard]] inline auto explain_miss(const verdict_summary& v, const proven_miss<ticks>& miss) -> std::string {
  std::string out =
      detail::miss_clause(miss.task < v.tasks.size() ? v.tasks[miss.task].name : std::string{}, miss) + '.';
  if (out[0] >= 'a' && out[0] <= 'z') { out[0] = static_cast<char>(out[0] - 'a' + 'A'); }
  return out;
}

/// Returns the misses in words for rows of comparisons. Pre: `tasks` are those that the proofs are about.
template <std::size_t M, class Tasks>
[[nodiscard]] auto compared_misses(const inline_vector<proven_miss<ticks>, M>& misses, const Tasks& tasks)
    -> std::vector<compared_miss> {
  std::vector<compared_miss> out;
  for (const auto& miss : misses) {
    const std::string task{miss.task < tasks.size() ? tasks[miss.task].name : std::string_view{}};
    out.push_back({miss, task, detail::miss_clause(task, miss)});
  }
  return out;
}

/// Notes proofs that some legal run misses a deadline.
template <std::size_t M>
void add_misses(verdict_summary& v, const inline_vector<proven_miss<ticks>, M>& misses) {
  for (const auto& miss : misses) { v.misses.push_back({miss, explain_miss(v, miss)}); }
}

}  // namespace takt::inline TAKT_ABI::report
