// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Most engine sections of a job.
inline constexpr std::int64_t max_gpu_operations = std::int64_t{1} << 20;

template <ExactNumber Number>
[[nodiscard]] constexpr auto fits_gpusync(const Number& time) -> bool {
  return is_number(time) && !(Number(longest_transfer_time) < time);
}

template <class Task>
[[nodiscard]] constexpr auto time_fault(const Task& t) -> model_fault {
  using number = typename Task::number;
  const number zero(0);
  if (!(zero < t.period)) { return model_fault::period_not_positive; }
  if (!(zero < t.deadline)) { return model_fault::deadline_not_positive; }
  bool fits = fits_gpusync(t.period) && fits_gpusync(t.deadline) && fits_gpusync(t.wcet);
  if (t.wcet < zero || t.cpu_in_gpu_section < zero) { return model_fault::negative_time; }
  number sum = t.wcet;
  for (std::size_t q = 0; q < t.kernels.size(); ++q) {
    if (t.kernels[q] < zero) { return model_fault::negative_time; }
    fits = fits && fits_gpusync(t.kernels[q]) && add_exactly(sum, t.kernels[q], sum) && fits_gpusync(sum);
  }
  if (t.wcet < t.cpu_in_gpu_section) { return model_fault::section_exceeds_wcet; }
  if (t.bytes_in < 0 || t.bytes_out < 0 || t.bytes_state < 0) { return model_fault::negative_bytes; }
  if (!fits) { return model_fault::time_overflow; }
  const bool copies = t.uses_gpu() && (t.bytes_in > 0 || t.bytes_out > 0);
  return zero < sum || copies ? model_fault::none : model_fault::no_time;
}

template <class Task>
[[nodiscard]] constexpr auto place_fault(const gpusync_configuration& c, const Task& t) -> model_fault {
  using number = typename Task::number;
  if (t.cpu_cluster < 0 || t.cpu_cluster >= c.cpu_clusters()) { return model_fault::cpu_cluster_out_of_range; }
  const bool demand = !t.kernels.empty() || t.bytes_in > 0 || t.bytes_out > 0 || number(0) < t.cpu_in_gpu_section;
  if (!t.uses_gpu()) { return demand ? model_fault::gpu_demand_without_gpu : model_fault::none; }
  if (t.gpu_cluster == no_cluster) { return model_fault::gpu_task_not_placed; }
  if (t.gpu_cluster < 0 || t.gpu_cluster >= c.gpu_clusters()) { return model_fault::gpu_cluster_out_of_range; }
  if (!c.serves(t.gpu_cluster, t.cpu_cluster)) { return model_fault::clusters_not_associated; }
  const bool moves = t.bytes_in > 0 || t.bytes_out > 0 || (c.migrates() && t.bytes_state > 0);
  return moves && c.copy_engines == 0 ? model_fault::copy_without_engine : model_fault::none;
}

template <GpusyncPlatform P, class Task>
[[nodiscard]] constexpr auto copies_fit(const P& platform, const Task& t) -> bool {
  if (!t.uses_gpu()) { return true; }
  const gpusync_configuration& c = platform.configuration();
  const std::int64_t most = max_gpu_operations / 8;
  if (t.bytes_in / c.dma_chunk >= most || t.bytes_out / c.dma_chunk >= most || t.bytes_state / c.dma_chunk >= most) {
    return false;
  }
  const auto own = requests_of(c, platform.costs, t);
  const auto fits = [](const auto& run) {
    using number = decltype(run.full_time);
    return fits_gpusync(run.rest_time) && !(number(longest_transfer_time / (run.full + 1)) < run.full_time);
  };
  return own.operations() <= max_gpu_operations && fits(own.in) && fits(own.out) && fits(own.state_peer) &&
         fits(own.state_in) && fits(own.state_out);
}

template <class Table>
[[nodiscard]] constexpr auto priority_fault(const gpusync_configuration& c, const Table& table) -> model_error {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (c.scheduler.task_level && t.period < t.deadline) { return {model_fault::deadline_exceeds_period, t.id}; }
    typename Table::number point{};
    if (c.scheduler.task_level && !task_point(c.scheduler, t, point)) { return {model_fault::time_overflow, t.id}; }
    if (!c.scheduler.reads_priorities()) { continue; }
    if (t.priority < 0) { return {model_fault::priority_missing, t.id}; }
    for (std::size_t j = 0; j < i; ++j) {
      if (table.tasks[j].priority == t.priority) { return {model_fault::duplicate_priority, t.id}; }
    }
  }
  return {};
}

template <GpusyncPlatform P, class Table>
[[nodiscard]] constexpr auto first_fault(const P& platform, const Table& table) -> model_error {
  const gpusync_configuration& c = platform.configuration();
  if (const auto fault = fault_of(c); fault != model_fault::none) { return {fault, no_index}; }
  if (!platform.overheads.valid()) { return {model_fault::negative_overhead, no_index}; }
  if (table.size() == 0) { return {model_fault::no_task, no_index}; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (const auto fault = detail::time_fault(t); fault != model_fault::none) { return {fault, t.id}; }
    if (const auto fault = detail::place_fault(c, t); fault != model_fault::none) { return {fault, t.id}; }
    if (!detail::copies_fit(platform, t)) { return {model_fault::time_overflow, t.id}; }
  }
  return priority_fault(c, table);
}

}  // namespace detail

/// Returns the first thing that is wrong with tasks on a platform: all of them placed, and clusters associated. Cost:
/// n, and n^2 comparisons of priorities where tasks have them.
template <GpusyncPlatform P, class Table>
[[nodiscard]] constexpr auto validate_gpusync(const P& platform, const Table& table) -> model_error {
  return located(detail::first_fault(platform, table), table.tasks);
}

}  // namespace takt::inline TAKT_ABI
