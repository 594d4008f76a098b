// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Says what starts the next kernel when one ends.
enum class kernel_handover : std::uint8_t { hardware, host };
[[nodiscard]] constexpr auto last_of(kernel_handover) noexcept -> kernel_handover { return kernel_handover::host; }

/// Holds what the operating system takes of a CPU, each at its worst. Unit: that of the tasks. `tick_quantum` is the
/// time between two timer ticks, 0 for a system without; `top_half` and `bottom_half` are the two stages of a GPU's
/// interrupt, which come at any time. Source: Elliott 2015, sections 2.1.8 and 4.3.4.
template <ExactNumber Number>
struct gpusync_overheads {
  Number schedule{};  ///< choice of the next job
  Number context_switch{};
  Number cache_loss{};            ///< of a job that was preempted or has migrated
  Number interrupt_cache_loss{};  ///< of a job that was interrupted
  Number tick{};
  Number tick_quantum{};
  Number release{};
  Number event_latency{};  ///< from a timer's expiry to its handler
  Number ipi{};            ///< latency of an interrupt from CPU to CPU
  Number system_call_in{};
  Number system_call_out{};
  Number lock{};
  Number unlock{};
  Number top_half{};
  Number bottom_half{};

  [[nodiscard]] constexpr auto valid() const -> bool {
    const Number zero(0);
    return !(schedule < zero || context_switch < zero || cache_loss < zero || interrupt_cache_loss < zero ||
             tick < zero || tick_quantum < zero || release < zero || event_latency < zero || ipi < zero ||
             system_call_in < zero || system_call_out < zero || lock < zero || unlock < zero || top_half < zero ||
             bottom_half < zero);
  }

  [[nodiscard]] friend constexpr auto operator==(const gpusync_overheads&, const gpusync_overheads&) -> bool = default;
};

}  // namespace takt::inline TAKT_ABI
