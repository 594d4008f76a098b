// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/model/hardware.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>

namespace takt::inline TAKT_ABI {

/// Tokens of GPUs that have engines for copies and kernels of their own, each with a lock: holders share a whole GPU,
/// and a job may find its state on another one. `engines` says all that is of the GPUs and of the system; CPUs, tokens
/// and the protocol are those of the board, the rule and the policy. Source: Elliott et al. 2013 (GPUSync).
template <class Order>
struct locked_engines_policy : tokens_policy<Order> {
  gpusync_board<> engines{};

  [[nodiscard]] constexpr auto kernels_at_once() const noexcept -> std::int32_t { return 1; }
  /// Pools know neither locks inside of tokens nor state that moves.
  [[nodiscard]] constexpr auto is_of_pools() const noexcept -> bool { return false; }
  [[nodiscard]] constexpr auto missing(const gpu_hardware& /*gpu*/) const noexcept -> std::string_view { return {}; }
  template <class Tasks>
  [[nodiscard]] constexpr auto choice_count(const gpu_hardware& /*gpu*/, const Tasks& /*tasks*/) const noexcept
      -> std::size_t {
    return this->tokens == 0 ? static_cast<std::size_t>(detail::most_tokens_tried) : 1;
  }
  template <class Tasks>
  [[nodiscard]] constexpr auto choice(const gpu_hardware& /*gpu*/, const Tasks& /*tasks*/,
                                      std::size_t which) const noexcept -> locked_engines_policy {
    locked_engines_policy out = *this;
    if (this->tokens == 0) { out.tokens = static_cast<std::int32_t>(which) + 1; }
    return out;
  }
};

/// Returns the policy of the same tokens for GPUs whose engines have locks.
template <class Order>
[[nodiscard]] constexpr auto with_locked_engines(const tokens_policy<Order>& tokens, const gpusync_board<>& engines)
    -> locked_engines_policy<Order> {
  return {tokens, engines};
}

}  // namespace takt::inline TAKT_ABI
