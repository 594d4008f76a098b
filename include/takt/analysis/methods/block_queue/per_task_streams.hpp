// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/block_queue/capacity.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_per_task_streams(const block_load<Fraction, MaxTasks>& load)
    -> block_bounds<Fraction, MaxTasks> {
  const auto out = drain(load, load.work_of_all());
  if (out.status == block_status::load_exceeds_capacity) {
    return block_bounds<Fraction, MaxTasks>::failed(block_status::not_proven);
  }
  for (std::size_t i = 0; out.bounded() && i < load.size(); ++i) {
    const Fraction latest = out.responses[i] + load.kernels[i].jitter;
    if (!is_number(latest)) { return block_bounds<Fraction, MaxTasks>::failed(block_status::overflow); }
    if (load.kernels[i].period < latest) { return block_bounds<Fraction, MaxTasks>::failed(block_status::not_proven); }
  }
  return out;
}

}  // namespace detail

/// Returns the response bounds of kernels whose tasks have one stream each. They need that with one job of each task
/// ahead, every job ends before the next one of its task is enqueued. Then none ever waits in its stream, and no more
/// is ever ahead. Error: `not_proven` otherwise, which does not say that responses grow. takt's own.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto per_task_stream_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                                      const block_gpu& gpu) -> block_bounds<Number, MaxTasks> {
  return detail::on_threads(table, gpu, [](const auto& load) { return detail::solve_per_task_streams(load); });
}

}  // namespace takt::inline TAKT_ABI::analysis
