// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/model/gel_policy.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/why_no_method.hpp>

// Boards on which graphs are known as a whole, and what keeps others from it.

namespace takt::inline TAKT_ABI {

struct block_slots_resource;
struct one_stream_per_job;
struct one_stream_per_task;
struct guarded_enqueues;

/// The largest GPU of block slots that chains run on, and the most blocks on it at once.
inline constexpr std::size_t most_block_sms = 192;
inline constexpr std::size_t most_resident_blocks = 6144;

/// Jobs in the order of the points that a policy gives them.
template <class R>
concept GlobalRule = RuleTag<R> && requires {
  { R::policy } -> std::convertible_to<gel_policy>;
};
/// Tells whether a job may lose its processor to one with a lesser point.
template <GlobalRule R>
inline constexpr bool is_preemptive = R::preemptive;
/// Kernels in one queue for their blocks, under a rule that says by `streams` and `enqueues` what keeps jobs apart.
template <class R>
concept FifoBlocks =
    requires {
      typename R::streams;
      typename R::enqueues;
    } &&
    (std::same_as<typename R::streams, one_stream_per_job> || std::same_as<typename R::streams, one_stream_per_task>) &&
    std::same_as<detail::server_of<R>, block_queue_server<1, most_block_sms, most_resident_blocks>>;

namespace detail {

template <class P>
using blocks_rule_of = typename P::template rule_of<block_slots_resource>;
template <class P>
using global_rule_of = typename P::template rule_of<processors_resource>;
template <class P>
using copies_rule_of = typename P::template rule_of<copy_engines_resource>;

template <class R>
inline constexpr bool streams_per_job = true;
template <FifoBlocks R>
inline constexpr bool streams_per_job<R> = std::same_as<typename R::streams, one_stream_per_job>;
template <class R>
inline constexpr bool guards_enqueues = true;
template <FifoBlocks R>
inline constexpr bool guards_enqueues<R> = std::same_as<typename R::enqueues, guarded_enqueues>;

}  // namespace detail

/// A platform on which graphs can be asked about; `check_graphs` says what keeps it from one that takt knows.
template <class P>
concept GraphPlatform = Platform<P> && requires { requires P::template count_of<processors_resource> >= 0; };

namespace detail {

/// Says why graphs on a platform have no bound.
enum class graph_gap : std::uint8_t {
  none,
  unused_pool,
  no_processors,
  cpu_rule,
  gpu_rule,
  copy_rule,
  streams_per_task,
  unguarded,
};

template <class P>
[[nodiscard]] consteval auto graph_gap_of() -> graph_gap {
  using blocks = blocks_rule_of<P>;
  using foreign = typename first_foreign<P, processors_resource, copy_engines_resource, block_slots_resource>::type;
  if (!std::is_void_v<foreign>) { return graph_gap::unused_pool; }
  if (P::template count_of<processors_resource> == 0) { return graph_gap::no_processors; }
  if (!GlobalRule<global_rule_of<P>>) { return graph_gap::cpu_rule; }
  if (!Absent<blocks> && !FifoBlocks<blocks>) { return graph_gap::gpu_rule; }
  if (!Absent<copies_rule_of<P>> && !FirstComeFirstServed<copies_rule_of<P>>) { return graph_gap::copy_rule; }
  if (!streams_per_job<blocks>) { return graph_gap::streams_per_task; }
  return guards_enqueues<blocks> ? graph_gap::none : graph_gap::unguarded;
}

template <graph_gap Gap, class Foreign>
struct graph_check : unused_pool<Foreign> {
  using gap = graph_gap;
  static constexpr bool passed = Gap == gap::none;
  static constexpr bool has_processors = Gap != gap::no_processors;
  static_assert(has_processors,
                "takt: the platform has no processors for the nodes of graphs; add pool(processors(n), g_fl). "
                "See docs/errors.md#E27");
  static constexpr bool knows_cpu_rule = Gap != gap::cpu_rule;
  static_assert(knows_cpu_rule,
                "takt: no bound of graphs is known for this rule on the processors; g_edf, g_fl, g_fifo, gel, "
                "nonpreemptive(...) and clustered(...) of these have one. See docs/errors.md#E65");
  static constexpr bool knows_gpu_rule = Gap != gap::gpu_rule;
  static_assert(knows_gpu_rule,
                "takt: no bound of graphs is known for this rule on the blocks of the GPU; fifo_blocks(...) has one. "
                "See docs/errors.md#E65");
  static constexpr bool knows_copy_rule = Gap != gap::copy_rule;
  static_assert(knows_copy_rule,
                "takt: no bound of graphs is known for this rule on the copy engines; fifo has one. "
                "See docs/errors.md#E65");
  static constexpr bool streams_per_job = Gap != gap::streams_per_task;
  static_assert(streams_per_job,
                "takt: with a stream per task, jobs wait for each other and responses can grow forever; use "
                "per_job_streams, or per_task_stream_response() for kernels alone. See docs/errors.md#E66");
  static constexpr bool guards = Gap != gap::unguarded;
  static_assert(guards,
                "takt: unguarded kernels released early overtake others and exceed every bound; use guarded, or "
                "fine_bounds() with launch_jitter and no early releasing. See docs/errors.md#E67");
};

template <class P>
using check_graphs =
    graph_check<graph_gap_of<P>(),
                typename first_foreign<P, processors_resource, copy_engines_resource, block_slots_resource>::type>;

/// Is true also where processors, streams or guards are missing.
template <class P, GraphSet T>
inline constexpr bool taken_as_a_whole<P, T> =
    graph_gap_of<P>() == graph_gap::none || graph_gap_of<P>() == graph_gap::no_processors ||
    graph_gap_of<P>() == graph_gap::streams_per_task || graph_gap_of<P>() == graph_gap::unguarded;

template <GraphPlatform P, GraphSet T>
struct why_no_method<P, T> {
  using type = check_graphs<P>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
