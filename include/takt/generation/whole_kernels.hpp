// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/generation/generated_name.hpp>
#include <takt/generation/uunifast.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Utilisations are whole multiples of this part of 1.
inline constexpr ticks utilization_parts = 1000;

inline constexpr std::size_t max_period_choices = 32;
using period_choices = inline_vector<ticks, max_period_choices>;

/// Is the experiment of Zahaf and Lipari 2020, section 7.1. The paper gives neither numbers of tasks nor periods.
struct accelerator_set_options {
  std::int32_t cores = 2;
  std::int32_t tasks_per_core = 3;
  std::int32_t gang_tasks = 3;
  std::int32_t core_utilization_permille = 200;  ///< of the tasks pinned to one core together, the same for each
  std::int32_t gang_utilization_permille = 200;  ///< of the gang tasks together
  period_choices periods;                        ///< multiples of `utilization_parts`, so that C = uT is whole
  std::int32_t least_deadline_percent = 75;      ///< of the period; 100: deadline = period
  std::int32_t wave_percent = 0;                 ///< of C; 0: preemptable anywhere
};

[[nodiscard]] constexpr auto validate(const accelerator_set_options& o) noexcept -> model_fault {
  const auto group = [](std::int32_t tasks, std::int32_t permille) {
    return tasks >= 0 && tasks <= 64 && (tasks == 0 || (permille >= tasks && permille <= utilization_parts));
  };
  bool good = o.cores > 0 && o.cores <= 64 && group(o.tasks_per_core, o.core_utilization_permille) &&
              group(o.gang_tasks, o.gang_utilization_permille) && o.tasks_per_core + o.gang_tasks > 0 &&
              !o.periods.empty() && o.least_deadline_percent > 0 && o.least_deadline_percent <= 100 &&
              o.wave_percent >= 0 && o.wave_percent <= 100;
  for (const ticks period : o.periods) {
    good = good && period > 0 && period <= 1'000'000'000'000 && period % utilization_parts == 0;
  }
  return good ? model_fault::none : model_fault::options_out_of_range;
}

namespace detail {

[[nodiscard]] constexpr auto stream_of(std::uint64_t seed, std::uint64_t index) noexcept -> random_stream {
  return random_stream{random_stream{seed}.next() ^ random_stream{~index}.next()};
}

/// Adds the tasks of one group. False when the table is full, or there are no more names.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto add_group(const accelerator_set_options& o, std::int32_t tasks, std::int32_t permille,
                                       std::int32_t core, random_stream& random,
                                       task_rows<accelerator_task<ticks>, MaxTasks>& out) -> bool {
  inline_vector<ticks, 64> shares;
  if (!uunifast(random, permille, static_cast<std::size_t>(tasks), shares)) { return tasks == 0; }
  for (const ticks share : shares) {
    if (out.size() == max_generated_tasks) { return false; }
    accelerator_task<ticks> t{.name = generated_name(out.size())};
    t.period = o.periods[static_cast<std::size_t>(random.below(static_cast<ticks>(o.periods.size())))];
    t.wcet = t.period / utilization_parts * share;
    t.deadline = random.between((t.period * o.least_deadline_percent + 99) / 100, t.period);
    t.preemption_cost = (t.wcet * o.wave_percent + 99) / 100;
    t.width = core == unassigned_core ? kernel_width::all_cores : kernel_width::one_core;
    t.core = core;
    if (!out.add(t)) { return false; }
  }
  return true;
}

}  // namespace detail

/// Draws set number `index` of a seed: each can be drawn by itself. Core by core, then the gang tasks: utilisations by
/// `uunifast`, periods evenly from the list, deadlines uniform. Without priorities, hence with deadline monotonic ones.
/// Equal arguments give the same set everywhere.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto generate(const accelerator_set_options& o, std::uint64_t seed, std::uint64_t index,
                                      task_rows<accelerator_task<ticks>, MaxTasks>& out) -> model_fault {
  out = {};
  if (const auto fault = validate(o); fault != model_fault::none) { return fault; }
  random_stream random = detail::stream_of(seed, index);
  bool fits = true;
  for (std::int32_t core = 0; core < o.cores && fits; ++core) {
    fits = detail::add_group(o, o.tasks_per_core, o.core_utilization_permille, core, random, out);
  }
  fits = fits && detail::add_group(o, o.gang_tasks, o.gang_utilization_permille, unassigned_core, random, out);
  return fits ? model_fault::none : model_fault::set_does_not_fit;
}

