// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/rules/compositions.hpp>
#include <takt/rules/priority_server.hpp>

namespace takt::simulation {

/// Copies and kernels between two CPU segments are one critical section of one lock.
template <class P>
concept Serialized = SerializedGpuPlatform<P> || LockedGpuPlatform<P>;

namespace detail {

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

}  // namespace takt::simulation
