// SPDX-License-Identifier: Apache-2.0
#include "gpusync_study_overheads.hpp"

#include <cstdint>

#include <takt/model/locked_gpus/overheads.hpp>
#include <takt/model/locked_gpus/published_costs.hpp>

namespace takt::program::old_sweep {

namespace {

namespace pc = published_costs;

/// Mean times of 1 MB, in the order of `transfer_kind`. The paper's text gives no means of copies to and from the host
/// and calls them 5 to 8 times longer under load: taken are 1/8 of the longest loaded time when idle, and 5 times that
/// under load. GPUs nearby: the longest time over the 1.1 that load costs at most. Far GPUs: 200 us when idle, twice
/// the nearby ones under load (observations 5, 8, 9, 10).
struct mean_times {
  ticks in;
  ticks out;
  ticks near;
  ticks far;
};
constexpr mean_times idle_means{148'000, 152'000, 160'000, 200'000};
constexpr mean_times loaded_means{740'000, 760'000, 160'000, 320'000};
/// Interleaved pages, in percent: idle, and the lower end of what is said of means under load (observations 11, 12).
constexpr std::int64_t spread_when_idle = 120;
constexpr std::int64_t spread_under_load = 140;

[[nodiscard]] auto mean_transfers(bool loaded, bool spread, bool far) -> transfer_curves<4> {
  const mean_times& m = loaded ? loaded_means : idle_means;
  const std::int64_t percent = !spread ? 100 : loaded ? spread_under_load : spread_when_idle;
  return {{pc::detail::through(m.in * percent / 100), pc::detail::through(m.out * percent / 100),
           pc::detail::through(far ? m.far : m.near)}};
}

/// Cache loss of 4 KB: "hundreds of nanoseconds" on an idle machine, in proportion to 4 MB on a loaded one.
constexpr std::int64_t working_set = 4096;
constexpr ticks idle_cache_loss = 300;

/// The 99.9th percentiles of interrupts stand in figures only. Taken is the geometric mean between where the figures
/// that stop at the 99th percentile have their last hump, 11 and 80 us, and the 99.99th percentile, 50 and 550 us.
constexpr ticks worst_top_half = 23'500;
constexpr ticks worst_bottom_half = 210'000;

/// Costs of the scheduler itself are not printed at all. These are assumptions of the order that is usual for
/// LITMUS^RT, growing with the CPUs that share a queue; averages are a quarter.
[[nodiscard]] auto scheduler_overheads(std::int64_t cluster_size, bool worst) -> gpusync_overheads<ticks> {
  const ticks part = worst ? 4 : 1;
  gpusync_overheads<ticks> o;
  o.schedule = part * (1'000 + 250 * cluster_size);
  o.context_switch = part * 1'500;
  o.tick = part * (1'000 + 125 * cluster_size);
  o.release = part * (1'000 + 250 * cluster_size);
  o.interrupt_cache_loss = part * 250;
  o.event_latency = part * 1'000;
  o.ipi = part * 750;
  o.system_call_in = part * 75;
  o.system_call_out = part * 75;
  o.lock = part * 500;
  o.unlock = part * 500;
  o.tick_quantum = 1'000'000;
  return o;
}

}  // namespace

auto board_of(const gpusync_configuration& c, std::size_t overheads, std::int64_t copy_percent) -> study_board {
  const bool worst = overheads < 2;
  const bool loaded = overheads % 2 == 0;
  // CPUs of both nodes share memory that alternates between these; GPUs of four and more are not all neighbours.
  const bool spread = c.cpu_cluster_size > c.cpus / c.numa_nodes;
  const bool far = c.gpu_cluster_size > 2;
  const auto memory = spread ? pc::memory_placement::interleaved : pc::memory_placement::local;
  study_board out;
  out.shape = c;
  out.costs = worst ? pc::transfers(loaded ? pc::bus_load::loaded : pc::bus_load::idle, memory,
                                    far ? pc::gpu_distance::far : pc::gpu_distance::near)
                    : mean_transfers(loaded, spread, far);
  for (auto& curve : out.costs.kinds) {
    curve = pc::detail::through(ceil_divide<ticks>(curve.time(pc::megabyte) * copy_percent, 100));
  }
  out.overheads = scheduler_overheads(c.cpu_cluster_size, worst);
  out.overheads.cache_loss = loaded ? pc::cache_loss(memory).time(working_set) : idle_cache_loss;
  out.overheads.top_half = worst ? worst_top_half : pc::top_half_mean;
  out.overheads.bottom_half = worst ? worst_bottom_half : pc::bottom_half_mean;
  return out;
}

}  // namespace takt::program::old_sweep
