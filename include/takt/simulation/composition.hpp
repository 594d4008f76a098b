// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/platform.hpp>
#include <takt/rules/tags.hpp>

namespace takt::simulation {

namespace detail {
template <class P>
concept PriorityEngines = NonpreemptiveFixedPriority<typename P::copy_rule> || Absent<typename P::copy_rule>;
template <class P>
concept DedicatedOrNoGpu = Federated<typename P::gpu_rule> || Absent<typename P::gpu_rule>;

template <class Rule, std::size_t Capacity>
struct server_for {
  using type = typename Rule::template server<Capacity>;
};
template <class Rule, std::size_t Capacity>
  requires Absent<Rule>
struct server_for<Rule, Capacity> {
  using type = priority_server<preemption::forbidden, Capacity>;
};
}  // namespace detail

/// A job leaves its core while it copies and while its kernels run.
template <class P>
concept Suspending =
    Platform<P> && FixedPriority<typename P::cpu_rule> && detail::PriorityEngines<P> && detail::DedicatedOrNoGpu<P>;

/// A job keeps its claim on its core until it completes.
template <class P>
concept Spinning =
    Platform<P> && BusyWaiting<typename P::cpu_rule> && detail::PriorityEngines<P> && detail::DedicatedOrNoGpu<P>;

/// Copies and kernels between two CPU segments are one critical section of one lock.
template <class P>
concept Serialized = Platform<P> && FixedPriority<typename P::cpu_rule> && detail::PriorityEngines<P> &&
                     (SerializedFederated<typename P::gpu_rule> || SerializedWholeGpu<typename P::gpu_rule>);

/// A composition that the simulator drives.
template <class P>
concept Simulable = Suspending<P> || Spinning<P> || Serialized<P>;

}  // namespace takt::simulation
