// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/overheads.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/published_costs.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>

namespace takt::inline TAKT_ABI::generation {

using studied_board = gpusync_board<transfer_curves<4>>;

/// Worst or average case, of a loaded or an idle machine: positions in the list.
inline constexpr std::array<std::string_view, 4> studied_case_names{"WC/L", "WC/I", "AC/L", "AC/I"};

namespace detail {

/// Mean times of 1 MB, in the order of `transfer_kind`. The paper's text gives no means of copies to and from the host
/// and calls them 5 to 8 times longer under load. Taken are 1/8 of the longest loaded time when idle, and 5 times that
/// under load. GPUs nearby: the longest time over the 1.1 that load costs at most. Far GPUs: 200 us when idle, twice
/// the nearby ones under load (observations 5, 8, 9, 10).
struct mean_times {
  ticks in;
  ticks out;
  ticks near;
  ticks far;
  std::int64_t
      spread;  ///< interleaved pages, in percent: observations 11 and 12, the lower end of what is said of load
};
inline constexpr mean_times idle_means{148'000, 152'000, 160'000, 200'000, 120};
inline constexpr mean_times loaded_means{740'000, 760'000, 160'000, 320'000, 140};

[[nodiscard]] constexpr auto mean_transfers(const mean_times& m, bool spread, bool far) noexcept -> transfer_curves<4> {
  using published_costs::detail::through;
  const std::int64_t percent = spread ? m.spread : 100;
  return {{through(m.in * percent / 100), through(m.out * percent / 100), through(far ? m.far : m.near)}};
}

/// Cache loss of 4 KB: "hundreds of nanoseconds" on an idle machine, in proportion to 4 MB on a loaded one.
inline constexpr std::int64_t studied_working_set = 4096;
inline constexpr ticks idle_cache_loss = 300;

/// The 99.9th percentiles of interrupts stand in figures only. Taken is a geometric mean. One end is the last hump of
/// the figures that stop at the 99th percentile, 11 and 80 us, the other the 99.99th percentile, 50 and 550 us.
inline constexpr ticks worst_top_half = 23'500;
inline constexpr ticks worst_bottom_half = 210'000;

/// Costs of the scheduler itself are not printed at all. These are assumptions of the order that is usual for
/// LITMUS^RT, growing with the CPUs that share a queue; averages are a quarter.
[[nodiscard]] constexpr auto scheduler_overheads(std::int64_t cluster_size, bool worst) noexcept
    -> gpusync_overheads<ticks> {
  const ticks part = worst ? 4 : 1;
  gpusync_overheads<ticks> o;
  o.schedule = o.release = part * (1'000 + 250 * cluster_size);
  o.context_switch = part * 1'500;
  o.tick = part * (1'000 + 125 * cluster_size);
  o.interrupt_cache_loss = part * 250;
  o.event_latency = part * 1'000;
  o.ipi = part * 750;
  o.system_call_in = o.system_call_out = part * 75;
  o.lock = o.unlock = part * 500;
  o.tick_quantum = 1'000'000;
  return o;
}

}  // namespace detail

/// Returns the machine of the published study in a configuration, under one of the four cases, with copies that take so
/// many percent of the published times. In nanoseconds; what is not published is assumed, as said above. Pre: which <
/// 4, copy_percent >= 0, and the configuration is without fault. Source: Elliott 2015, sections 4.3.3 and 4.3.6.
[[nodiscard]] constexpr auto make_studied_board(const gpusync_configuration& c, std::size_t which,
                                                std::int64_t copy_percent = 100) noexcept -> studied_board {
  TAKT_EXPECTS(which < 4 && 0 <= copy_percent && c.numa_nodes > 0);
  namespace pc = published_costs;
  const bool worst = which < 2;
  const bool loaded = which % 2 == 0;
  // CPUs of both nodes share memory that alternates between these; GPUs of four and more are not all neighbours.
  const bool spread = c.cpu_cluster_size > c.cpus / c.numa_nodes;
  const bool far = c.gpu_cluster_size > 2;
  const auto memory = spread ? pc::memory_placement::interleaved : pc::memory_placement::local;
  studied_board out;
  out.shape = c;
  out.costs = worst ? pc::transfers(loaded ? pc::bus_load::loaded : pc::bus_load::idle, memory,
                                    far ? pc::gpu_distance::far : pc::gpu_distance::near)
                    : detail::mean_transfers(loaded ? detail::loaded_means : detail::idle_means, spread, far);
  for (auto& curve : out.costs.kinds) {
    curve = pc::detail::through(ceil_divide<ticks>(curve.time(pc::megabyte) * copy_percent, 100));
  }
  out.overheads = detail::scheduler_overheads(c.cpu_cluster_size, worst);
  out.overheads.cache_loss =
      loaded ? pc::cache_loss(memory).time(detail::studied_working_set) : detail::idle_cache_loss;
  out.overheads.top_half = worst ? detail::worst_top_half : pc::top_half_mean;
  out.overheads.bottom_half = worst ? detail::worst_bottom_half : pc::bottom_half_mean;
  return out;
}

}  // namespace takt::inline TAKT_ABI::generation
