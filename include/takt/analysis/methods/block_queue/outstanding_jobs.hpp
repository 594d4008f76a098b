// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Jobs of one kernel in flight at which `outstanding_response` gives up.
inline constexpr std::int64_t most_outstanding_jobs = 10'000;

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_outstanding(const block_load<Fraction, MaxTasks>& load)
    -> block_bounds<Fraction, MaxTasks> {
  using bounds = block_bounds<Fraction, MaxTasks>;
  if (load.capacity <= 0) { return bounds::failed(block_status::not_proven); }
  std::array<std::int64_t, MaxTasks> jobs{};
  jobs.fill(1);
  for (;;) {
    Fraction backlog(0);
    for (std::size_t i = 0; i < load.size(); ++i) { backlog = backlog + Fraction(jobs[i]) * load.work_of_job(i); }
    const bounds out = drain(load, backlog);
    if (!out.bounded()) { return out; }
    bool changed = false;
    for (std::size_t i = 0; i < load.size(); ++i) {
      const std::int64_t needed = jobs_in_flight(out.responses[i], load.kernels[i], most_outstanding_jobs);
      if (needed == 0) {
        const bool counted = is_number(jobs_in_queue(out.responses[i], load.kernels[i]));
        return bounds::failed(counted ? block_status::not_proven : block_status::overflow);
      }
      if (jobs[i] < needed) {
        jobs[i] = needed;
        changed = true;
      }
    }
    if (!changed) { return out; }
  }
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_owners(const block_load<Fraction, MaxTasks>& load)
    -> block_bounds<Fraction, MaxTasks> {
  Fraction backlog(0);
  for (std::size_t i = 0; i < load.size(); ++i) {
    const Fraction own = load.work_of_job(i);
    bool greatest = true;  // of its owner, the first of equals
    for (std::size_t other = 0; other < load.size(); ++other) {
      if (other == i || load.kernels[other].owner != load.kernels[i].owner) { continue; }
      const Fraction theirs = load.work_of_job(other);
      greatest = greatest && !(own < theirs) && !(own == theirs && other < i);
    }
    if (greatest) { backlog = backlog + own; }
  }
  return drain(load, backlog);
}

}  // namespace detail

/// Returns the response bounds from jobs in flight. If every job of kernel i ends within p_i periods of its nominal
/// enqueue, at most p_i of its jobs are unfinished at any enqueue. So (sum p_i B_i C_i - C_k) / (g
/// (m - H_max + h)) + L_k bounds the response. The least p that is consistent is taken. Needs enqueues as
/// `separated_enqueue_response` does, but no capacity test. Error: `not_proven` when no such p <= 10000 exists. Cost: a
/// round per step of p, so up to 10000 per kernel where the load is about the capacity or above it. takt's own.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto outstanding_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                                  const block_gpu& gpu, Streams /*streams*/)
    -> block_bounds<Number, MaxTasks> {
  detail::need_stream_per_job<Streams>();
  return detail::on_threads(table, gpu, [](const auto& load) { return detail::solve_outstanding(load); });
}

namespace detail {

/// Returns the response bounds of kernels whose owners have at most one kernel unfinished at a time, whenever they
/// issue it. The greatest job of each owner is all that can be ahead. Needs neither separation nor a capacity test.
/// Error: `owner_missing`. takt's own.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto owner_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                            const block_gpu& gpu) -> block_bounds<Number, MaxTasks> {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].owner == no_owner) {
      return block_bounds<Number, MaxTasks>::invalid(fault_at(model_fault::owner_missing, i));
    }
  }
  return detail::on_threads(table, gpu, [](const auto& load) { return detail::solve_owners(load); });
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
