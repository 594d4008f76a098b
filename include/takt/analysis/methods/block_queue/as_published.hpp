// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>

/// Bounds as Yang et al. 2018 print them. See docs/errata.md.
namespace takt::inline TAKT_ABI::analysis::as_published {

/// Theorem 3 without a look at block slots, shared memory and registers: responses may grow without bound above it.
template <class Number, std::size_t MaxTasks, StreamAssignment Streams>
[[nodiscard]] constexpr auto separated_enqueue_response(const task_rows<block_kernel<Number>, MaxTasks>& table,
                                                        const block_gpu& gpu, Streams /*streams*/)
    -> block_bounds<Number, MaxTasks> {
  analysis::detail::need_stream_per_job<Streams>();
  return analysis::detail::on_threads<false>(table, gpu,
                                             [](const auto& load) { return analysis::detail::solve_separated(load); });
}

}  // namespace takt::inline TAKT_ABI::analysis::as_published
