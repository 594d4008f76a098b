// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/rules/accelerator/core_streams.hpp>
#include <takt/rules/accelerator/gang_order.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/rules/servers/forward.hpp>

namespace takt::inline TAKT_ABI {

/// SMs as cores, decided at every event: in order of importance a pinned job runs if its core is free, and a job for
/// all cores if all are. Source: Zahaf and Lipari 2020, section 5.3, which leaves the order open.
template <std::size_t MaxTasks, std::size_t MaxCores, GangOrder Order>
class event_driven_gang {
 public:
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_cores = MaxCores;

  /// Pre: 1 <= cores <= MaxCores, levels >= 1.
  constexpr explicit event_driven_gang(std::int32_t cores, std::int32_t levels = 1) noexcept : streams_{cores, levels} {
    TAKT_EXPECTS(1 <= cores && static_cast<std::size_t>(cores) <= MaxCores && levels >= 1);
  }

  [[nodiscard]] constexpr auto cores() const noexcept -> std::int32_t { return streams_.cores(); }
  [[nodiscard]] constexpr auto levels() const noexcept -> std::int32_t { return streams_.levels(); }

  template <detail::JobPoint Point>
  constexpr void enqueue(kernel_id k, std::int32_t core, const job_orders<Point, MaxTasks>& orders) {
    streams_.enqueue(k, core, orders);
  }
  constexpr void complete(kernel_id k) noexcept { streams_.complete(k); }
  constexpr void yielded(kernel_id k) noexcept { streams_.yielded(k); }

  template <detail::JobPoint Point, AcceleratorBackend Backend>
  constexpr void decide(const job_orders<Point, MaxTasks>& orders, Backend& backend) {
    const kernel_id gang = streams_.head(streams_.gang_lane());
    const auto waits_for_gang = [&](kernel_id k) {
      return gang != no_kernel &&
             goes_before(orders[static_cast<std::size_t>(gang)], orders[static_cast<std::size_t>(k)]);
    };
    auto wanted = streams_.nothing();
    bool gang_is_first = gang != no_kernel;
    for (std::size_t core = 0; core < streams_.gang_lane(); ++core) {
      const kernel_id k = streams_.head(core);
      if (k == no_kernel) { continue; }
      const bool behind_gang = waits_for_gang(k);
      gang_is_first = gang_is_first && behind_gang;
      if (Order::starts(behind_gang)) { wanted[core] = k; }
    }
    if (gang_is_first) {
      wanted = streams_.nothing();
      wanted[streams_.gang_lane()] = gang;
    }
    streams_.bring_about(wanted, backend);
  }

  [[nodiscard]] friend constexpr auto operator==(const event_driven_gang&, const event_driven_gang&) noexcept
      -> bool = default;

 private:
  core_streams<MaxTasks, MaxCores> streams_;
};

}  // namespace takt::inline TAKT_ABI
