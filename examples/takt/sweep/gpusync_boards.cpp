// SPDX-License-Identifier: Apache-2.0
#include "gpusync_boards.hpp"

#include <takt/allocation/locked_gpus/partition.hpp>
#include <takt/analysis/known/locked_gpus/analysis.hpp>
#include <takt/analysis/known/locked_gpus/as_published.hpp>
#include <takt/analysis/known/locked_gpus/options.hpp>
#include <takt/model/locked_gpus/published_costs.hpp>

namespace takt::program::sweep {

namespace {

namespace an = analysis::gpusync;
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
  std::int64_t
      spread;  ///< interleaved pages, in percent: observations 11 and 12, the lower end of what is said of load
};
constexpr mean_times idle_means{148'000, 152'000, 160'000, 200'000, 120};
constexpr mean_times loaded_means{740'000, 760'000, 160'000, 320'000, 140};

[[nodiscard]] auto mean_transfers(const mean_times& m, bool spread, bool far) -> transfer_curves<4> {
  const std::int64_t percent = spread ? m.spread : 100;
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

/// Most sets are small, and what they cost grows with the room for them.
constexpr std::size_t few_tasks = 64;

template <std::size_t Room, class Rules>
[[nodiscard]] auto accepted_with(const study_board& board, const an::options<ticks>& o, const study_tasks& tasks)
    -> bool {
  gpusync_table<ticks, Room, 1> placed;
  for (const auto& t : tasks.tasks) { (void)placed.add(t); }
  require(partition_gpusync<Rules>(board, placed, o).placed(), "a task set of this study cannot be placed");
  return an::analyze_set<Rules>(board, placed, o).schedulable();
}

template <class Rules>
[[nodiscard]] auto accepted_by(const study_board& board, const an::options<ticks>& o, const study_tasks& tasks)
    -> bool {
  return tasks.size() <= few_tasks ? accepted_with<few_tasks, Rules>(board, o, tasks)
                                   : accepted_with<most_study_tasks, Rules>(board, o, tasks);
}

}  // namespace

judgement::judgement(const settings& s)
    : sound_{s.choice("rules", std::array<std::string_view, 2>{"sound", "printed"}) == 0},
      interrupting_engines_{s.number<std::int32_t>("interrupting")},
      queues_{s.choice("queues", std::array<std::string_view, 3>{"cpus", "users", "all-cpus"})},
      uncontended_{s.choice("uncontended", std::array<std::string_view, 2>{"shared", "dedicated"}) == 0
                       ? uncontended_gpus::shared
                       : uncontended_gpus::dedicated},
      copy_percent_{s.number("copy-percent")} {}

auto judgement::parameters() -> std::vector<parameter> {
  return {
      {"rules", "sound", "of the analysis: sound or printed"},
      {"interrupting", "0", "engines of a GPU whose interrupts delay a section; 0: all, 1: only its own, unsound", 0,
       3},
      {"queues", "all-cpus", "limit of token queues: cpus or users per token, or all-cpus where clusters share GPUs"},
      {"uncontended", "dedicated", "GPUs of no more tasks than GPUs: dedicated to a task each, or shared"},
      {"copy-percent", "100", "of the copy times in the tables", 1, 1000}};
}

auto judgement::board(std::size_t configuration, std::size_t overheads) const -> study_board {
  study_board out;
  out.shape = studied_configurations[configuration].value;
  out.shape.uncontended = uncontended_;
  const bool worst = overheads < 2;
  const bool loaded = overheads % 2 == 0;
  // CPUs of both nodes share memory that alternates between these; GPUs of four and more are not all neighbours.
  const bool spread = out.shape.cpu_cluster_size > out.shape.cpus / out.shape.numa_nodes;
  const bool far = out.shape.gpu_cluster_size > 2;
  const auto memory = spread ? pc::memory_placement::interleaved : pc::memory_placement::local;
  out.costs = worst ? pc::transfers(loaded ? pc::bus_load::loaded : pc::bus_load::idle, memory,
                                    far ? pc::gpu_distance::far : pc::gpu_distance::near)
                    : mean_transfers(loaded ? loaded_means : idle_means, spread, far);
  for (auto& curve : out.costs.kinds) {
    curve = pc::detail::through(ceil_divide<ticks>(curve.time(pc::megabyte) * copy_percent_, 100));
  }
  out.overheads = scheduler_overheads(out.shape.cpu_cluster_size, worst);
  out.overheads.cache_loss = loaded ? pc::cache_loss(memory).time(working_set) : idle_cache_loss;
  out.overheads.top_half = worst ? worst_top_half : pc::top_half_mean;
  out.overheads.bottom_half = worst ? worst_bottom_half : pc::bottom_half_mean;
  return out;
}

auto judgement::accepts(const study_board& board, const study_tasks& tasks) const -> bool {
  an::options<ticks> o;
  o.interrupting_engines = interrupting_engines_;
  o.queues = static_cast<an::token_queue_limit>(queues_);
  return sound_ ? accepted_by<an::sound_rules>(board, o, tasks) : accepted_by<an::as_published::rules>(board, o, tasks);
}

void draw(std::size_t group, std::int64_t utilization, std::uint64_t seed, std::int64_t index, study_tasks& out) {
  constexpr std::int64_t most_levels = 100'001;
  constexpr std::int64_t most_indices = 20'000;
  const auto number = (static_cast<std::int64_t>(group) * most_levels + utilization) * most_indices + index;
  const auto options = generation::options_of(generation::studied_group_at(group), utilization);
  require(generation::generate(options, seed, static_cast<std::uint64_t>(number), out) == model_fault::none,
          "a task set cannot be drawn");
}

}  // namespace takt::program::sweep
