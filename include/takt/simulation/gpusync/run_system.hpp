// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/budget.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/gpusync/affinity_advice.hpp>
#include <takt/simulation/gpusync/affinity_memory.hpp>
#include <takt/simulation/gpusync/engine_layout.hpp>
#include <takt/simulation/gpusync/section_hooks.hpp>
#include <takt/simulation/gpusync/section_work.hpp>
#include <takt/simulation/gpusync/system.hpp>
#include <takt/simulation/gpusync/token_section.hpp>
#include <takt/simulation/locking/simulate_locks.hpp>

namespace takt::simulation {

/// Most tokens of a GPU cluster.
inline constexpr std::size_t most_simulated_tokens = 256;

/// The releases of one task, ascending.
using task_releases = std::vector<lock_job>;

/// What jobs may use, and what is done about more. Not bandwidth inheritance.
struct budget_rules {
  overrun_policy policy{};
  std::span<const ticks> budgets{};  ///< one per task
};

struct gpu_run {
  lock_workload workload;
  lock_result locks;
  std::vector<token_section> sections;  ///< in the order in which their tokens were given back
};

namespace detail {

template <std::size_t MaxTasks, class TokenRules>
using gpu_tokens =
    r2dglp<most_simulated_tokens, MaxTasks, affinity_advice<most_simulated_tokens, MaxTasks>, TokenRules>;

template <std::size_t MaxTasks, class TokenRules>
using gpu_bank =
    lock_bank<gpu_tokens<MaxTasks, TokenRules>, ck_omlp<most_simulated_tokens, MaxTasks>, ordered_mutex<MaxTasks>>;

/// Whether the tasks of a GPU cluster have GPUs for themselves.
[[nodiscard]] inline auto has_own_gpus(const gpu_system& s, std::size_t gpu_cluster) -> bool {
  return std::ranges::any_of(s.programs, [gpu_cluster](const section_program& p) {
    return p.gpu_cluster == static_cast<std::int32_t>(gpu_cluster) && p.own_gpu != no_gpu;
  });
}

/// Whether somebody has an opinion on which GPU a job gets.
[[nodiscard]] constexpr auto advises(gpu_choice choice) noexcept -> bool {
  switch (choice) {
    case gpu_choice::shortest_queue: return false;
    case gpu_choice::random:
    case gpu_choice::predicted: return true;
  }
  return false;
}

/// With donation at release, holders are on a CPU whenever they are ready, and nothing needs to be inherited. Then one
/// queue does, too, where nobody has an opinion on which GPU a job gets.
template <std::size_t MaxTasks, class TokenRules>
[[nodiscard]] auto make_bank(const gpu_system& s, std::vector<affinity_memory<MaxTasks>>& memories,
                             const resource_options& engines = {}) -> gpu_bank<MaxTasks, TokenRules> {
  gpu_bank<MaxTasks, TokenRules> bank;
  for (std::size_t a = 0; a < s.pools.size(); ++a) {
    const simulated_pool& p = s.pools[a];
    const resource_options options{
        .progress = s.donation_at_release ? any_progress{no_progress{}} : priority_inheritance{},
        .is_token_pool = true,
        .tokens = p.tokens};
    if (s.donation_at_release && !advises(s.choice) && !has_own_gpus(s, a)) {
      bank.add(ck_omlp<most_simulated_tokens, MaxTasks>{p.tokens.tokens()}, options);
      continue;
    }
    const r2dglp_options o{.replicas = p.tokens.tokens(), .cluster = p.sharing_cpus, .queue_limit = p.queue_limit};
    using advice = affinity_advice<most_simulated_tokens, MaxTasks>;
    bank.add(gpu_tokens<MaxTasks, TokenRules>{o, advice{memories[a]}}, options);
  }
  const engine_layout layout(s);
  for (auto r = static_cast<resource_id>(s.pools.size()); r < layout.size(); ++r) {
    resource_options options = engines;
    options.shown = layout.shown(r);
    bank.add(ordered_mutex<MaxTasks>{s.engines}, options);
  }
  return bank;
}

[[nodiscard]] inline auto make_workload(const gpu_system& s, std::span<const task_releases> releases) -> lock_workload {
  lock_workload out;
  const auto execute = [&out](ticks time) {
    if (time > 0) { out.execute(time); }
  };
  for (std::size_t t = 0; t < s.programs.size(); ++t) {
    const section_program& p = s.programs[t];
    out.task(p.cpu_cluster);
    execute(p.cpu_before);
    if (p.gpu_cluster != no_cluster) {
      execute(s.costs.before_lock);
      out.lock(p.gpu_cluster);
      execute(s.costs.after_grant);
      out.unlock(p.gpu_cluster);
      execute(s.costs.after_unlock);
    }
    execute(p.cpu_after);
    for (const lock_job& j : releases[t]) { out.released(j.release, j.priority); }
  }
  return out;
}

}  // namespace detail

/// Lets jobs run on clusters of CPUs and locked GPUs: one simulator of locks, in which the token protocol asks the
/// heuristics and every grant of a token or an engine leads the job to its next step. Order within one instant: see
/// `lock_simulator`. Pre: one list of releases per program, at most MaxTasks of them; tokens fit.
/// Error: what `simulate_locks` says.
template <std::size_t MaxTasks, class TokenRules = r2dglp_rules, SectionWork Work, TraceRecorder Recorder>
[[nodiscard]] auto run_gpu_system(const gpu_system& s, std::span<const task_releases> releases, const Work& work,
                                  const budget_rules& budgets, std::uint64_t seed, Recorder& recorder) -> gpu_run {
  gpu_run out;
  out.workload = detail::make_workload(s, releases);
  std::vector<affinity_memory<MaxTasks>> memories;
  memories.reserve(s.pools.size());
  for (const simulated_pool& p : s.pools) { memories.emplace_back(s, p, seed); }
  auto bank = detail::make_bank<MaxTasks, TokenRules>(s, memories);
  section_hooks<MaxTasks, Work> hooks(s, out.workload, memories, work, budgets.policy, budgets.budgets);
  const lock_simulation_options options{.processors = s.processors,
                                        .clusters = s.clusters,
                                        .donation_at_release = s.donation_at_release,
                                        .ordered = false};
  out.locks = simulate_locks(out.workload, bank, options, recorder, hooks);
  out.sections = std::move(hooks.sections());
  return out;
}

}  // namespace takt::simulation
