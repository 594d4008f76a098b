// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/host/engine.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/policy_server.hpp>
#include <takt/rules/shares/share_policy.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/shares/actuator.hpp>
#include <takt/simulation/shares/history_progress.hpp>
#include <takt/simulation/shares/options.hpp>
#include <takt/simulation/shares/releases.hpp>
#include <takt/simulation/shares/result.hpp>
#include <takt/simulation/shares/share_run.hpp>

namespace takt::simulation {

namespace detail {

/// A policy that lives elsewhere.
template <SharePolicy Policy>
struct referred_policy {
  Policy* to = nullptr;

  [[nodiscard]] constexpr auto error() const -> model_error { return to->error(); }
  constexpr void release(std::size_t task, ticks release, ticks deadline) { to->release(task, release, deadline); }
  constexpr void complete(std::size_t task) { to->complete(task); }
  constexpr void abort(std::size_t task) { to->abort(task); }
  constexpr auto decide(ticks now) -> share_step { return to->decide(now); }
  [[nodiscard]] constexpr auto held(std::size_t task) const -> share { return to->held(task); }
  [[nodiscard]] constexpr auto whole_time(std::size_t task) const -> ticks
    requires requires(const Policy& p) { p.whole_time(task); }
  {
    return to->whole_time(task);
  }
  [[nodiscard]] constexpr auto ready_at() const -> ticks
    requires requires(const Policy& p) { p.ready_at(); }
  {
    return to->ready_at();
  }
  template <std::size_t MaxTasks>
  constexpr void in_force(const share_allocation<MaxTasks>& shares, ticks now)
    requires requires(Policy& p) { p.in_force(shares, now); }
  {
    to->in_force(shares, now);
  }
};

/// The rule of a GPU whose shares a policy sizes that lives elsewhere, in front of an observer.
template <std::size_t MaxTasks, SharePolicy Policy, class Observer>
struct observed_policy_rule {
  using is_takt_rule = void;
  static constexpr std::string_view name = "shares by a policy";
  static constexpr bool one_station = true;
  const application_set<MaxTasks>* applications;
  Policy* policy;
  Observer* observer;
  share_options options;

  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_absolute_deadline { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] auto make_server(std::int32_t /*units*/) const {
    return policy_server<Capacity, MaxTasks, referred_policy<Policy>, history_progress, share_actuator, Observer>{
        *applications, referred_policy<Policy>{policy}, share_actuator{options}, observer};
  }
};

}  // namespace detail

/// Lets jobs run on shares of a GPU in virtual time and tells `recorder` what happens: marks, a slice per stretch of
/// time with one share, and operations where it listens to `share_operation`. Whether a job is done is decided exactly.
/// The same arguments give the same result everywhere.
///
/// Order within one instant: completions; misses; releases; then at most one decision, on everything that happened. A
/// job that is complete at its deadline is in time.
///
/// Pre: the policy is fresh and of the same table. Error: `invalid_model`, with the fault in `error`. Cost: that of
/// `host::engine`, and per instant the policy's own and applications^2; memory grows with the longest history of a job.
template <std::size_t MaxTasks, SharePolicy Policy, ShareReleases Releases, TraceRecorder Recorder>
auto simulate_shares(const application_set<MaxTasks>& table, Policy& policy, const Releases& releases,
                     const share_options& options, Recorder& recorder) -> share_observation<MaxTasks> {
  model_error error = validate(table);
  if (!error) { error = policy.error(); }
  if (!is_known(options.at_miss) || !is_known(options.change)) { error = {.fault = model_fault::choice_out_of_range}; }
  if (!error && (options.horizon < 0 || options.actuation_delay < 0)) { error = {.fault = model_fault::negative_time}; }
  if (!error && options.horizon > longest_time) { error = {.fault = model_fault::time_overflow}; }
  if (error) {
    share_observation<MaxTasks> out;
    out.error = error;
    return out;
  }
  using run_type = share_run<MaxTasks, Policy, Releases, Recorder>;
  visit_table<MaxTasks, MaxTasks> jobs;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    static_cast<void>(jobs.add_task({.name = t.name, .period = t.period, .deadline = t.deadline}));
    static_cast<void>(jobs.add_next(0, 0, run_type::whole_job, {{static_cast<ticks>(i), 0, 0, 0}}));
  }
  run_type run{table, policy, releases, options, recorder};
  const auto board = platform(
      pool(gpu_shares(), detail::observed_policy_rule<MaxTasks, Policy, run_type>{&table, &policy, &run, options}));
  board_stations<std::remove_cvref_t<decltype(board)>, 1> stations{board};
  static_cast<void>(stations.number_of({}));
  using engine_type = host::engine<decltype(stations), MaxTasks, MaxTasks, run_type>;
  const auto engine = std::make_unique<engine_type>(jobs, stations, run);
  static_cast<void>(run.drive(*engine));
  return run.result(engine->seen());
}

template <std::size_t MaxTasks, SharePolicy Policy, ShareReleases Releases>
[[nodiscard]] auto simulate_shares(const application_set<MaxTasks>& table, Policy& policy, const Releases& releases,
                                   const share_options& options) -> share_observation<MaxTasks> {
  no_trace unheard;
  return simulate_shares(table, policy, releases, options, unheard);
}

}  // namespace takt::simulation
