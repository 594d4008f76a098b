// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/systems/locked_gpus/host/gpu_jobs.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI::host::detail {

/// Returns what is wrong with choices, or which choice has no effect.
[[nodiscard]] inline auto choices_fault(const gpusync_configuration& c, const locked_gpu_choices& o) -> model_error {
  const bool known = is_known(o.choice) && is_known(o.layout) && is_known(o.queues);
  if (!known) { return {.fault = model_fault::choice_out_of_range}; }
  const locked_gpu_choices plain;
  const auto vain = [](std::string_view name) {
    return model_error{.fault = model_fault::option_unused, .name = name};
  };
  if (!predicts(o.choice) && o.predictor != plain.predictor) { return vain("predictor"); }
  const bool between_gpus = c.migrates() && copies_between_gpus(c.migration);
  if (!between_gpus && o.peer_percent != plain.peer_percent) { return vain("peer_percent"); }
  if (!c.limits_tokens() && o.queues != plain.queues) { return vain("queues"); }
  constexpr model_error far{.fault = model_fault::distances_do_not_fit};
  const auto gpus = static_cast<std::size_t>(c.gpu_cluster_size);
  if (!o.distances.empty() && o.distances.size() != gpus * gpus) { return far; }
  for (const std::int32_t d : o.distances) {
    if (d < 0 || d >= static_cast<std::int32_t>(distance_limit)) { return far; }
  }
  const bool sound = std::ranges::all_of(o.peer_percent, [](std::int32_t p) { return p >= 0 && p <= 100; });
  return {.fault = sound ? model_fault::none : model_fault::options_out_of_range};
}

/// Returns whether there is room for the tokens of each GPU cluster.
[[nodiscard]] inline auto pools_fit(const gpu_system& s) -> bool {
  return std::ranges::all_of(s.pools, [](const simulated_pool& p) {
    return p.tokens.valid() && p.tokens.tokens() <= static_cast<replica_id>(most_simulated_tokens);
  });
}

inline void append_chunks(const chunk_run<ticks>& run, std::vector<ticks>& out) {
  out.insert(out.end(), static_cast<std::size_t>(run.full), run.full_time);
  if (run.has_rest) { out.push_back(run.rest_time); }
}
inline void append_steps(section_engine engine, const chunk_run<ticks>& run, std::vector<section_step>& out) {
  out.insert(out.end(), static_cast<std::size_t>(run.full), section_step{engine, run.full_time});
  if (run.has_rest) { out.push_back({engine, run.rest_time}); }
}

/// Half of what a job runs inside its token section, and outside of it, comes before the GPU's work.
template <GpusyncPlatform P, class Task>
[[nodiscard]] auto program_of(const P& platform, const Task& t, state_location state, const locked_gpu_choices& o)
    -> section_program {
  section_program out{.cpu_cluster = t.cpu_cluster, .cpu_before = t.wcet};
  if (!t.uses_gpu()) { return out; }
  const auto own = requests_of(platform.configuration(), platform.costs, t, state);
  const ticks outside = t.wcet - t.cpu_in_gpu_section;
  out.gpu_cluster = t.gpu_cluster;
  out.cpu_before = outside - outside / 2;
  out.cpu_first = t.cpu_in_gpu_section - t.cpu_in_gpu_section / 2;
  out.cpu_last = t.cpu_in_gpu_section / 2;
  out.cpu_after = outside / 2;
  if (o.token_until_end) {
    out.cpu_last += out.cpu_after;
    out.cpu_after = 0;
  }
  append_steps(section_engine::copy_in, own.in, out.steps);
  for (std::size_t q = 0; q < t.kernels.size(); ++q) { out.steps.push_back({section_engine::execution, t.kernels[q]}); }
  append_steps(section_engine::copy_out, own.out, out.steps);
  append_chunks(own.state_in, out.state_in);
  append_chunks(own.state_out, out.state_out);
  out.state_peer.resize(distance_limit);
  for (std::size_t d = 0; d < distance_limit; ++d) {
    append_chunks(own.state_peer, out.state_peer[d]);
    for (ticks& time : out.state_peer[d]) {  // whole hundreds first: times are up to 2^60
      const std::int32_t percent = o.peer_percent[d];
      time = time / 100 * percent + ceil_divide<ticks>(time % 100 * percent, 100);
    }
  }
  out.longest_section = out.cpu_first + out.cpu_last + own.kernel_time + own.copy_time();
  return out;
}

