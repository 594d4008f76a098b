// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/simulation/locking/lock_bank.hpp>
#include <takt/simulation/locking/lock_hooks.hpp>
#include <takt/simulation/locking/lock_options.hpp>
#include <takt/simulation/locking/lock_result.hpp>
#include <takt/simulation/locking/lock_simulator.hpp>
#include <takt/simulation/locking/workload.hpp>
#include <takt/simulation/locking/workload_check.hpp>
#include <takt/simulation/options.hpp>

namespace takt::simulation {

/// Lets a workload run on clusters of processors with the locks of `bank`, which is left as the last instant leaves it.
/// The run ends when nothing more can happen, or as the options say; jobs that do not finish, because of a deadlock or
/// of that end, have no finish.
/// Order within one instant: see `lock_simulator`. Error: what `check` says, a slice with donation at release, or a
/// fault at run time, with which the run stops.
template <class DonationRules = donation_rules, LockingProtocol... Protocols, TraceRecorder Recorder, LockHooks Hooks>
auto simulate_locks(const lock_workload& workload, lock_bank<Protocols...>& bank,
                    const lock_simulation_options& options, Recorder& recorder, Hooks& hooks) -> lock_result {
  std::vector<std::int32_t> token_gpus;
  for (resource_id r = 0; static_cast<std::size_t>(r) < bank.size(); ++r) {
    const resource_options& o = bank.options(r);
    if (o.is_token_pool && (!o.tokens.valid() || o.tokens.tokens() != bank.replicas(r))) {
      return {.error = {.fault = model_fault::tokens_differ_from_replicas}};
    }
    token_gpus.push_back(o.is_token_pool ? o.tokens.gpus : 0);
  }
  const model_error fault = check(workload, {.most_tasks = lock_bank<Protocols...>::most_clients,
                                             .processors = options.processors,
                                             .clusters = options.clusters,
                                             .token_gpus = token_gpus,
                                             .ordered = options.ordered});
  if (fault) { return {.error = fault}; }
  if (options.until < 0 || options.slice < 0) { return {.error = {.fault = model_fault::time_out_of_range}}; }
  if (options.donation_at_release && options.slice > 0) { return {.error = detail::unused("slice")}; }
  using simulator = lock_simulator<lock_bank<Protocols...>, Recorder, Hooks, DonationRules>;
  return simulator{workload, bank, options, recorder, hooks}.run(options.until);
}

template <class DonationRules = donation_rules, LockingProtocol... Protocols>
[[nodiscard]] auto simulate_locks(const lock_workload& workload, lock_bank<Protocols...>& bank,
                                  const lock_simulation_options& options = {}) -> lock_result {
  no_trace unheard;
  no_lock_hooks alone;
  return simulate_locks<DonationRules>(workload, bank, options, unheard, alone);
}

}  // namespace takt::simulation
