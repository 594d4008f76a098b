// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/engine.hpp>
#include <takt/host/kept_processors.hpp>
#include <takt/host/stalled_clock.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/model/located.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>

namespace takt::inline TAKT_ABI {

namespace simulation {

/// Chooses releases and lengths as options ask for them. Adversarial ones come together at first, as late as jitter
/// allows. Or they come one by one, the longest deadline first, so that others have started when the urgent ones come.
/// Then they come as densely as they may. A strict task comes at its offset and then exactly a period apart, whatever
/// is asked for; the others come at their offsets at the earliest.
class optional_choices {
 public:
  /// Pre: both outlive it.
  constexpr optional_choices(const simulation_options& o, std::span<const flow_record> tasks)
      : options_{&o}, tasks_{tasks}, clock_{o.stalls}, random_{o.seed} {
    for (const flow_record& t : tasks) { latest_ = latest_ < t.jitter ? t.jitter : latest_; }
    if (is_adversarial(o.releases) && random_.chance(1, 2)) { apart_ = random_.between(1, 3); }
  }

  constexpr auto gap(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    if (tasks_[task].strict) { return job > 0 ? period : tasks_[task].offset; }
    switch (options_->releases) {
      case release_pattern::periodic: return job > 0 ? period : offset_of(task);
      case release_pattern::sporadic:
        if (job == 0) { return tasks_[task].offset + random_.below(period); }
        return period + (random_.chance(1, 2) ? random_.below(period) : 0);
      case release_pattern::adversarial:
        if (job > 0) { return period; }
        return tasks_[task].offset + latest_ - tasks_[task].jitter +
               (apart_ > 0 ? apart_ * later_than(task) : random_.below(period / 8 + 1));
    }
    return period;
  }
  constexpr auto delay(std::uint32_t task, std::uint64_t job, ticks /*period*/) -> ticks {
    const ticks jitter = tasks_[task].jitter;
    if (jitter == 0) { return 0; }
    switch (options_->releases) {
      case release_pattern::periodic: return 0;
      case release_pattern::sporadic: return random_.below(jitter + 1);
      case release_pattern::adversarial: return job % 2 == 0 ? jitter : 0;
    }
    return 0;
  }
  constexpr auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks {
    switch (options_->execution) {
      case execution_times::lower: return v.lower;
      case execution_times::upper: return v.upper;
      case execution_times::random: break;
    }
    if (random_.chance(1, 3)) { return v.lower; }
    return random_.chance(1, 2) ? v.upper : random_.between(v.lower, v.upper);
  }
  [[nodiscard]] constexpr auto worked(ticks clock) const -> ticks { return clock_.worked(clock); }
  [[nodiscard]] constexpr auto clock_at(ticks worked) const -> ticks { return clock_.at(worked); }
  [[nodiscard]] constexpr auto clock() const noexcept -> const host::stalled_clock& { return clock_; }
  [[nodiscard]] constexpr auto drops(std::uint32_t task, ticks nominal, ticks now) const -> bool {
    const flow_record& t = tasks_[task];
    const ticks after = nominal + t.period;
    const bool is_older = after + t.jitter < now && after <= options_->horizon.count();
    return drops_release(options_->on_late, nominal + t.jitter < now, is_older);
  }
  [[nodiscard]] constexpr auto minds_misses() const noexcept -> bool { return options_->stop_at_first_miss; }
  [[nodiscard]] static constexpr auto missed(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*deadline*/) noexcept
      -> bool {
    return true;
  }

 private:
  [[nodiscard]] constexpr auto offset_of(std::uint32_t task) const -> ticks {
    return task < options_->offsets.size() ? options_->offsets[task].count() : tasks_[task].offset;
  }

  /// Tasks with longer deadlines, and those before of the same.
  [[nodiscard]] constexpr auto later_than(std::uint32_t task) const -> ticks {
    ticks out = 0;
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      const ticks other = tasks_[i].deadline;
      const ticks own = tasks_[task].deadline;
      out += own < other || (own == other && i < task) ? 1 : 0;
    }
    return out;
  }

  const simulation_options* options_;
  std::span<const flow_record> tasks_;
  host::stalled_clock clock_;
  random_stream random_;
  ticks latest_ = 0;
  ticks apart_ = 0;  ///< between first releases one after the other; 0: together
};

/// Returns what keeps a board from being simulated under a plan.
template <class P, class Flat, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto composed_fault(const P& board, const Flat& flat, const plan<N, V>& p,
                                            const simulation_options& options) -> model_error {
  model_error error = flat.error;
  if (!error) { error = options_fault(options, flat.table.size(), {.stop_at_first_miss = true, .stalls = true}); }
  if (!error) { error = takt::detail::composed_plan_fault(board, flat.table, p); }
  if (!error) { error = located(host::thread_fault(flat.table, flat.stations), flat.table.tasks); }
  return error;
}

}  // namespace simulation

/// Lets tasks run in virtual time on a board that is composed of the rules of its pools, under a plan. Where the
/// plan has offsets, visits wait for them, unless rules let visits start early; it has the requests of sections.
/// `sink` hears which position in the flat table held which unit of its station, and when: in worked time, if the
/// process is stopped now and then. Error: in the platform, the set, the plan or the options. Cost: see
/// `host::engine`.
template <class P, class T, std::size_t N, std::size_t W>
  requires detail::LaidOutOnPools<P, T, W>
[[nodiscard]] constexpr auto simulate(
    const P& board, const T& tasks, const plan<N, W>& p, const simulation_options& options = {},
    const slice_sink& sink = {}, detail::refusal&& /*refused*/ = detail::refusal{detail::check_board<P, T>::passed})
    -> simulation_result<tasks_of<T>, visits_of<T>> {
  plan<tasks_of<T>, visits_of<T>> own;
  detail::copy_decisions(p, own);
  const auto flat = flatten(board, tasks, own);
  simulation_result<tasks_of<T>, visits_of<T>> out;
  out.error = simulation::composed_fault(board, flat, own, options);
  if (out.error) { return out; }
  simulation::optional_choices choices{options, {flat.table.tasks.data(), flat.table.size()}};
  using engine = host::engine<std::remove_cvref_t<decltype(flat.stations)>, tasks_of<T>, visits_of<T>,
                              simulation::optional_choices>;
  const std::span<const ticks> offsets{own.offsets.data(), own.offsets.size()};
  const std::span<const ticks> local_deadlines{own.local_deadlines.data(), own.local_deadlines.size()};
  if constexpr (requires { requires P::has_large_servers; }) {
    const auto apart = std::make_unique<engine>(flat.table, flat.stations, choices, offsets, local_deadlines);
    return apart->run(options.horizon.count(), sink);
  } else {
    engine here{flat.table, flat.stations, choices, offsets, local_deadlines};
    return here.run(options.horizon.count(), sink);
  }
}

/// Simulates tasks on a board without a plan.
template <class P, class T>
  requires ComposedBoard<P, T>
[[nodiscard]] constexpr auto simulate(const P& board, const T& tasks, const simulation_options& options = {},
                                      detail::refusal&& /*refused*/ = detail::refusal{
                                          detail::check_board<P, T>::passed}) {
  return simulate(board, tasks, plan<1>{}, options);
}

}  // namespace takt::inline TAKT_ABI
