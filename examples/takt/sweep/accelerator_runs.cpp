// SPDX-License-Identifier: Apache-2.0
// Zahaf and Lipari 2020, simulated. Fig. 9: response times with and without the scheduler. Fig. 10: preemption at the
// end of a wave of blocks.
#include <algorithm>
#include <array>

#include <takt/analysis/known/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/known/whole_kernels/single_stream_fixed_priority.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/single_stream.hpp>
#include <takt/simulation/accelerator/response_log.hpp>
#include <takt/simulation/accelerator/simulate.hpp>

#include "accelerator_periods.hpp"

namespace takt::program::sweep {

namespace {

using simulation::planned_job;

constexpr std::size_t few_kernels = 4;
using few_table = accelerator_table<ticks, few_kernels>;

/// Adds a task whose kernel fills the accelerator for so many waves, below those that are there.
void add_kernel(few_table& to, std::int64_t waves, ticks wave, ticks period) {
  (void)to.add({.name = generation::generated_name(to.size()),
                .wcet = waves * wave,
                .period = period,
                .deadline = period,
                .preemption_cost = wave,
                .width = kernel_width::all_cores,
                .priority = static_cast<std::int32_t>(to.size())});
}

// Fig. 9.

constexpr auto cost = preemption_cost_model::race;

enum class scheduler : std::uint8_t { streams, queue, one_level, two_levels, three_levels };
constexpr std::array<compared<scheduler>, 5> schedulers{
    {{scheduler::streams, "streams", "without: a stream per task, waves in turn", 1},
     {scheduler::queue, "queue", "without: one stream, first come first served", 4},
     {scheduler::one_level, "takt_1", "takt, one stream", 5},
     {scheduler::two_levels, "takt_2", "takt, 2 levels", 0},
     {scheduler::three_levels, "takt_3", "takt, 3 levels", 2}}};

[[nodiscard]] constexpr auto levels_of(scheduler how) -> std::int32_t {
  return how == scheduler::three_levels ? 3 : how == scheduler::two_levels ? 2 : 1;
}

struct first_come_first_served {
  template <ExactNumber Number>
  [[nodiscard]] static constexpr auto point(const accelerator_task<Number>& /*t*/, const Number& release, Number& out)
      -> bool {
    out = release;
    return true;
  }
};

/// Sporadic jobs of full length: so many of the first task, and those of the others meanwhile.
class sporadic_jobs {
 public:
  sporadic_jobs(const few_table& table, std::int64_t jobs, std::int64_t delay_percent, std::uint64_t seed)
      : table_{&table}, delay_percent_{delay_percent}, seed_{seed}, until_{release(0, jobs)} {}

  [[nodiscard]] auto job(std::size_t task, std::int64_t number, planned_job<ticks>& out) const -> bool {
    const ticks at = release(task, number);
    if (at >= until_) { return false; }
    out = {at, table_->tasks[task].wcet};
    return true;
  }

 private:
  [[nodiscard]] auto release(std::size_t task, std::int64_t number) const -> ticks {
    const ticks period = table_->tasks[task].period;
    return generation::sporadic_release(seed_, task, number, period, period * delay_percent_ / 100);
  }

