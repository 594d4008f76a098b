// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <takt/model/block_kernel.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/graph/board.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// Say what keeps two jobs of a node apart in the queue of the GPU.
struct guarded_enqueues {};    ///< a job is enqueued a period after the one before, in the order of jobs
struct unguarded_enqueues {};  ///< nothing: early jobs are enqueued at once

inline constexpr guarded_enqueues guarded{};
inline constexpr unguarded_enqueues unguarded{};

namespace detail {

/// Stops compilation where a choice that chains do not know would be ignored.
template <bool Fits>
struct blocks_fit_chains {
  static constexpr bool passed = Fits;
  static_assert(Fits,
                "takt: on this board each kernel has a stream of its own and is enqueued when it is ready; use "
                "fifo_blocks(per_job_streams, unguarded). See docs/errors.md#E93");
};

}  // namespace detail

/// Kernels in one queue, first come, first served: the blocks of its head go to SMs with room, and the next kernel
/// follows when all of them are placed.
///
/// Under global rules jobs of a node may overlap. On boards that are proven from their pools they do not, and there
/// every kernel has a stream of its own and is enqueued when it is ready.
template <StreamAssignment Streams, class Enqueues>
struct fifo_blocks_rule : block_queue_rule<> {
  using streams = Streams;
  using enqueues = Enqueues;
  static constexpr bool fits_chains =
      std::same_as<Streams, one_stream_per_job> && std::same_as<Enqueues, unguarded_enqueues>;
  using chain_fault = detail::blocks_fit_chains<fits_chains>;

  [[nodiscard]] constexpr auto on(const block_slots_resource& r) const noexcept -> fifo_blocks_rule {
    return {block_queue_rule::on(r)};
  }
};

template <StreamAssignment Streams, class Enqueues>
  requires std::same_as<Enqueues, guarded_enqueues> || std::same_as<Enqueues, unguarded_enqueues>
[[nodiscard]] constexpr auto fifo_blocks(const Streams& /*streams*/, const Enqueues& /*enqueues*/) noexcept
    -> fifo_blocks_rule<Streams, Enqueues> {
  return {};
}

}  // namespace takt::inline TAKT_ABI
