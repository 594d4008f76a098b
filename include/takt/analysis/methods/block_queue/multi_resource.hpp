// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/block_queue/outstanding_jobs.hpp>
#include <takt/core/exact.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

/// Blocks in units of the greatest part that each takes of any resource of an SM; an SM has `whole` of them.
struct resource_units {
  std::int64_t whole = 1;
  std::int64_t kinds = 0;  ///< resources that some block uses
  block_gpu gpu{};
  bool fits = true;

  template <class Number>
  [[nodiscard]] constexpr auto size_of(const block_kernel<Number>& k) const -> std::int64_t {
    std::int64_t size = 0;
    const auto take = [&](std::int64_t amount, std::int64_t limit) {
      if (limit > 0 && size < amount * (whole / limit)) { size = amount * (whole / limit); }
    };
    take(k.threads, gpu.threads_per_sm);
    take(1, gpu.block_slots);
    take(k.shared_memory, gpu.shared_memory);
    take(k.registers, gpu.registers);
    return size;
  }

  /// Returns how many units are in use whenever a block waits.
  template <class Number, std::size_t MaxTasks>
  [[nodiscard]] constexpr auto busy_beside(const task_rows<block_kernel<Number>, MaxTasks>& table) const
      -> std::int64_t {
    std::int64_t largest = 0;
    for (const auto& k : table.tasks) {
      if (const std::int64_t size = size_of(k); largest < size) { largest = size; }
    }
    return gpu.sms * (whole - largest);
  }

  constexpr void count(std::int64_t limit, bool used) {
    if (limit == 0 || !used) { return; }
    ++kinds;
    fits = fits && common_multiple(whole, limit, whole) && whole <= takt::detail::most_gpu_amount / gpu.sms / 4;
  }
};

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto resource_units_of(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                               const block_gpu& gpu) -> resource_units {
  bool memory = false;
  bool registers = false;
  for (const auto& k : table.tasks) {
    memory = memory || k.shared_memory > 0;
    registers = registers || k.registers > 0;
  }
  resource_units units;
  units.gpu = gpu;
  if (!memory) { units.gpu.shared_memory = 0; }
  if (!registers) { units.gpu.registers = 0; }
  units.count(gpu.threads_per_sm, true);
  units.count(gpu.block_slots, true);
  units.count(gpu.shared_memory, memory);
  units.count(gpu.registers, registers);
  return units;
}

template <class Number, std::size_t MaxTasks, class Solve>
[[nodiscard]] constexpr auto on_resources(const task_rows<block_kernel<Number>, MaxTasks>& table, const block_gpu& gpu,
                                          const Solve& solve) -> block_bounds<Number, MaxTasks> {
  using bounds = block_bounds<Number, MaxTasks>;
  if (const auto error = validate(table, gpu)) { return bounds::invalid(error); }
  if (table.size() == 0) { return bounds::failed(block_status::bounded); }
  const auto units = resource_units_of(table, gpu);
  if (!units.fits) { return bounds::failed(block_status::overflow); }
  return on_load(
      table, units.busy_beside(table), gpu.sms * units.kinds * units.whole,
      [&](std::size_t i) { return units.size_of(table.tasks[i]); }, solve);
}

}  // namespace detail

/// Theorem 3 for blocks that may wait for threads, block slots, shared memory or registers. Let w_i be the greatest
/// part of an SM's resources that a block of i takes. While a block waits, some resource of every SM is used beyond
/// 1 - w_max, so the running blocks' w sum up to more than g (1 - w_max). At any time they sum up to at most g times
/// the number of resources. Hence (L_max g rho + sum B_i L_i w_i - L_k w_k) / (g (1 - w_max)) + L_k, with jitter as
/// there. Error: `load_exceeds_capacity`, also when a block takes all of some resource. takt's own.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto multi_resource_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                                     const block_gpu& gpu, Streams /*streams*/)
    -> block_bounds<Number, MaxTasks> {
  detail::need_stream_per_job<Streams>();
  return detail::on_resources(table, gpu, [](const auto& load) { return detail::solve_separated(load); });
}

/// Returns the least of all bounds for kernels with a stream per job and enqueues that are a period apart, up to their
/// jitter. They are on threads where blocks wait for nothing else, and on all resources otherwise.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto block_queue_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                                  const block_gpu& gpu, Streams /*streams*/)
    -> block_bounds<Number, MaxTasks> {
  detail::need_stream_per_job<Streams>();
  const auto knapsack = [](const auto& load) { return detail::solve_knapsack(load); };
  const auto outstanding = [](const auto& load) { return detail::solve_outstanding(load); };
  if (detail::only_threads_bind(table, gpu)) {
    return min_of(detail::on_threads(table, gpu, knapsack), detail::on_threads(table, gpu, outstanding));
  }
  return min_of(detail::on_resources(table, gpu, knapsack), detail::on_resources(table, gpu, outstanding));
}

}  // namespace takt::inline TAKT_ABI::analysis
