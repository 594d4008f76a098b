// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/block_queue/capacity.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

/// Returns sum B_i C_i (1 + J_i / T_i): one job of each kernel, and what jitter adds.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto work_with_jitter(const block_load<Fraction, MaxTasks>& load) -> Fraction {
  Fraction sum(0);
  for (std::size_t i = 0; i < load.size(); ++i) {
    const Fraction work = load.work_of_job(i);
    sum = sum + work + share_of(work, load.kernels[i].jitter, load.kernels[i].period);
  }
  return sum;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_separated(const block_load<Fraction, MaxTasks>& load)
    -> block_bounds<Fraction, MaxTasks> {
  if (const auto status = capacity_status(load); status != block_status::bounded) {
    return block_bounds<Fraction, MaxTasks>::failed(status);
  }
  return drain(load, Fraction(load.carry_in() + work_with_jitter(load)));
}

/// Returns ceil((R + J) / T).
template <class Fraction, class Kernel>
[[nodiscard]] constexpr auto jobs_in_queue(const Fraction& response, const Kernel& k) -> Fraction {
  return takt::detail::ceil_quotient(Fraction(response + k.jitter), k.period);
}

/// Returns ceil((R + J) / T) as an integer, 0 when it does not fit or is above `limit`.
template <class Fraction, class Kernel>
[[nodiscard]] constexpr auto jobs_in_flight(const Fraction& response, const Kernel& k, std::int64_t limit)
    -> std::int64_t {
  const Fraction jobs = jobs_in_queue(response, k);
  if (!is_number(jobs) || Fraction(limit) < jobs) { return 0; }
  std::int64_t count = 1;  // whole numbers of any type, without a conversion
  for (std::int64_t step = limit; step > 0; step /= 2) {
    while (count + step <= limit && !(jobs < Fraction(count + step))) { count += step; }
  }
  return count;
}

/// The greatest work of running blocks that occupy so many threads, task i at most `most[i]` of it: longest blocks
/// first.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto knapsack_carry_in(const block_load<Fraction, MaxTasks>& load,
                                               const std::array<std::int64_t, MaxTasks>& most) -> Fraction {
  std::array<bool, MaxTasks> taken{};
  Fraction sum(0);
  for (std::int64_t occupied = load.occupied; occupied > 0;) {
    std::size_t best = load.size();
    for (std::size_t i = 0; i < load.size(); ++i) {
      if (!taken[i] && (best == load.size() || load.kernels[best].length < load.kernels[i].length)) { best = i; }
    }
    if (best == load.size()) { break; }
    taken[best] = true;
    const std::int64_t used = most[best] < occupied ? most[best] : occupied;
    sum = sum + load.kernels[best].length * Fraction(used);
    occupied -= used;
  }
  return sum;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_knapsack(const block_load<Fraction, MaxTasks>& load)
    -> block_bounds<Fraction, MaxTasks> {
  auto out = solve_separated(load);
  std::array<std::int64_t, MaxTasks> most{};
  most.fill(load.occupied);
  for (bool changed = true; out.bounded() && changed;) {
    changed = false;
    for (std::size_t i = 0; i < load.size(); ++i) {
      const auto& k = load.kernels[i];
      std::int64_t units = 0;
      const std::int64_t jobs = jobs_in_flight(out.responses[i], k, load.occupied);
      const bool fewer = jobs > 0 && checked_multiply(jobs, k.blocks, units) &&
                         checked_multiply(units, k.size, units) && units < most[i];
      if (fewer) {
        most[i] = units;
        changed = true;
      }
    }
    if (changed) { out = min_of(out, drain(load, Fraction(knapsack_carry_in(load, most) + work_with_jitter(load)))); }
  }
  return out;
}

}  // namespace detail

/// Theorem 3: (L_max (g m - H_max) + sum B_i C_i - C_k) / (g (m - H_max + h)) + L_k from the enqueue on. It is for
/// kernels with enqueues at least a period apart, in a queue of one priority and with a stream per job. With jitter, a
/// kernel whose nominal enqueues are so far apart and that is enqueued at most J_i later adds B_i C_i J_i / T_i.
/// Error: `load_exceeds_capacity`; `other_resource_binds` where blocks may wait for slots, shared memory or registers.
/// Source: Yang et al. 2018, Theorem 3; takt's own with jitter.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto separated_enqueue_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                                        const block_gpu& gpu, Streams /*streams*/)
    -> block_bounds<Number, MaxTasks> {
  detail::need_stream_per_job<Streams>();
  return detail::on_threads(table, gpu, [](const auto& load) { return detail::solve_separated(load); });
}

/// Bounds such responses with the blocks that run at an instant without waiting blocks counted one by one. They are at
/// most B_i ceil((R_i + J_i) / T_i) of kernel i, the longest first, repeated with the new bounds. takt's own.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto knapsack_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                               const block_gpu& gpu, Streams /*streams*/)
    -> block_bounds<Number, MaxTasks> {
  detail::need_stream_per_job<Streams>();
  return detail::on_threads(table, gpu, [](const auto& load) { return detail::solve_knapsack(load); });
}

}  // namespace takt::inline TAKT_ABI::analysis
