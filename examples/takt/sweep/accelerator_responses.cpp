// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/known/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/known/whole_kernels/single_stream_fixed_priority.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/single_stream.hpp>
#include <takt/simulation/accelerator/response_log.hpp>
#include <takt/simulation/accelerator/simulate.hpp>

#include "../failure.hpp"
#include "accelerator_sets.hpp"
#include "accelerator_studies.hpp"

namespace takt::program::sweep {

namespace {

using simulation::planned_job;

constexpr std::size_t few_kernels = 4;
using few_table = accelerator_table<ticks, few_kernels>;
constexpr auto cost = preemption_cost_model::race;

enum class scheduler : std::uint8_t { streams, queue, one_level, two_levels, three_levels };

struct scheduled {
  scheduler how;
  std::string_view cell;
  std::string_view title;
  int colour;
};
constexpr std::array schedulers{
    scheduled{scheduler::streams, "streams", "without: a stream per task, waves in turn", 1},
    scheduled{scheduler::queue, "queue", "without: one stream, first come first served", 4},
    scheduled{scheduler::one_level, "takt_1", "takt, one stream", 5},
    scheduled{scheduler::two_levels, "takt_2", "takt, 2 levels", 0},
    scheduled{scheduler::three_levels, "takt_3", "takt, 3 levels", 2},
};

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

template <class Policy, class Strategy>
[[nodiscard]] auto scheduled_responses(const Policy& policy, const Strategy& strategy, const few_table& table,
                                       const sporadic_jobs& jobs) -> std::vector<ticks> {
  simulation::response_log log{table.size()};
  const simulation::accelerator_options<ticks> options{.costs = cost};
  const auto run = simulation::simulate_accelerator(policy, strategy, table, jobs, options, log);
  if (run.error) { throw environment_error{"a simulation failed: this is a fault of takt, please report it"}; }
  const auto found = log.responses(0);
  return {found.begin(), found.end()};
}

[[nodiscard]] auto responses(scheduler how, const few_table& table, const sporadic_jobs& jobs) -> std::vector<ticks> {
  switch (how) {
    case scheduler::streams: return share_in_waves(table, jobs);
    case scheduler::queue:
      return scheduled_responses(first_come_first_served{}, single_stream<few_kernels>{}, table, jobs);
    default: break;
  }
  return scheduled_responses(highest_priority_first{}, level_stack<few_kernels>{levels_of(how)}, table, jobs);
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
  const ticks wave = std::max<ticks>(1, length.floor());
  few_table out;
  for (const ticks p : periods) {
    (void)out.add({.name = generation::generated_name(out.size()),
                   .wcet = wave * waves,
                   .period = p,
                   .deadline = p,
                   .preemption_cost = wave,
                   .width = kernel_width::all_cores,
                   .priority = static_cast<std::int32_t>(out.size())});
  }
  return out;
}

enum column : std::uint8_t { largest, percentile, spread, median, bound };

[[nodiscard]] auto fig9(const settings& s) -> experiment {
  experiment e;
  e.title = "Accelerator platform (Zahaf and Lipari 2020), Fig. 9: response of the most important of three tasks";
  e.level_title = "utilization of the accelerator";
  e.level_name = "utilization";
  e.share_title = "response / time alone";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  e.sets = e.sets_per_unit = s.number("sets", 1, 1'000'000);
  e.keys = {"scheduler"};
  e.columns = {"max", "percentile_99", "spread", "median", "bound"};
  e.panels = {{"longest", {}}, {"99th percentile", {}}, {"spread: longest - shortest", {}}};
  for (const scheduled& x : schedulers) {
    for (std::size_t p = 0; p < e.panels.size(); ++p) {
      e.panels[p].curves.push_back(
          {.series = e.all_series.size(), .column = p, .title = std::string{x.title}, .colour = x.colour});
    }
    e.all_series.push_back({{std::string{x.cell}}});
  }
  const auto periods = period_list(s, "periods");
  if (periods.size() > few_kernels) {
    throw input_error{"periods", "are too many", fmt::format("at most {}", few_kernels)};
  }
  if (e.levels.back() > 1000) { throw input_error{"levels", "a utilization is out of range", "at most 1"}; }
  const auto waves = s.number("waves", 1, 1000);
  const auto delay = s.number("delay", 0, 100);
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  e.make_counter = [periods, waves, delay, seed] {
    return [periods, waves, delay, seed](const unit& u, std::span<std::int64_t> counts) {
      const few_table table = equal_kernels(periods, u.level, waves);
      const sporadic_jobs jobs{table, u.sets, delay, seed};
      const scheduler how = schedulers[u.series].how;
      std::vector<ticks> found = responses(how, table, jobs);
      std::ranges::sort(found);
      const auto per_own = [&table](ticks t) { return t * 1000 / table.tasks[0].wcet; };
      const auto at = [&](std::size_t percent) { return found[(found.size() * percent + 99) / 100 - 1]; };
      counts[largest] = per_own(found.back());
      counts[percentile] = per_own(at(99));
      counts[spread] = per_own(found.back() - found.front());
      counts[median] = per_own(at(50));
      counts[bound] = per_own(bound_of_first(how, table));
    };
  };
  return e;
}

}  // namespace

auto accelerator_response_studies() -> std::vector<study> {
  return {
      {"accelerator-fig9",
       "response of the most important task with and without the scheduler, simulated",
       {{"seed", "1", "of all releases"},
        {"sets", "2000", "jobs of the most important task"},
        {"levels", "0.1..0.9/0.1", "utilization of the accelerator"},
        {"periods", "20,30,50", "of the tasks, the most important one first; not printed in the paper"},
        {"waves", "16", "of blocks in a kernel; not printed in the paper"},
        {"delay", "10", "percent of a period by which a release may come late"}},
       fig9},
  };
}

}  // namespace takt::program::sweep
