// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <takt/model/pool.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/time_slices.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class Rule, class CpuRule>
inline constexpr bool same_order = false;
template <class Rule, class CpuRule>
  requires requires { typename std::common_type_t<order_of<Rule>, order_of<CpuRule>>; }
inline constexpr bool same_order<Rule, CpuRule> = std::same_as<order_of<Rule>, order_of<CpuRule>>;

/// Copy engines, if any, that are not preempted and follow the priorities of the processors.
template <class Rule, class CpuRule>
concept CopiesInPriorityOrder = Absent<Rule> || (NonpreemptiveFixedPriority<Rule> && detail::same_order<Rule, CpuRule>);

/// Holds where copies go in the order of the processors, or by priorities as given beside processors that make theirs
/// of periods or deadlines. On a board that a method knows as a whole, these are the priorities of tasks.
template <class Rule, class CpuRule>
concept CopiesFollowPriorities =
    CopiesInPriorityOrder<Rule, CpuRule> ||
    (NonpreemptiveFixedPriority<Rule> && FixedPriority<CpuRule> && GivenPriority<order_of<Rule>>);

}  // namespace detail

/// Copy engines, if any, whose queue keeps the order of arrival.
template <class Rule>
concept CopiesInArrivalOrder = Absent<Rule> || FirstComeFirstServed<Rule>;

namespace detail {

/// A platform of processors, copy engines and GPUs, and nothing else.
template <class P>
concept ChainPlatform =
    Platform<P> && !std::is_const_v<P> &&
    std::is_void_v<
        typename detail::first_foreign<P, processors_resource, copy_engines_resource, virtual_sms_resource>::type>;

}  // namespace detail

/// Says where kernels run.
enum class kernel_location : std::uint8_t {
  own_share,  ///< on the task's SMs, which the plan says
  all_sms,    ///< on all of the first GPU
  token,      ///< on the SMs behind a token
};

[[nodiscard]] constexpr auto runs_on_own_share(kernel_location place) noexcept -> bool {
  switch (place) {
    case kernel_location::own_share: return true;
    case kernel_location::all_sms:
    case kernel_location::token: return false;
  }
  return false;
}
[[nodiscard]] constexpr auto runs_on_token(kernel_location place) noexcept -> bool {
  switch (place) {
    case kernel_location::token: return true;
    case kernel_location::own_share:
    case kernel_location::all_sms: return false;
  }
  return false;
}

/// Holds what hosts have to know of chains on a platform as a whole.
struct chain_composition {
  kernel_location kernels = kernel_location::own_share;
  bool serialized = false;  ///< copies and kernels between two CPU segments are one critical section of one lock
  bool spins = false;       ///< a job keeps its claim on its core until it completes
  bool of_pools = false;    ///< rules of its pools, one by one, say the same
};
namespace detail {

/// Stands where hosts know nothing of chains on a platform as a whole.
struct no_composition {};

}  // namespace detail

/// Tells how chains run on a platform as a whole. The simulator, plans and files of chains ask it; a composition
/// registers itself here as a method does in its family. What is not registered is taken apart into its pools.
template <class P>
inline constexpr detail::no_composition composition_of{};

namespace detail {

/// Nothing but processors: no job ever suspends.
template <class P>
concept ProcessorsOnly = ChainPlatform<P> && FixedPriority<typename P::cpu_rule> && Absent<typename P::copy_rule> &&
                         Absent<typename P::gpu_rule>;

}  // namespace detail

/// A job leaves its core while it copies and while its kernels run on SMs of its own.
template <class P>
concept DedicatedGpuPlatform = detail::ChainPlatform<P> && FixedPriority<typename P::cpu_rule> &&
                               detail::CopiesFollowPriorities<typename P::copy_rule, typename P::cpu_rule> &&
                               (detail::Federated<typename P::gpu_rule> || Absent<typename P::gpu_rule>);
template <DedicatedGpuPlatform P>
inline constexpr chain_composition composition_of<P>{.of_pools = true};

namespace detail {

/// A job leaves its core while it copies and while its kernels have their turns on the whole GPU. Proven from its
/// pools.
template <class P>
concept TurnsPlatform =
    ChainPlatform<P> && FixedPriority<typename P::cpu_rule> &&
    CopiesInPriorityOrder<typename P::copy_rule, typename P::cpu_rule> && TakesTurns<typename P::gpu_rule>;

/// A job keeps its claim on its core until it completes.
template <class P>
concept BusyWaitingPlatform = ChainPlatform<P> && BusyWaiting<typename P::cpu_rule> &&
                              CopiesFollowPriorities<typename P::copy_rule, typename P::cpu_rule> &&
                              (Federated<typename P::gpu_rule> || Absent<typename P::gpu_rule>);

}  // namespace detail
template <detail::BusyWaitingPlatform P>
inline constexpr chain_composition composition_of<P>{.spins = true};

namespace detail {

/// Holds where one critical section of one lock, its kernel on the task's own SMs, stands between two CPU segments.
template <class P>
concept SerializedGpuPlatform =
    ChainPlatform<P> && FixedPriority<typename P::cpu_rule> &&
    CopiesFollowPriorities<typename P::copy_rule, typename P::cpu_rule> && SerializedFederated<typename P::gpu_rule>;

}  // namespace detail
template <detail::SerializedGpuPlatform P>
inline constexpr chain_composition composition_of<P>{.serialized = true};

