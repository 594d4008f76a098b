// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/core/value.hpp>
#include <takt/core/value_list.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// A way of sharing a GPU: a rule for it, whatever the tasks. A user's own type is one. Optional:
/// - `missing(gpu)`: the fact of the hardware that the rule needs and that is not known, or nothing.
/// - `copy_rule(cpu_rule)`: of the copy engines. Else: the order of the processors, without preemption, or FIFO.
/// - `parameter()`: what stands behind the name, such as a number of tokens. 0: nothing.
/// - `choice_count(gpu, tasks)` and `choice(gpu, tasks, k)`: policies of the same type, the best of which counts.
/// - `kernels_at_once()`: so many kernels share the GPU at most, each of which is no faster than with all of it.
/// - `handover`: what starts the next kernel when one ends. Else the host does, which takes time.
/// - `keeps_processor`: a job is one thread that waits for its copies and kernels on its processor.
/// - `is_of_pools()`: whether the pool says all of it. Else only published methods judge it.
template <class P>
concept SharingPolicy = Copyable<P> && requires(const P policy, const gpu_hardware& gpu) {
  { P::name } -> std::convertible_to<std::string_view>;
  typename std::remove_cvref_t<decltype(policy.gpu_pool(gpu, fixed_priority))>::rule_type;
};

namespace detail {

/// The order of kernels that goes with a rule of processors. EDF in all its forms is EDF; what is no order of jobs at
/// all leaves the tasks' priorities.
template <class Rule>
struct order_of_kernels : std::type_identity<fixed_priority_rule<by_given_priority>> {};
template <FixedPriority Rule>
struct order_of_kernels<Rule> : std::type_identity<Rule> {};
template <>
struct order_of_kernels<edf_rule> : std::type_identity<edf_rule> {};
template <gel_policy Policy>
struct order_of_kernels<global_rule<Policy>>
    : std::conditional<Policy.deadline != 0, edf_rule, fixed_priority_rule<by_given_priority>> {};
template <class Rule>
struct order_of_kernels<nonpreemptive_rule<Rule>> : order_of_kernels<Rule> {};
template <class Rule>
struct order_of_kernels<clustered_rule<Rule>> : order_of_kernels<Rule> {};

/// Says whether a rule orders any two jobs. Where points are given one by one, a pool does not know them.
template <class Rule>
inline constexpr bool orders_jobs = requires(const Rule& rule) { rule.job_order(1); };

/// Tells whether one job after the other in the order of the processors is an order for a device, too.
template <class Rule>
inline constexpr bool orders_devices = FixedPriority<Rule> || EarliestDeadlineFirst<Rule>;
template <class Rule>
inline constexpr bool orders_devices<nonpreemptive_rule<Rule>> = orders_devices<Rule>;
template <class Rule>
inline constexpr bool orders_devices<clustered_rule<Rule>> = orders_devices<Rule>;
template <>
inline constexpr bool orders_devices<global_rule<gel_policy::earliest_deadline>> = true;

}  // namespace detail

/// Fixed priorities or EDF for kernels, after the rule of the processors.
template <class CpuRule>
using kernel_order_beside = typename detail::order_of_kernels<CpuRule>::type;

/// Returns the order of the processors without preemption, for devices; FIFO where they have none that fits.
template <RuleTag CpuRule>
[[nodiscard]] constexpr auto device_rule(const CpuRule& /*rule*/) noexcept {
  if constexpr (detail::orders_devices<CpuRule>) {
    return nonpreemptive(kernel_order_beside<CpuRule>{});
  } else {
    return fifo;
  }
}

/// Returns the SMs of a GPU as a resource.
[[nodiscard]] constexpr auto sms_of(const gpu_hardware& gpu) noexcept -> virtual_sms_resource {
  const virtual_sms_resource out{.sms = gpu.sms,
                                 .per_sm = gpu.virtual_per_sm,
                                 .granularity = gpu.granularity,
                                 .speed = gpu.speed,
                                 .residency = gpu.residency()};
  return gpu.preemption_levels > 0 ? out.with_levels(gpu.preemption_levels) : out;
}

namespace detail {

/// Returns the fact of a GPU that a policy needs and that is not known; nothing where all are.
template <SharingPolicy P>
[[nodiscard]] constexpr auto missing_fact(const P& policy, const gpu_hardware& gpu) -> std::string_view {
  if (gpu.sms < 1) { return "sms"; }
  if constexpr (requires {
                  { policy.missing(gpu) } -> std::convertible_to<std::string_view>;
                }) {
    return policy.missing(gpu);
  }
  return {};
}

}  // namespace detail

/// Returns the number behind the name of a policy; 0: nothing.
template <SharingPolicy P>
[[nodiscard]] constexpr auto parameter_of(const P& policy) -> std::int64_t {
  if constexpr (requires { policy.parameter(); }) { return policy.parameter(); }
  return 0;
}

template <SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] constexpr auto copy_rule_of(const P& policy, const CpuRule& rule) {
  if constexpr (requires { policy.copy_rule(rule); }) {
    return policy.copy_rule(rule);
  } else {
    return device_rule(rule);
  }
}

/// Returns how many kernels share the GPU at most, each no faster than with all of it; 0: no such number is known.
template <SharingPolicy P>
[[nodiscard]] constexpr auto kernels_at_once(const P& policy) -> std::int32_t {
  if constexpr (requires { policy.kernels_at_once(); }) { return policy.kernels_at_once(); }
  return 0;
}

namespace detail {

template <SharingPolicy P>
[[nodiscard]] constexpr auto handover_of() noexcept -> kernel_handover {
  if constexpr (requires { P::handover; }) { return P::handover; }
  return kernel_handover::host;
}

}  // namespace detail

template <SharingPolicy P>
[[nodiscard]] constexpr auto keeps_processor() noexcept -> bool {
  if constexpr (requires { P::keeps_processor; }) { return P::keeps_processor; }
  return false;
}

/// Returns whether rules of pools say all that a policy and a rule of processors mean.
template <SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] constexpr auto is_of_pools(const P& policy, const CpuRule& /*rule*/) noexcept -> bool {
  if constexpr (!detail::orders_jobs<CpuRule>) { return false; }
  if constexpr (requires { policy.is_of_pools(); }) { return policy.is_of_pools(); }
  return true;
}

/// Returns the board under a policy, its first GPU, and copy engines where `Copies` says that it has some. It takes the
/// include of model/platform.hpp. Pre: `missing_fact` finds none. Error: as `platform`.
template <bool Copies = true, SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] constexpr auto board_of(const P& policy, const hardware& board, const CpuRule& rule) {
  const gpu_hardware gpu = board.gpus.empty() ? gpu_hardware{} : board.gpus[0];
  TAKT_EXPECTS(detail::missing_fact(policy, gpu).empty());
  const auto cpus = pool(processors(board.processors), rule);
  if constexpr (Copies) {
    return platform(cpus, pool(copy_engines(board.copy_engines), copy_rule_of(policy, rule)),
                    policy.gpu_pool(gpu, rule));
  } else {
    return platform(cpus, policy.gpu_pool(gpu, rule));
  }
}

/// Policies side by side.
template <SharingPolicy... P>
struct policy_list : value_list<P...> {};
template <SharingPolicy... P>
[[nodiscard]] constexpr auto policies(const P&... given) -> policy_list<P...> {
  return {list_of(given...)};
}

}  // namespace takt::inline TAKT_ABI
