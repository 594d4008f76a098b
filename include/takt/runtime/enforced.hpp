// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/time_slices.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Holds for chains on a platform that a method knows as a whole, whose pools say the same one by one.
template <class P, class T>
concept ChainsOfPools =
    DedicatedGpuPlatform<P> && takt::detail::has_pool_rules<P> && TaskSet<T> && !AcceleratorTaskSet<T>;

}  // namespace detail

/// Holds if a run carries out the rules of a platform for tasks written like this.
template <class P, class T>
concept RunsOnThreads = ComposedBoard<P, T> || detail::ChainsOfPools<P, T>;

namespace detail {

/// Says whether all pools are of one of these kinds. A board from a file has no other kinds of its own.
template <class P, class... Resources>
inline constexpr bool has_only = true;
template <class P, class... Resources>
  requires requires { P::pool_count; }
inline constexpr bool has_only<P, Resources...> = (P::template count_of<Resources> + ... + 0) == P::pool_count;

/// Stops compilation with a sentence about the first pool at fault. Made from plain answers, as `composition_check` is.
template <bool HasProcessors, bool EnforcesProcessors, bool EnforcesCopies, bool EnforcesGpus, bool KnowsPools>
struct chain_run_check {
  static constexpr bool cpu = EnforcesProcessors || !HasProcessors;
  static constexpr bool copy = EnforcesCopies || !EnforcesProcessors;
  static constexpr bool gpu = EnforcesGpus || !EnforcesCopies || !EnforcesProcessors;
  static constexpr bool passed = HasProcessors && EnforcesProcessors && EnforcesCopies && EnforcesGpus && KnowsPools;
  static_assert(HasProcessors,
                "takt: the platform has no processors; add pool(processors(n), fixed_priority). "
                "See docs/errors.md#E27");
  static_assert(cpu,
                "takt: a run does not enforce this rule on the processors pool; it enforces rules that make a server, "
                "as fixed_priority and edf do. See docs/errors.md#E59");
  static_assert(copy,
                "takt: a run does not enforce this rule on the copy_engines pool; it enforces rules that make a "
                "server, as nonpreemptive(...) and fifo do. See docs/errors.md#E59");
  static_assert(gpu,
                "takt: a run does not enforce this rule on the virtual_sms pool; it enforces rules that make a server, "
                "as federated and time_slices do; gpu_pool enforces locked(...). See docs/errors.md#E59");
  static_assert(KnowsPools,
                "takt: a run of chains serves processors, copy_engines, virtual_sms and resources whose rule makes a "
                "server, and this platform has another pool. See docs/errors.md#E59");
};

template <class R>
concept MakesServer = Absent<R> || takt::detail::NamesServer<R>;

template <class P, class T>
struct chain_run_answers {
  using type = chain_run_check<!Absent<typename P::cpu_rule>, MakesServer<typename P::cpu_rule>,
                               MakesServer<typename P::copy_rule>,
                               MakesServer<typename P::gpu_rule> && !TokenGpuPlatform<P>, RunsOnThreads<P, T>>;
};
template <class P, class T>
  requires RunsOnThreads<P, T>
struct chain_run_answers<P, T> {
  using type = chain_run_check<true, true, true, true, true>;
};
template <class P, class T>
using check_chain_run = typename chain_run_answers<P, T>::type;

template <class P>
inline constexpr bool gpu_takes_turns = false;
template <class... Pools>
inline constexpr bool gpu_takes_turns<platform<Pools...>> = (TakesTurns<typename Pools::rule_type> || ...);

/// Stops compilation where the rule of the platform takes turns and the device ends what it has begun.
template <bool RuleTakesTurns, bool DeviceYields>
struct turns_run_check {
  static constexpr bool passed = !RuleTakesTurns || DeviceYields;
  static_assert(passed,
                "takt: this device does not let the tasks of one process take turns; run on emulated_accelerator, or "
                "make each task a process of its own. See docs/errors.md#E59");
};
template <class P, class D>
using check_turns = turns_run_check<gpu_takes_turns<P>, AcceleratorDevice<D>>;

template <bool EnforcesProcessors, bool EnforcesBlocks, bool EnforcesCopies, bool KnowsPools>
struct graph_run_check {
  static constexpr bool passed = EnforcesProcessors && EnforcesBlocks && EnforcesCopies && KnowsPools;
  static_assert(
      EnforcesProcessors,
      "takt: a run of graphs does not enforce this rule on the processors pool; it enforces gel and every rule "
      "that is a PoolRule, such as g_fl, nonpreemptive(...), clustered(...) and fixed_priority. "
      "See docs/errors.md#E59");
  static_assert(EnforcesBlocks,
                "takt: a run of graphs does not enforce this rule on the block_slots pool; it enforces "
                "fifo_blocks(per_job_streams, guarded). See docs/errors.md#E59");
  static_assert(EnforcesCopies,
                "takt: a run of graphs does not enforce this rule on the copy_engines pool; it enforces fifo. "
                "See docs/errors.md#E59");
  static_assert(KnowsPools,
                "takt: a run of graphs serves processors, block_slots and copy_engines, and this platform has another "
                "pool. See docs/errors.md#E59");
};

template <class R>
inline constexpr bool enforces_blocks =
    Absent<R> || (FifoBlocks<R> && takt::detail::streams_per_job<R> && takt::detail::guards_enqueues<R>);

template <class R>
inline constexpr bool runs_nodes = GlobalRule<R> || PoolRule<R>;

template <class P>
using check_graph_run = graph_run_check<runs_nodes<typename P::template rule_of<processors_resource>>,
                                        enforces_blocks<typename P::template rule_of<block_slots_resource>>,
                                        Absent<typename P::template rule_of<copy_engines_resource>> ||
                                            FirstComeFirstServed<typename P::template rule_of<copy_engines_resource>>,
                                        has_only<P, processors_resource, block_slots_resource, copy_engines_resource>>;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