[[nodiscard]] inline auto distances_of(const gpusync_configuration& c, const locked_gpu_choices& o)
    -> std::vector<std::int32_t> {
  if (!o.distances.empty()) { return {o.distances.begin(), o.distances.end()}; }
  std::vector<std::int32_t> out;
  for (std::int32_t a = 0; a < c.gpu_cluster_size; ++a) {
    for (std::int32_t b = 0; b < c.gpu_cluster_size; ++b) { out.push_back(a == b ? 0 : a / 2 == b / 2 ? 1 : 2); }
  }
  return out;
}

/// `overheads`: jobs spend those of the platform. Pre: `validate_gpusync` and `choices_fault` find nothing.
template <GpusyncPlatform P, class Table>
[[nodiscard]] auto flatten(const P& platform, const Table& table, const locked_gpu_choices& o, bool overheads = false)
    -> gpu_system {
  const gpusync_configuration& c = platform.configuration();
  TAKT_EXPECTS(!choices_fault(c, o));
  TAKT_EXPECTS_IN_TESTS(!validate_gpusync(platform, table));
  gpu_system out{.processors = c.cpu_cluster_size,
                 .clusters = c.cpu_clusters(),
                 .copy_engines = c.copy_engines,
                 .engines = c.engines,
                 .migration = c.migrates() ? c.migration : migration_path::none,
                 .peer_engines_together = c.engines.is_by_arrival(),
                 .donation_at_release = c.limits_tokens() && c.donates_at_release(),
                 .distances = distances_of(c, o),
                 .choice = o.choice,
                 .predictor = o.predictor};
  std::vector<std::int32_t> users(static_cast<std::size_t>(c.gpu_clusters()));
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.uses_gpu()) { ++users[static_cast<std::size_t>(t.gpu_cluster)]; }
  }
  std::vector<std::int32_t> next_gpu(users.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    const bool alone = t.uses_gpu() && c.dedicates_gpus(users[static_cast<std::size_t>(t.gpu_cluster)]);
    out.programs.push_back(program_of(platform, t, alone ? state_location::same_gpu : state_location::any_gpu, o));
    if (alone) { out.programs.back().own_gpu = next_gpu[static_cast<std::size_t>(t.gpu_cluster)]++; }
  }
  for (std::int32_t a = 0; a < c.gpu_clusters(); ++a) {
    const std::int32_t all = std::max(users[static_cast<std::size_t>(a)], 1);
    // Jobs of fewer tasks than CPUs cannot fill them: queues for as many leave no token idle that bounds count on.
    std::int32_t sharing = std::max(c.sharing_cpus(a), 1);
    std::int32_t counted = std::max(c.counted_cpus(a), 1);
    switch (o.queues) {
      case token_queue_length::for_users:
        sharing = std::min(sharing, all);
        counted = std::min(counted, all);
        break;
      case token_queue_length::for_cpus: break;
    }
    simulated_pool pool{.sharing_cpus = sharing,
                        .tokens = {.gpus = c.gpu_cluster_size,
                                   .tokens_per_gpu = c.limits_tokens() ? c.tokens_per_gpu : all,
                                   .layout = o.layout}};
    pool.queue_limit = ceil_divide(counted, pool.tokens.tokens());
    out.pools.push_back(pool);
  }
  if (overheads) {
    const auto& h = platform.overheads;
    out.costs = {.before_lock = h.system_call_in + h.lock,
                 .after_grant = h.system_call_out,
                 .after_wait = h.schedule + h.context_switch + h.system_call_in + h.unlock,
                 .after_unlock = h.system_call_out};
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::host::detail
