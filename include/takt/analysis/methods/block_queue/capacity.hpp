// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/block_queue/block_load.hpp>
#include <takt/core/checked.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Returns h, the greatest number that divides all block sizes and the threads of an SM. Idle threads come in multiples
/// of it. Pre: the table is without fault, here and below. Source: Yang et al. 2018, Definition 2.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto unit_block_size(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                             const block_gpu& gpu) -> std::int64_t {
  TAKT_EXPECTS_IN_TESTS(!validate(table, gpu));
  std::int64_t unit = gpu.threads_per_sm;
  for (const auto& k : table.tasks) { unit = greatest_common_divisor(unit, k.threads); }
  return unit;
}

namespace detail {

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto largest_block_size(const task_rows<block_kernel<Number>, MaxTasks>& table)
    -> std::int64_t {
  std::int64_t largest = 0;
  for (const auto& k : table.tasks) {
    if (largest < k.threads) { largest = k.threads; }
  }
  return largest;
}

}  // namespace detail

/// Returns g (m - H_max + h): threads that are busy whenever a block waits. Source: Yang et al. 2018, Definition 3.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto thread_capacity(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                             const block_gpu& gpu) -> std::int64_t {
  TAKT_EXPECTS_IN_TESTS(!validate(table, gpu));
  return gpu.sms * (gpu.threads_per_sm - detail::largest_block_size(table) + unit_block_size(table, gpu));
}

namespace detail {

/// Returns whether threads are the only thing that a block ever waits for. That is so if each block takes at least as
/// great a part of an SM's threads as of its block slots, shared memory and registers.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto only_threads_bind(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                               const block_gpu& gpu) -> bool {
  TAKT_EXPECTS_IN_TESTS(!validate(table, gpu));
  const auto lesser_part = [&](std::int64_t amount, std::int64_t limit, std::int64_t threads) {
    if (limit == 0 || amount == 0) { return true; }
    std::int64_t left = 0;
    std::int64_t right = 0;
    return checked_multiply(amount, gpu.threads_per_sm, left) && checked_multiply(threads, limit, right) &&
           left <= right;
  };
  for (const auto& k : table.tasks) {
    if (!lesser_part(1, gpu.block_slots, k.threads) || !lesser_part(k.shared_memory, gpu.shared_memory, k.threads) ||
        !lesser_part(k.registers, gpu.registers, k.threads)) {
      return false;
    }
  }
  return true;
}

/// Stops compilation with a sentence where jobs of one kernel wait for each other.
template <StreamAssignment Streams>
constexpr void need_stream_per_job() {
  static_assert(std::same_as<Streams, one_stream_per_job>,
                "takt: this bound needs a stream per job, for kernels of one stream wait for each other; use "
                "per_job_streams, or per_task_stream_response(). See docs/errors.md#E66");
}

/// Solves on threads. `OnlyThreads`: whether a table whose blocks may wait for something else is turned away.
template <bool OnlyThreads = true, class Number, std::size_t MaxTasks, class Solve>
[[nodiscard]] constexpr auto on_threads(const task_rows<block_kernel<Number>, MaxTasks>& table, const block_gpu& gpu,
                                        const Solve& solve) -> block_bounds<Number, MaxTasks> {
  using bounds = block_bounds<Number, MaxTasks>;
  if (const auto error = validate(table, gpu)) { return bounds::invalid(error); }
  if (table.size() == 0) { return bounds::failed(block_status::bounded); }
  if (OnlyThreads && !only_threads_bind(table, gpu)) { return bounds::failed(block_status::other_resource_binds); }
  const std::int64_t occupied = gpu.sms * gpu.threads_per_sm - largest_block_size(table);
  return on_load(
      table, thread_capacity(table, gpu), occupied, [&](std::size_t i) { return table.tasks[i].threads; }, solve);
}

/// Tests equation 1 of Yang et al. 2018: the load is at most the capacity.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto capacity_status(const block_load<Fraction, MaxTasks>& load) -> block_status {
  if (load.capacity <= 0) { return block_status::load_exceeds_capacity; }
  switch (load.utilization().compare(load.capacity)) {
    case load_side::at_most: return block_status::bounded;
    case load_side::above: return block_status::load_exceeds_capacity;
    case load_side::unknown: return block_status::overflow;
  }
  return block_status::overflow;
}

}  // namespace detail

/// Tests whether sum B_i C_i / T_i <= g (m - H_max + h), equality included: `bounded` or `load_exceeds_capacity`. The
/// latter proves nothing. Source: Yang et al. 2018, equation 1.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto capacity_test(const task_rows<block_kernel<Number>, MaxTasks>& table, const block_gpu& gpu)
    -> block_status {
  return detail::on_threads(table, gpu,
                            []<class Fraction>(const detail::block_load<Fraction, MaxTasks>& load) {
                              return block_bounds<Fraction, MaxTasks>::failed(detail::capacity_status(load));
                            })
      .status;
}

namespace detail {

/// Work left at an instant at which no block waits is at most L_max (g m - H_max).
/// False where it does not fit; 0 <= value otherwise. Source: Yang et al. 2018, Lemma 1.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto carry_in_bound(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                            const block_gpu& gpu, thread_time<Number>& out) -> bool {
  TAKT_EXPECTS_IN_TESTS(!validate(table, gpu));
  Number longest(0);
  for (const auto& k : table.tasks) {
    if (longest < k.length) { longest = k.length; }
  }
  const Number occupied(gpu.sms * gpu.threads_per_sm - largest_block_size(table));
  return takt::detail::multiply_exactly(longest, occupied, out.value);
}

}  // namespace detail

/// Work left at any enqueue, that of the enqueued job included, is at most Lemma 1's plus one job of every kernel. The
/// capacity test must hold, and enqueues of a kernel be a period apart. The print has <, which does not follow, as the
/// latest non-busy instant is a supremum. Source: Yang et al. 2018, Lemma 2.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto backlog_bound(const task_rows<block_kernel<Number>, MaxTasks>& table, const block_gpu& gpu,
                                           Streams /*streams*/, thread_time<Number>& out) -> bool {
  TAKT_EXPECTS_IN_TESTS(!validate(table, gpu));
  detail::need_stream_per_job<Streams>();
  thread_time<Number> sum;
  if (!detail::carry_in_bound(table, gpu, sum)) { return false; }
  for (const auto& k : table.tasks) {
    Number work(0);
    if (!takt::detail::multiply_exactly(k.length, Number(k.threads), work) ||
        !takt::detail::multiply_exactly(work, Number(k.blocks), work) || !add_exactly(sum.value, work, sum.value)) {
      return false;
    }
  }
  out = sum;
  return true;
}

}  // namespace takt::inline TAKT_ABI::analysis
