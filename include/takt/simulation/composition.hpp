// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/rules/compositions.hpp>
#include <takt/rules/fifo_server.hpp>
#include <takt/rules/priority_server.hpp>

namespace takt::simulation {

/// Copies and kernels between two CPU segments are one critical section of one lock.
template <class P>
concept Serialized = SerializedGpuPlatform<P> || LockedGpuPlatform<P>;

/// Where kernels run.
enum class kernel_place : std::uint8_t {
  own_share,  ///< on the task's SMs, which the plan says
  whole_gpu,  ///< on all SMs of the first GPU
  token,      ///< on the SMs behind a token
};

[[nodiscard]] constexpr auto runs_on_own_share(kernel_place place) noexcept -> bool {
  switch (place) {
    case kernel_place::own_share: return true;
    case kernel_place::whole_gpu:
    case kernel_place::token: return false;
  }
  return false;
}
[[nodiscard]] constexpr auto runs_on_token(kernel_place place) noexcept -> bool {
  switch (place) {
    case kernel_place::token: return true;
    case kernel_place::own_share:
    case kernel_place::whole_gpu: return false;
  }
  return false;
}

template <class P>
inline constexpr kernel_place kernels_on = TokenGpuPlatform<P>                        ? kernel_place::token
                                           : SerializedWholeGpu<typename P::gpu_rule> ? kernel_place::whole_gpu
                                                                                      : kernel_place::own_share;

namespace detail {

/// Serves the jobs of chains, known by their ranks, as a rule of a known composition does.
template <class Rule, std::size_t Capacity>
struct server_for {
  using type =
      priority_server<FixedPriority<Rule> || BusyWaiting<Rule> ? preemption::allowed : preemption::forbidden, Capacity>;
};
template <FirstComeFirstServed Rule, std::size_t Capacity>
struct server_for<Rule, Capacity> {
  using type = fifo_server<Capacity>;
};
}  // namespace detail

}  // namespace takt::simulation