/// Returns the slot period that goes with a set, evenly from a list. It leaves the tasks as they are. Pre: not empty.
[[nodiscard]] constexpr auto draw_slot_period(const period_choices& from, std::uint64_t seed, std::uint64_t index)
    -> ticks {
  TAKT_EXPECTS(!from.empty());
  constexpr std::uint64_t apart = 0x510F;
  random_stream random = detail::stream_of(seed ^ apart, index);
  return from[static_cast<std::size_t>(random.below(static_cast<ticks>(from.size())))];
}

/// Returns when job `number` of a sporadic task is released: at least `period` and at most `period + 2 delay` after the
/// one before, at first within `delay`. Each can be asked for by itself. Pre: 0 <= delay, (number + 1) (period + delay)
/// fits.
[[nodiscard]] constexpr auto sporadic_release(std::uint64_t seed, std::uint64_t task, std::int64_t number, ticks period,
                                              ticks delay) noexcept -> ticks {
  TAKT_EXPECTS(0 <= number && 0 <= period && 0 <= delay && delay <= std::numeric_limits<ticks>::max() - period);
  TAKT_EXPECTS(number < std::numeric_limits<ticks>::max() / (period + delay < 1 ? 1 : period + delay));
  random_stream random = detail::stream_of(seed ^ random_stream{task}.next(), static_cast<std::uint64_t>(number));
  return number * (period + delay) + random.between(0, delay);
}

/// Makes jobs of full length of tasks that are all sporadic. Their releases are up to so many percent of a period apart
/// from periodic ones. There are so many jobs of the first task, and those of the others meanwhile.
template <std::size_t MaxTasks>
class sporadic_jobs {
 public:
  /// The table outlives the jobs. Pre: not empty, (jobs + 1) times twice a period fits.
  constexpr sporadic_jobs(const task_rows<accelerator_task<ticks>, MaxTasks>& table, std::int64_t jobs,
                          std::int64_t delay_percent, std::uint64_t seed)
      : table_{&table}, delay_percent_{delay_percent}, seed_{seed}, until_{release(0, jobs)} {
    TAKT_EXPECTS(!table.tasks.empty() && 0 <= jobs && 0 <= delay_percent);
  }

  /// Sets the release and the work of a job; false when there are no more.
  template <class Job>
  [[nodiscard]] constexpr auto job(std::size_t task, std::int64_t number, Job& out) const -> bool {
    const ticks at = release(task, number);
    if (at >= until_) { return false; }
    out = {at, table_->tasks[task].wcet};
    return true;
  }

 private:
  [[nodiscard]] constexpr auto release(std::size_t task, std::int64_t number) const -> ticks {
    const ticks period = table_->tasks[task].period;
    return sporadic_release(seed_, task, number, period, period * delay_percent_ / 100);
  }

  const task_rows<accelerator_task<ticks>, MaxTasks>* table_;
  std::int64_t delay_percent_;
  std::uint64_t seed_;
  ticks until_;
};

/// Adds a task whose kernel fills the accelerator for so many waves of blocks, below those that are there. False when
/// full.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto add_waves(task_rows<accelerator_task<ticks>, MaxTasks>& to, std::int64_t waves, ticks wave,
                                       ticks period) -> bool {
  return to.size() < max_generated_tasks && to.add({.name = generated_name(to.size()),
                                                    .wcet = waves * wave,
                                                    .period = period,
                                                    .deadline = period,
                                                    .preemption_cost = wave,
                                                    .width = kernel_width::all_cores,
                                                    .priority = static_cast<std::int32_t>(to.size())});
}

/// Makes tasks with one and the same kernel of so many waves, in the order of their priorities. Together they have
/// about this utilization. This is the experiment of Zahaf and Lipari 2020, Fig. 9, where neither is printed. Pre:
/// waves, periods > 0.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto equal_kernels(const period_choices& periods, std::int64_t permille, std::int64_t waves,
                                           task_rows<accelerator_task<ticks>, MaxTasks>& out) -> model_fault {
  TAKT_EXPECTS(0 < waves);
  out = {};
  rational rate;
  for (const ticks p : periods) {
    TAKT_EXPECTS(0 < p);
    rate += rational{1, p};
  }
  const rational length = rational{permille, 1000 * waves} / rate;
  if (length.overflowed()) { return model_fault::options_out_of_range; }
  const ticks wave = length.floor() < 1 ? 1 : length.floor();
  for (const ticks p : periods) {
    if (!add_waves(out, waves, wave, p)) { return model_fault::set_does_not_fit; }
  }
  return model_fault::none;
}

}  // namespace takt::inline TAKT_ABI::generation
