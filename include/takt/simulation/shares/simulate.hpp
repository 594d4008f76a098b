// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/choice.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/share_task.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/shares/options.hpp>
#include <takt/simulation/shares/policy.hpp>
#include <takt/simulation/shares/releases.hpp>
#include <takt/simulation/shares/result.hpp>
#include <takt/simulation/shares/simulator.hpp>

namespace takt::simulation {

/// Lets jobs run on shares of a GPU in virtual time and tells `recorder` what happens: marks, a slice per stretch of
/// time with one share, and operations where it listens to `share_operation`. Order within one instant: see
/// `share_simulator`. The same arguments give the same result everywhere.
///
/// Pre: the policy is fresh and of the same table. Error: `invalid_model`, with the fault in `error`. Cost: per instant
/// the policy's own and applications^2; memory grows with the longest history of a job only.
template <std::size_t MaxTasks, SharePolicy Policy, ShareReleases Releases, TraceRecorder Recorder>
auto simulate_shares(const share_table<MaxTasks>& table, Policy& policy, const Releases& releases,
                     const share_options& options, Recorder& recorder) -> share_observation<MaxTasks> {
  model_error error = validate(table);
  if (!error) { error = policy.error(); }
  if (!is_known(options.at_miss) || !is_known(options.change)) { error = {.fault = model_fault::choice_out_of_range}; }
  if (!error && (options.horizon < 0 || options.actuation_delay < 0)) { error = {.fault = model_fault::negative_time}; }
  if (error) {
    share_observation<MaxTasks> out;
    out.error = error;
    return out;
  }
  return share_simulator<MaxTasks, Policy, Releases, Recorder>{table, policy, releases, options, recorder}.run();
}

template <std::size_t MaxTasks, SharePolicy Policy, ShareReleases Releases>
[[nodiscard]] auto simulate_shares(const share_table<MaxTasks>& table, Policy& policy, const Releases& releases,
                                   const share_options& options) -> share_observation<MaxTasks> {
  no_trace unheard;
  return simulate_shares(table, policy, releases, options, unheard);
}

}  // namespace takt::simulation
