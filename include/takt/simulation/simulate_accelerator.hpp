// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/located.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator/strategy_of.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/simulation/lengths.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/whole_kernels/releases.hpp>
#include <takt/simulation/whole_kernels/simulate.hpp>

namespace takt {

namespace simulation::detail {

/// The cores that tasks are pinned to, numbered without gaps, so that a strategy needs no room for the others.
template <std::size_t MaxTasks>
class used_cores {
 public:
  constexpr explicit used_cores(accelerator_table<ticks, MaxTasks>& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      auto& t = table.tasks[i];
      if (!needs_all_cores(t.width) && t.core != any_core) { t.core = number_of(t.core); }
    }
  }

  [[nodiscard]] constexpr auto count() const noexcept -> std::int32_t {
    return cores_.empty() ? 1 : static_cast<std::int32_t>(cores_.size());
  }
  [[nodiscard]] constexpr auto core(std::int32_t number) const noexcept -> std::int32_t {
    return cores_[static_cast<std::size_t>(number)];
  }

 private:
  constexpr auto number_of(std::int32_t core) -> std::int32_t {
    std::int32_t n = 0;
    for (const std::int32_t known : cores_) {
      if (known == core) { return n; }
      ++n;
    }
    static_cast<void>(cores_.push_back(core));
    return n;
  }

  inline_vector<std::int32_t, MaxTasks> cores_;
};

/// Tells a recorder of the accelerator's own cores.
template <TraceRecorder Recorder, std::size_t MaxTasks>
class core_translator {
 public:
  constexpr core_translator(Recorder& recorder, const used_cores<MaxTasks>& used, std::int32_t all, bool whole) noexcept
      : recorder_{&recorder}, used_{&used}, all_{all}, whole_{whole} {}

  constexpr void record(const slice& s) const {
    slice told = s;
    const bool on_all = whole_ || told.where.count > 1;
    told.where.index = on_all ? 0 : used_->core(s.where.index);
    told.where.count = on_all ? all_ : 1;
    recorder_->record(told);
  }
  constexpr void record(const mark& m) const { recorder_->record(m); }

 private:
  Recorder* recorder_;
  const used_cores<MaxTasks>* used_;
  std::int32_t all_;
  bool whole_;
};

/// Whether jobs are periodic and of full length.
[[nodiscard]] constexpr auto are_plain(const simulation_options& o) noexcept -> bool {
  return is_periodic(o.releases) && is_full(o.execution);
}

/// Releases that are not plain. Of a kernel's shortest time nothing is known: it counts as one
/// tick.
template <std::size_t MaxTasks>
[[nodiscard]] inline auto irregular_releases(const accelerator_table<ticks, MaxTasks>& table,
                                             const simulation_options& options) -> listed_releases<ticks> {
  lengths work{options.execution, ~options.seed};
  listed_releases<ticks> out(table.size());
  const auto add = [&](std::size_t i, ticks release) { out.add(i, {release, work.draw({1, table.tasks[i].wcet})}); };
  if (is_adversarial(options.releases)) {
    const auto hostile = hostile_releases(table, options.horizon.count(), options.seed);
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (const auto& j : hostile.of(i)) { add(i, j.release); }
    }
    return out;
  }
  const auto times = release_times(table.tasks, options);
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (const ticks release : times[i]) { add(i, release); }
  }
  return out;
}

template <AcceleratorRule Rule>
[[nodiscard]] constexpr auto costs_of(const Rule& rule) -> accelerator_options<ticks> {
  accelerator_options<ticks> out;
  out.costs = preemption_cost_model::ideal;
  if constexpr (ChoosesCosts<Rule>) { out.costs = rule.cost; }
  if constexpr (ReservesSlots<Rule>) {
    out.pinned_slot = rule.pinned;
    out.gang_slot = rule.gang;
    out.guard_band = true;
  }
  return out;
}

template <KernelOrder Order, class Strategy, class Table, class Recorder>
constexpr auto simulate_kernels(const Strategy& strategy, const Table& table, const simulation_options& options,
                                const accelerator_options<ticks>& costs, Recorder& recorder)
    -> simulation_result<Table::max_tasks> {
  using policy = std::conditional_t<EarliestDeadlineFirst<Order>, earliest_deadline_first, highest_priority_first>;
  if (!are_plain(options)) {
    return simulate_accelerator(policy{}, strategy, table, irregular_releases(table, options), costs, recorder);
  }
  std::array<ticks, Table::max_tasks> offsets{};
  for (std::size_t i = 0; i < table.size() && i < options.offsets.size(); ++i) {
    offsets[i] = options.offsets[i].count();
  }
  const periodic_releases<ticks, Table::max_tasks> releases(table, options.horizon.count(),
                                                            std::span<const ticks>(offsets));
  return simulate_accelerator(policy{}, strategy, table, releases, costs, recorder);
}

}  // namespace simulation::detail

