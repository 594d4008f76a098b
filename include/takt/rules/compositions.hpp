// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/model/platform.hpp>
#include <takt/rules/tags.hpp>

namespace takt {

namespace detail {

template <class Rule, class CpuRule>
inline constexpr bool same_order = false;
template <class Rule, class CpuRule>
  requires requires { Rule::order == CpuRule::order; }
inline constexpr bool same_order<Rule, CpuRule> = Rule::order == CpuRule::order;

}  // namespace detail

/// Copy engines, if any, that are not preempted and follow the priorities of the processors.
template <class Rule, class CpuRule>
concept CopiesInPriorityOrder = Absent<Rule> || (NonpreemptiveFixedPriority<Rule> && detail::same_order<Rule, CpuRule>);

/// Copy engines, if any, in whose queue nobody is overtaken.
template <class Rule>
concept CopiesInArrivalOrder = Absent<Rule> || FirstComeFirstServed<Rule>;

// The compositions of rules that takt knows. Analyses, the simulator and the runtime tell them apart by these concepts.

/// Nothing but processors: no job ever suspends.
template <class P>
concept ProcessorsOnly =
    Platform<P> && FixedPriority<typename P::cpu_rule> && Absent<typename P::copy_rule> && Absent<typename P::gpu_rule>;

/// A job leaves its core while it copies and while its kernels run on SMs of its own.
template <class P>
concept DedicatedGpuPlatform = Platform<P> && FixedPriority<typename P::cpu_rule> &&
                               CopiesInPriorityOrder<typename P::copy_rule, typename P::cpu_rule> &&
                               (Federated<typename P::gpu_rule> || Absent<typename P::gpu_rule>);

/// A job keeps its claim on its core until it completes.
template <class P>
concept BusyWaitingPlatform = Platform<P> && BusyWaiting<typename P::cpu_rule> &&
                              CopiesInPriorityOrder<typename P::copy_rule, typename P::cpu_rule> &&
                              (Federated<typename P::gpu_rule> || Absent<typename P::gpu_rule>);

/// What stands between two CPU segments is one critical section of one lock, its kernel on SMs of the task's own.
template <class P>
concept SerializedGpuPlatform =
    Platform<P> && FixedPriority<typename P::cpu_rule> &&
    CopiesInPriorityOrder<typename P::copy_rule, typename P::cpu_rule> && SerializedFederated<typename P::gpu_rule>;

/// The same with every kernel on all SMs.
template <class P>
concept LockedGpuPlatform =
    Platform<P> && FixedPriority<typename P::cpu_rule> &&
    CopiesInPriorityOrder<typename P::copy_rule, typename P::cpu_rule> && SerializedWholeGpu<typename P::gpu_rule>;

/// What stands between two CPU segments is one critical section of a pool of tokens under a locking protocol.
template <class P>
concept TokenGpuPlatform = Platform<P> && FixedPriority<typename P::cpu_rule> &&
                           CopiesInArrivalOrder<typename P::copy_rule> && TokenLocked<typename P::gpu_rule>;

template <class P>
concept KnownComposition = DedicatedGpuPlatform<P> || BusyWaitingPlatform<P> || SerializedGpuPlatform<P> ||
                           LockedGpuPlatform<P> || TokenGpuPlatform<P>;

namespace detail {

template <class P>
inline constexpr bool has_processors = !Absent<typename P::cpu_rule>;
template <class P>
inline constexpr bool knows_processors = FixedPriority<typename P::cpu_rule> || BusyWaiting<typename P::cpu_rule>;
template <class P>
inline constexpr bool knows_copies =
    TokenLocked<typename P::gpu_rule> ? CopiesInArrivalOrder<typename P::copy_rule>
                                      : CopiesInPriorityOrder<typename P::copy_rule, typename P::cpu_rule>;

/// Stops compilation with a sentence about the first pool to blame. Made from plain answers instead of rules, which
/// keeps what compilers print above the sentence short.
template <bool HasProcessors, bool KnowsProcessors, bool KnowsCopies, bool KnowsAll>
struct composition_check {
  static constexpr bool cpu_known = KnowsProcessors || !HasProcessors;
  static constexpr bool copy_known = KnowsCopies || !KnowsProcessors;
  static constexpr bool gpu_known = KnowsAll || !KnowsProcessors || !KnowsCopies;
  static constexpr bool passed = KnowsAll;
  static_assert(HasProcessors,
                "takt: the platform has no processors; add pool(processors(n), fixed_priority). "
                "See docs/errors.md#E27");
  static_assert(cpu_known,
                "takt: no bound is known for this rule on the processors pool; fixed_priority, rate_monotonic, "
                "deadline_monotonic and busy_waiting(...) have one. See docs/errors.md#E28");
  static_assert(copy_known,
                "takt: no bound is known for this rule on the copy_engines pool; nonpreemptive(r), with r the "
                "order of the processors, has one, and beside locked(...) fifo. See docs/errors.md#E29");
  static_assert(gpu_known,
                "takt: no bound is known for this rule on the virtual_sms pool; federated, federated_virtual, "
                "serialized(federated or whole_gpu) and locked(...) have one. See docs/errors.md#E30");
};

template <class P>
using check_composition =
    composition_check<has_processors<P>, knows_processors<P>, knows_copies<P>, KnownComposition<P>>;

}  // namespace detail

}  // namespace takt
