// SPDX-License-Identifier: Apache-2.0
#include "wamp2s_sets.hpp"

#include <algorithm>

#include <takt/allocation/shares/static_shares.hpp>
#include <takt/generation/whole_kernels.hpp>
#include <takt/simulation/shares/baselines.hpp>
#include <takt/simulation/shares/one_at_a_time.hpp>

#include "../failure.hpp"

namespace takt::program::old_sweep {

namespace {

template <class Policy>
[[nodiscard]] auto run(const application_table& table, Policy policy, const application_releases& releases,
                       ticks horizon) -> share_outcome {
  return checked(simulation::simulate_shares(table, policy, releases, simulation::share_options{.horizon = horizon}));
}

}  // namespace

application_releases::application_releases(const application_table& table, std::array<bool, most_applications> sporadic,
                                           std::uint64_t seed)
    : table_{&table}, sporadic_{sporadic}, seed_{seed} {
  random_stream random{seed};
  for (std::size_t i = 0; i < table.size(); ++i) { offsets_[i] = random.below(table.tasks[i].period); }
}

auto application_releases::release(std::size_t task, std::int64_t number, ticks& out) const -> bool {
  const ticks period = table_->tasks[task].period;
  if (sporadic_[task]) {
    out = offsets_[task] + generation::sporadic_release(seed_, task, number, period, period / 2);
  } else {
    out = offsets_[task] + number * period;
  }
  return true;
}

auto checked(const share_outcome& run) -> share_outcome {
  if (run.error) { throw environment_error{"a simulation failed: this is a fault of takt, please report it"}; }
  return run;
}

auto run_policy(share_policy policy, const application_table& table, const application_releases& releases,
                ticks horizon) -> share_outcome {
  constexpr std::size_t n = most_applications;
  const share_predictor predictor{table};
  const auto scheduled = [&](const share_rules& rules) {
    return run(table, scheduled_applications{table, predictor, rules}, releases, horizon);
  };
  const auto single = [&](const JobPriority auto& order, bool preemptive) {
    return run(table, simulation::one_at_a_time{table, {.preemptive = preemptive}, order}, releases, horizon);
  };
  switch (policy) {
    case share_policy::literal: return scheduled(wamp2s_literal);
    case share_policy::text: return scheduled(wamp2s_text);
    case share_policy::robust: return scheduled(wamp2s_robust);
    case share_policy::equal: return run(table, simulation::equal_shares<n>{table}, releases, horizon);
    case share_policy::time_sliced: return run(table, simulation::time_sliced<n>{table}, releases, horizon);
    case share_policy::proportional: return run(table, simulation::proportional_shares<n>{table}, releases, horizon);
    case share_policy::fixed_priority: return single(by_given_priority{}, false);
    case share_policy::preemptive_fixed_priority: return single(by_given_priority{}, true);
    case share_policy::preemptive_edf: return single(by_absolute_deadline{}, true);
    case share_policy::constant: break;
  }
  return run(table, simulation::fixed_shares<n>{table, static_shares(table, predictor)}, releases, horizon);
}

void draw(const generation::benchmark_set_options& o, std::uint64_t seed, std::uint64_t number,
          application_table& out) {
  if (generation::generate(o, seed, number, out) != model_fault::none) {
    throw environment_error{"a task set of this study cannot be drawn: this is a fault of takt, please report it"};
  }
}

auto airborne_set() -> application_table {
  application_table out;
  static_cast<void>(generation::synthetic_set(generation::synthetic_airborne, out));
  return out;
}

auto airborne_sporadic() -> std::array<bool, most_applications> {
  std::array<bool, most_applications> out{};
  for (std::size_t i = 0; i < generation::synthetic_airborne.size(); ++i) {
    out[i] = generation::synthetic_airborne[i].releases == generation::arrival::sporadic;
  }
  return out;
}

auto horizon_of(const application_table& table, std::int64_t periods, std::int64_t seconds) -> ticks {
  ticks longest = 0;
  for (const share_task& t : table.tasks) { longest = std::max(longest, t.period); }
  return std::min(periods * longest, seconds * microseconds_per_second);
}

}  // namespace takt::program::old_sweep