/// Lets kernels run on an accelerator in virtual time under a plan and the rule of its pool, and tells `recorder` what
/// happens. Jobs that are released before the horizon run to their ends, late or not, unless the first miss ends the
/// run. Jobs take their kernel's `wcet` or less, from one tick on. A kernel in a slot or under `gang` stops at the end
/// of a wave. The same arguments give the same result everywhere.
///
/// Error: `invalid_model`, with the fault in `error`. Cost: per release, completion, wave and slot edge linear in tasks
/// and cores; what is neither periodic nor of full length is kept on the heap.
template <HasAccelerator P, TaskSet T, std::size_t N, TraceRecorder Recorder>
constexpr auto simulate(const P& platform, const T& tasks, const plan<N>& p, const simulation_options& options,
                        Recorder& recorder,
                        detail::refusal&& /*refused*/ = detail::refusal{detail::check_accelerator<P, T>::passed}) {
  if constexpr (AcceleratorPlatform<P> && AcceleratorTaskSet<T>) {
    using rule = typename P::accelerator_rule;
    using order = kernel_order<rule>;
    auto table = tasks.template table<ticks>();
    constexpr std::size_t max_tasks = decltype(table)::max_tasks;
    constexpr simulation::option_parts used{.stop_at_first_miss = true};
    simulation_result<max_tasks> out;
    const accelerator_record& accelerator = platform.accelerator();
    out.error = platform.validate();
    if (!out.error) { out.error = plan_fault(platform.strategy(), table, p); }
    if (out.error) { return out; }
    table = planned_kernels(table, p);
    out.error = located(fits_accelerator<rule>(table, accelerator), table.tasks);
    if (!out.error) { out.error = simulation::options_fault(options, table.size(), used); }
    if (!out.error && !simulation::detail::are_plain(options) && !simulation::jobs_fit(table.tasks, options.horizon)) {
      out.error = {.fault = model_fault::too_many_jobs};
    }
    if (out.error) { return out; }
    rank_kernels<order>(table);
    const simulation::detail::used_cores<max_tasks> cores(table);
    const auto strategy = strategy_of<max_tasks, max_tasks>(
        platform.strategy(), {.cores = cores.count(), .preemption_levels = accelerator.preemption_levels});
    auto costs = simulation::detail::costs_of(platform.strategy());
    costs.stop_at_first_miss = options.stop_at_first_miss;
    costs.has_limit = true;
    for (std::size_t i = 0; i < table.size(); ++i) {
      costs.limit = costs.limit < table.tasks[i].deadline ? table.tasks[i].deadline : costs.limit;
    }
    costs.limit += options.horizon.count();
    if constexpr (std::same_as<Recorder, no_trace>) {
      return simulation::detail::simulate_kernels<order>(strategy, table, options, costs, recorder);
    } else {
      simulation::detail::core_translator translated(recorder, cores, accelerator.cores, !TellsCoresApart<rule>);
      return simulation::detail::simulate_kernels<order>(strategy, table, options, costs, translated);
    }
  }
}

template <HasAccelerator P, TaskSet T, std::size_t N>
[[nodiscard]] constexpr auto simulate(const P& platform, const T& tasks, const plan<N>& p,
                                      const simulation_options& options = {},
                                      detail::refusal&& /*refused*/ = detail::refusal{
                                          detail::check_accelerator<P, T>::passed}) {
  no_trace unheard;
  return simulate(platform, tasks, p, options, unheard);
}

/// The same for kernels on the cores that they name.
template <HasAccelerator P, TaskSet T, TraceRecorder Recorder>
constexpr auto simulate(const P& platform, const T& tasks, const simulation_options& options, Recorder& recorder,
                        detail::refusal&& /*refused*/ = detail::refusal{detail::check_accelerator<P, T>::passed}) {
  return simulate(platform, tasks, plan<1>{}, options, recorder);
}

template <HasAccelerator P, TaskSet T>
[[nodiscard]] constexpr auto simulate(const P& platform, const T& tasks, const simulation_options& options = {},
                                      detail::refusal&& /*refused*/ = detail::refusal{
                                          detail::check_accelerator<P, T>::passed}) {
  no_trace unheard;
  return simulate(platform, tasks, plan<1>{}, options, unheard);
}

}  // namespace takt