/// Holds as `SerializedGpuPlatform` does, but with every kernel on all SMs.
template <class P>
concept LockedGpuPlatform = detail::ChainPlatform<P> && FixedPriority<typename P::cpu_rule> &&
                            detail::CopiesFollowPriorities<typename P::copy_rule, typename P::cpu_rule> &&
                            detail::SerializedWholeGpu<typename P::gpu_rule>;
template <LockedGpuPlatform P>
inline constexpr chain_composition composition_of<P>{.kernels = kernel_location::all_sms, .serialized = true};

/// Holds where one critical section of a pool of tokens under a locking protocol stands between two CPU segments.
template <class P>
concept TokenGpuPlatform = detail::ChainPlatform<P> && FixedPriority<typename P::cpu_rule> &&
                           CopiesInArrivalOrder<typename P::copy_rule> && TokenLocked<typename P::gpu_rule>;
template <TokenGpuPlatform P>
inline constexpr chain_composition composition_of<P>{.kernels = kernel_location::token};

/// A platform that hosts of chains know as a whole.
template <class P>
concept KnownComposition = std::same_as<decltype(composition_of<P>), const chain_composition>;

namespace detail {

/// Tells whether hosts take tasks of this spelling on a platform as a whole, or say themselves what keeps them from it;
/// else they are taken apart into visits. Chains are so taken where nothing else is stated.
template <class P, class T>
inline constexpr bool taken_as_a_whole = KnownComposition<P>;

/// Says why chains on a platform have no bound. Checks take it instead of the platform, which keeps what compilers
/// print above a sentence short.
enum class composition_gap : std::uint8_t {
  none,
  unused_pool,
  no_processors,
  cpu_rule,
  gpu_rules_differ,
  copy_rule,
  copy_rule_beside_tokens,
  gpu_rule_beside_spinning,
  gpu_rule,
};

template <class P>
[[nodiscard]] consteval auto gap_of() -> composition_gap {
  using cpu = typename P::cpu_rule;
  using copies = typename P::copy_rule;
  using gpu = typename P::gpu_rule;
  if (!ChainPlatform<P>) { return composition_gap::unused_pool; }
  if (Absent<cpu>) { return composition_gap::no_processors; }
  if (!FixedPriority<cpu> && !BusyWaiting<cpu>) { return composition_gap::cpu_rule; }
  if (KnownComposition<P>) { return composition_gap::none; }
  if (std::same_as<gpu, mixed_rules>) { return composition_gap::gpu_rules_differ; }
  if (BusyWaiting<cpu> && CopiesFollowPriorities<copies, cpu>) { return composition_gap::gpu_rule_beside_spinning; }
  if (BusyWaiting<cpu> && TokenLocked<gpu>) { return composition_gap::gpu_rule_beside_spinning; }
  if (TokenLocked<gpu>) { return composition_gap::copy_rule_beside_tokens; }
  return CopiesFollowPriorities<copies, cpu> ? composition_gap::gpu_rule : composition_gap::copy_rule;
}

/// Stops compilation with a sentence about the pool that causes it. `Foreign` is the resource of a pool that chains do
/// not use, or void.
template <composition_gap Gap, class Foreign>
struct composition_check : unused_pool<Foreign> {
  using gap = composition_gap;
  static constexpr bool passed = Gap == gap::none;
  static constexpr bool has_processors = Gap != gap::no_processors;
  static_assert(has_processors,
                "takt: the platform has no processors; add pool(processors(n), fixed_priority). "
                "See docs/errors.md#E27");
  static constexpr bool knows_cpu_rule = Gap != gap::cpu_rule;
  static_assert(knows_cpu_rule,
                "takt: no bound is known for this rule on the processors pool; fixed_priority, rate_monotonic, "
                "deadline_monotonic and busy_waiting(...) have one. See docs/errors.md#E28");
  static constexpr bool one_gpu_rule = Gap != gap::gpu_rules_differ;
  static_assert(one_gpu_rule,
                "takt: two GPUs of the platform have different rules, and no bound is known for the two together; give "
                "all the same. See docs/errors.md#E30");
  static constexpr bool knows_copy_rule = Gap != gap::copy_rule;
  static_assert(knows_copy_rule,
                "takt: no bound is known for this rule on the copy_engines pool; nonpreemptive(r), with r the "
                "order of the processors, has one. See docs/errors.md#E29");
  static constexpr bool copies_fit_tokens = Gap != gap::copy_rule_beside_tokens;
  static_assert(copies_fit_tokens,
                "takt: no bound is known for this rule on the copy_engines pool beside locked(...), whose token "
                "holders queue for them; fifo has one. See docs/errors.md#E29");
  static constexpr bool gpu_fits_spinning = Gap != gap::gpu_rule_beside_spinning;
  static_assert(gpu_fits_spinning,
                "takt: no bound is known for this rule on the virtual_sms pool beside busy_waiting(...) on the "
                "processors; federated and federated_virtual have one. See docs/errors.md#E30");
  static constexpr bool knows_gpu_rule = Gap != gap::gpu_rule;
  static_assert(knows_gpu_rule,
                "takt: no bound is known for this rule on the virtual_sms pool; federated, federated_virtual, "
                "serialized(federated or whole_gpu) and locked(...) have one. See docs/errors.md#E30");
};

template <class P>
using check_composition = composition_check<
    gap_of<P>(), typename first_foreign<P, processors_resource, copy_engines_resource, virtual_sms_resource>::type>;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