  const few_table* table_;
  std::int64_t delay_percent_;
  std::uint64_t seed_;
  ticks until_;
};

/// What the hardware does with a stream per task: the blocks of all kernels that are there in turn, a wave at a time.
/// Returns the responses of the first task.
[[nodiscard]] auto share_in_waves(const few_table& table, const sporadic_jobs& jobs) -> std::vector<ticks> {
  struct stream {
    std::int64_t number = 0;
    planned_job<ticks> job{};
    bool comes = false;
  };
  std::vector<stream> streams(table.size());
  for (std::size_t i = 0; i < streams.size(); ++i) { streams[i].comes = jobs.job(i, 0, streams[i].job); }
  std::vector<ticks> out;
  ticks now = 0;
  for (std::size_t i = 0, idle = 0;; i = (i + 1) % streams.size()) {
    stream& s = streams[i];
    if (idle == streams.size()) {
      const auto first =
          std::ranges::min_element(streams, {}, [](const stream& x) { return x.comes ? x.job.release : INT64_MAX; });
      if (!first->comes) { return out; }
      now = first->job.release;
      idle = 0;
    }
    if (!s.comes || s.job.release > now) {
      ++idle;
      continue;
    }
    idle = 0;
    const ticks wave = std::min(s.job.work, table.tasks[i].preemption_cost);
    now += wave;
    s.job.work -= wave;
    if (s.job.work > 0) { continue; }
    if (i == 0) { out.push_back(now - s.job.release); }
    s.comes = jobs.job(i, ++s.number, s.job);
  }
}

[[nodiscard]] auto responses(scheduler how, const few_table& table, const sporadic_jobs& jobs) -> std::vector<ticks> {
  if (how == scheduler::streams) { return share_in_waves(table, jobs); }
  const auto run = [&](const auto& policy, const auto& strategy) {
    simulation::response_log log{table.size()};
    const simulation::accelerator_options<ticks> options{.costs = cost};
    const auto seen = simulation::simulate_accelerator(policy, strategy, table, jobs, options, log);
    require(!seen.error, "a simulation failed");
    const auto found = log.responses(0);
    return std::vector<ticks>{found.begin(), found.end()};
  };
  if (how == scheduler::queue) { return run(first_come_first_served{}, single_stream<few_kernels>{}); }
  return run(highest_priority_first{}, level_stack<few_kernels>{levels_of(how)});
}

/// 0 where none is known: without a scheduler, or above the deadline.
[[nodiscard]] auto bound_of_first(scheduler how, const few_table& table) -> ticks {
  if (how == scheduler::streams || how == scheduler::queue) { return 0; }
  const auto order = analysis::rank_as_given<few_kernels>(table.size());
  const auto verdict = how == scheduler::one_level
                           ? analysis::single_stream_fixed_priority(table, order)
                           : analysis::level_stack_fixed_priority(table, order, levels_of(how), cost);
  return verdict.tasks[0].bound.exists ? verdict.tasks[0].bound.value : 0;
}

/// Tasks with one and the same kernel, which fills the accelerator, in the order of their priorities.
[[nodiscard]] auto equal_kernels(const generation::period_choices& periods, std::int64_t permille, std::int64_t waves)
    -> few_table {
  rational rate;
  for (const ticks p : periods) { rate += rational{1, p}; }
  const rational length = rational{permille, 1000 * waves} / rate;
  if (length.overflowed()) {
    throw input_error{"periods", "have no common multiple of a usable size", "periods such as \"20,30,50\""};
  }
  few_table out;
  for (const ticks p : periods) { add_kernel(out, waves, std::max<ticks>(1, length.floor()), p); }
  return out;
}

enum column : std::uint8_t { largest, percentile, spread, median, bound };

void fig9(const settings& s, experiment& e) {
  e.panels = {{"longest", {}}, {"99th percentile", {}}, {"spread: longest - shortest", {}}};
  for (const auto& x : schedulers) {
    e.add_series(x.cell);
    for (std::size_t p = 0; p < e.panels.size(); ++p) { e.draw_in(p, p, x.title, x.colour); }
  }
  const auto periods = period_list(s, "periods");
  if (periods.size() > few_kernels) {
    throw input_error{"periods", "are too many", fmt::format("at most {}", few_kernels)};
  }
  e.count = [periods, waves = s.number("waves"), delay = s.number("delay"), seed = s.seed()](
                const unit& u, std::span<std::int64_t> counts) {
    const few_table table = equal_kernels(periods, u.level, waves);
    const scheduler how = schedulers[u.series].what;
    std::vector<ticks> found = responses(how, table, {table, u.sets, delay, seed});
    std::ranges::sort(found);
    const auto per_own = [&table](ticks t) { return t * 1000 / table.tasks[0].wcet; };
    const auto at = [&](std::size_t percent) { return found[(found.size() * percent + 99) / 100 - 1]; };
    counts[largest] = per_own(found.back());
    counts[percentile] = per_own(at(99));
    counts[spread] = per_own(found.back() - found.front());
    counts[median] = per_own(at(50));
    counts[bound] = per_own(bound_of_first(how, table));
  };
}

// Fig. 10.

constexpr ticks wave_length = 8;

/// The responses of the high task of one wave and of the low one of so many, which is released one tick earlier.
[[nodiscard]] auto run_pair(std::int64_t waves, bool with_high, preemption_cost_model model)
    -> std::pair<ticks, ticks> {
  few_table table;
  for (const std::int64_t w : {std::int64_t{1}, waves}) {
    add_kernel(table, w, wave_length, (waves + 2) * wave_length * 2);
  }
  constexpr ticks until = 2;
  const std::array<ticks, 2> offsets{with_high ? 1 : until, 0};
  const simulation::periodic_releases<ticks, few_kernels> releases{table, until, offsets};
  const auto run = simulation::simulate_accelerator(highest_priority_first{}, level_stack<few_kernels>{2}, table,
                                                    releases, {.costs = model});
  return {run.tasks[0].worst_response, run.tasks[1].worst_response};
}

void fig10(const settings& /*s*/, experiment& e) {
  static constexpr std::array<std::pair<preemption_cost_model, std::string_view>, 3> models{
      {{preemption_cost_model::ideal, "ideal"},
       {preemption_cost_model::race, "race"},
       {preemption_cost_model::overhead, "overhead"}}};
  for (const auto& [model, cell] : models) {
    e.add_panel(fmt::format("cost of a preemption: {}", cell));
    e.add_series(cell);
    e.draw(0, "low task alone", 0);
    e.draw(1, "low task, high one started after it", 1);
    e.draw(2, "high task (one wave)", 2);
  }
  e.count = [](const unit& u, std::span<std::int64_t> counts) {
    const auto model = models[u.series].first;
    const auto [high, low] = run_pair(u.level / 1000, true, model);
    counts[0] = 1000 * run_pair(u.level / 1000, false, model).second;
    counts[1] = 1000 * low;
    counts[2] = 1000 * high;
  };
}

}  // namespace

auto accelerator_run_studies() -> std::vector<study> {
  return {
      {"accelerator-fig9",
       "response of the most important task with and without the scheduler, simulated",
       {"Accelerator platform (Zahaf and Lipari 2020), Fig. 9: response of the most important of three tasks",
        "utilization",
        "utilization of the accelerator",
        "response / time alone",
        {"scheduler"},
        {"max", "percentile_99", "spread", "median", "bound"},
        measure::thousandths},
       {{"seed", "1", "of all releases"},
        {"sets", "2000", "jobs of the most important task", 1, most_sets},
        {"levels", "0.1..0.9/0.1", "utilization of the accelerator", 1, 1000},
        {"periods", "20,30,50", "of the tasks, the most important one first; not printed in the paper", 1, most_period},
        {"waves", "16", "of blocks in a kernel; not printed in the paper", 1, 1000},
        {"delay", "10", "percent of a period by which a release may come late", 0, 100}},
       fig9},
      {"accelerator-fig10",
       "preemption at the end of a wave: the low task alone and with the high one, simulated",
       {"Accelerator platform (Zahaf and Lipari 2020), Fig. 10: preemption at the end of a wave of blocks",
        "waves",
        "waves of the low task (64 blocks each)",
        fmt::format("response (a wave takes {})", wave_length),
        {"cost"},
        {"low_alone", "low_with_high", "high"},
        measure::thousandths},
       {{"levels", "1..8/1", "waves of the low task", 1000, INT64_MAX, 1000}},
       fig10},
  };
}

}  // namespace takt::program::sweep
