// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/shares/releases.hpp>
#include <takt/simulation/shares/result.hpp>
#include <takt/simulation/shares/simulate.hpp>

namespace takt {

namespace simulation::detail {

/// Applications that ask for what a plan gives them. Error: a part that is not used, or a share below 1 or above 101.
template <std::size_t MaxTasks, std::size_t N>
[[nodiscard]] constexpr auto request_planned(application_set<MaxTasks>& table, const plan<N>& p) -> model_error {
  if (const auto error = parts_fault(p, {.percents = true}, table.size())) { return error; }
  for (std::size_t i = 0; i < p.percents.size(); ++i) {
    if (p.percents[i] < 1 || p.percents[i] > no_share_suffices) { return fault_at(model_fault::plan_does_not_fit, i); }
    table.tasks[i].request = share::bounded(p.percents[i]);
  }
  return {};
}

template <std::size_t MaxTasks>
[[nodiscard]] auto share_releases_of(const application_set<MaxTasks>& table, const simulation_options& o)
    -> listed_share_releases {
  if (is_adversarial(o.releases)) { return hostile_share_releases(table, o.horizon.count(), o.seed); }
  listed_share_releases out{table.size()};
  const auto times = release_times(table.tasks, o);
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const ticks release : times[i]) { out.add(i, release); }
  }
  return out;
}

}  // namespace simulation::detail

/// Lets applications run on a GPU that is granted by shares in virtual time, under the rule of its pool, and tells
/// `recorder` what happens, as `simulation::simulate_shares` does. A job that misses its deadline is dropped there, or
/// ends the run. Jobs take their row's time or a part of it, from one tick on. A greater share takes effect as late as
/// the rule's `actuation` allows. The run ends at the horizon. The same arguments give the same result everywhere.
///
/// No rule grants lasting shares: each sizes what jobs hold by what they still need. The percents of a plan are what
/// the applications ask for (`share_request`): rules that predict under the load of the moment assume that much of a
/// job that holds nothing, and rules that count on the worst load assume nothing of it. Error: `invalid_model`, with
/// the fault in `error`. Cost: that of `simulation::simulate_shares`; all releases are kept on the heap.
template <HasGpuShares P, TaskSet T, std::size_t N, TraceRecorder Recorder>
  requires(!ComposedBoard<P, T>)
auto simulate(const P& platform, const T& tasks, const plan<N>& p, const simulation_options& options,
              Recorder& recorder, detail::refusal&& /*refused*/ = detail::refusal{detail::check_shares<P, T>::passed}) {
  if constexpr (SharePlatform<P> && ShareTaskSet<T>) {
    auto table = tasks.template table<ticks>();
    constexpr std::size_t max_tasks = decltype(table)::max_tasks;
    constexpr simulation::option_parts used{.stop_at_first_miss = true};
    share_observation<max_tasks> out;
    out.error = platform.validate();
    if (!out.error) { out.error = validate(table); }
    if (!out.error) { out.error = fits(table, share_pool_of(platform).resource); }
    if (!out.error) { out.error = simulation::detail::request_planned(table, p); }
    if (!out.error) { out.error = simulation::options_fault(options, table.size(), used); }
    if (!out.error && !simulation::jobs_fit(table.tasks, options.horizon)) {
      out.error = {.fault = model_fault::too_many_jobs};
    }
    if (out.error) { return out; }
    const auto& rule = share_rule_of(platform);
    scheduled_shares policy{table, contention_predictor(table), rule.rules, rule.triggers};
    const simulation::share_options how{.horizon = options.horizon.count(),
                                        .at_miss = options.stop_at_first_miss ? miss_action::stop : miss_action::abort,
                                        .actuation_delay = rule.rules.actuation,
                                        .change = simulation::share_change::raised_later,
                                        .execution = options.execution,
                                        .seed = ~options.seed};
    const auto releases = simulation::detail::share_releases_of(table, options);
    out = simulation::simulate_shares(table, policy, releases, how, recorder);
    const bool stopped = options.stop_at_first_miss && out.misses() > 0;
    if (!stopped) { out.end = how.horizon; }
    return out;
  }
}

template <HasGpuShares P, TaskSet T, std::size_t N>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto simulate(const P& platform, const T& tasks, const plan<N>& p, const simulation_options& options = {},
                            detail::refusal&& /*refused*/ = detail::refusal{detail::check_shares<P, T>::passed}) {
  no_trace unheard;
  return simulate(platform, tasks, p, options, unheard);
}

/// The same for applications as they are.
template <HasGpuShares P, TaskSet T, TraceRecorder Recorder>
  requires(!ComposedBoard<P, T>)
auto simulate(const P& platform, const T& tasks, const simulation_options& options, Recorder& recorder,
              detail::refusal&& /*refused*/ = detail::refusal{detail::check_shares<P, T>::passed}) {
  return simulate(platform, tasks, plan<1>{}, options, recorder);
}

template <HasGpuShares P, TaskSet T>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto simulate(const P& platform, const T& tasks, const simulation_options& options = {},
                            detail::refusal&& /*refused*/ = detail::refusal{detail::check_shares<P, T>::passed}) {
  no_trace unheard;
  return simulate(platform, tasks, plan<1>{}, options, unheard);
}

}  // namespace takt
