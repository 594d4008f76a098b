// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/model/block_kernel.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/tags.hpp>

namespace takt {

/// The least nominal release + relative priority point first, on any processor of the cluster.
template <gel_policy Policy>
struct global_rule {
  static_assert(is_known(Policy),
                "takt: a choice is none of those that its type names; use one of the enumerators. "
                "See docs/errors.md#E76");
  using is_takt_rule = void;
  static constexpr gel_policy policy = Policy;
};

/// Clusters of so many processors, each with a global rule of its own. A graph names its cluster by `on_cluster`.
template <class Rule>
struct clustered_rule {
  using is_takt_rule = void;
  static constexpr gel_policy policy = Rule::policy;
  std::int32_t processors = 1;
};

inline constexpr global_rule<gel_policy::earliest_deadline> g_edf{};
inline constexpr global_rule<gel_policy::fair_lateness> g_fl{};
inline constexpr global_rule<gel_policy::first_in_first_out> g_fifo{};
/// The points are those of the nodes: `relative_point`.
inline constexpr global_rule<gel_policy::given_points> gel{};

template <gel_policy Policy>
[[nodiscard]] constexpr auto clustered(const global_rule<Policy>& /*rule*/, std::int32_t processors) noexcept
    -> clustered_rule<global_rule<Policy>> {
  return {processors};
}

/// What keeps two jobs of a node apart in the queue of the GPU.
struct guarded_enqueues {};    ///< a job is enqueued a period after the one before, in the order of jobs
struct unguarded_enqueues {};  ///< nothing: early jobs are enqueued at once

inline constexpr one_stream_per_job per_job_streams{};
inline constexpr one_stream_per_task per_task_streams{};
inline constexpr guarded_enqueues guarded{};
inline constexpr unguarded_enqueues unguarded{};

/// Kernels in one queue, first come, first served: the blocks of its head go to SMs with room, and the next kernel
/// follows when all of them are placed.
template <StreamAssignment Streams, class Enqueues>
struct fifo_blocks_rule {
  using is_takt_rule = void;
  using streams = Streams;
  using enqueues = Enqueues;
};

template <StreamAssignment Streams, class Enqueues>
  requires std::same_as<Enqueues, guarded_enqueues> || std::same_as<Enqueues, unguarded_enqueues>
[[nodiscard]] constexpr auto fifo_blocks(const Streams& /*streams*/, const Enqueues& /*enqueues*/) noexcept
    -> fifo_blocks_rule<Streams, Enqueues> {
  return {};
}

namespace detail {
template <class R>
inline constexpr bool is_global = false;
template <gel_policy Policy>
inline constexpr bool is_global<global_rule<Policy>> = true;
template <class Rule>
inline constexpr bool is_global<clustered_rule<Rule>> = true;
template <class R>
inline constexpr bool is_fifo_blocks = false;
template <class Streams, class Enqueues>
inline constexpr bool is_fifo_blocks<fifo_blocks_rule<Streams, Enqueues>> = true;
}  // namespace detail

template <class R>
concept GlobalRule = detail::is_global<R>;
template <class R>
concept FifoBlocks = detail::is_fifo_blocks<R>;

namespace detail {

template <class P>
using blocks_rule_of = typename P::template rule_of<block_slots_resource>;
template <class P>
using global_rule_of = typename P::template rule_of<processors_resource>;
template <class P>
using copies_rule_of = typename P::template rule_of<copy_engines_resource>;

template <class R>
inline constexpr bool streams_per_job = true;
template <class Streams, class Enqueues>
inline constexpr bool streams_per_job<fifo_blocks_rule<Streams, Enqueues>> = std::same_as<Streams, one_stream_per_job>;
template <class R>
inline constexpr bool guards_enqueues = true;
template <class Streams, class Enqueues>
inline constexpr bool guards_enqueues<fifo_blocks_rule<Streams, Enqueues>> = std::same_as<Enqueues, guarded_enqueues>;

}  // namespace detail

/// A platform for graphs, whatever its rules: it has processors, and nothing but them, a GPU with a block queue and
/// copy engines.
template <class P>
concept GraphPlatform = requires(const P& p) {
  typename detail::global_rule_of<P>;
  requires P::template count_of<processors_resource> == 1;
  requires P::template count_of<virtual_sms_resource> == 0;
  requires P::template count_of<accelerator_resource> == 0;
  requires P::template count_of<block_slots_resource> <= 1;
};

namespace detail {

template <bool KnownCpu, bool KnownGpu, bool KnownCopies, bool PerJobStreams, bool Guarded>
struct graph_check {
  static constexpr bool passed = KnownCpu && KnownGpu && KnownCopies && PerJobStreams && Guarded;
  static_assert(KnownCpu,
                "takt: no bound of graphs is known for this rule on the processors; g_edf, g_fl, g_fifo, gel and "
                "clustered(...) have one. See docs/errors.md#E65");
  static_assert(KnownGpu,
                "takt: no bound of graphs is known for this rule on the blocks of the GPU; fifo_blocks(...) has one. "
                "See docs/errors.md#E65");
  static_assert(KnownCopies,
                "takt: no bound of graphs is known for this rule on the copy engines; fifo has one. "
                "See docs/errors.md#E65");
  static_assert(PerJobStreams,
                "takt: with a stream per task, jobs wait for each other and responses can grow forever; use "
                "per_job_streams, or per_task_stream_response() for kernels alone. See docs/errors.md#E66");
  static_assert(Guarded,
                "takt: unguarded kernels released early overtake others and exceed every bound; use guarded, or "
                "fine_bounds() with launch_jitter and no early releasing. See docs/errors.md#E67");
};

template <class P>
using check_graphs =
    graph_check<GlobalRule<global_rule_of<P>>, Absent<blocks_rule_of<P>> || FifoBlocks<blocks_rule_of<P>>,
                Absent<copies_rule_of<P>> || FirstComeFirstServed<copies_rule_of<P>>,
                streams_per_job<blocks_rule_of<P>>, guards_enqueues<blocks_rule_of<P>>>;

}  // namespace detail

}  // namespace takt
