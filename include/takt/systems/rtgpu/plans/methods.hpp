// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <takt/allocation/allocate_chains.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/tokens/queue_bounds.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/enhanced_mpcp.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>
#include <takt/systems/rtgpu/analysis/locked_gpu_rta.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what is known of chains: RTGPU, and the methods that it is compared with.
inline constexpr methods<analysis::detail::dedicated_chains, analysis::detail::processor_chains,
                         analysis::detail::busy_waiting_chains, analysis::detail::serialized_chains,
                         analysis::detail::locked_chains, analysis::detail::token_chains>
    rtgpu_methods{};

using chain_methods = std::remove_const_t<decltype(rtgpu_methods)>;

}  // namespace takt::inline TAKT_ABI
