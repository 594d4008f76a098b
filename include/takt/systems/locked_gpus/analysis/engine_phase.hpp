// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/locked_gpus/analysis/fixed_priority.hpp>
#include <takt/systems/locked_gpus/analysis/prepared_set.hpp>
#include <takt/systems/locked_gpus/analysis/priority_engines.hpp>
#include <takt/systems/locked_gpus/analysis/token_blocking.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

/// Holds the sorted engine sections and the blocking chains of a set, which no pass changes.
///
/// Chains hold whatever limits the tokens. All requests of a chain are pending when the root's is issued. Each was
/// queued before the next one, and a peer copy is queued at both of its engines at once. Their issuers hold tokens at
/// that instant and wait for one engine request each, so they are jobs of different tasks of the GPU cluster. So a
/// chain has at most one copy for each of the `transitive` rivals. Without a limit all of these can be on one GPU. A
/// GPU with one token more than rivals never makes any of them wait, so its chains of that length are all.
template <class Rules, class Table>
struct engine_model {
  request_runs<Table> runs;
  blocking_chain_table chains;    ///< of the GPU cluster with the most rivals
  std::int32_t tokens = 1;        ///< of a GPU, as chains count them
  std::int64_t chain_length = 0;  ///< most copies in a chain
  bool has_chains = false;        ///< a chain bound exists for the configuration

  /// Pre: `has_bounded_charges`.
  constexpr explicit engine_model(const prepared_set<Table>& set)
      : runs{*set.table, set.own, [&set](std::size_t i) { return set.charges_of(i).engine.section.time; }} {
    TAKT_EXPECTS(set.has_bounded_charges());
    const gpusync_configuration& c = set.configuration;
    const bool forms_chains = detail::moves_between_gpus(c) && c.copy_engines == 2;
    for (std::int32_t a = 0; forms_chains && a < c.gpu_clusters(); ++a) {
      if (set.users_of(a) == 0) { continue; }
      const std::int64_t rivals = rivals_of<Rules>(c, a, set.users_of(a)).transitive;
      chain_length = chain_length < rivals ? rivals : chain_length;
    }
    has_chains = forms_chains && chain_length <= max_chain_length && (c.limits_tokens() || !Rules::printed_unlimited);
    if (!has_chains) { return; }
    tokens = c.limits_tokens() ? c.tokens_per_gpu : static_cast<std::int32_t>(chain_length) + 1;
    chains = chains_of(c, chain_length);
  }

  [[nodiscard]] constexpr auto chains_of(const gpusync_configuration& c, std::int64_t length) const
      -> blocking_chain_table {
    return blocking_chains(c.gpu_cluster_size, tokens, static_cast<std::int32_t>(length));
  }
};

/// Returns jobs that may lend a token holder a priority above that of task i.
template <class Table>
[[nodiscard]] constexpr auto boosts_of(const prepared_set<Table>& set, std::size_t i,
                                       const job_overlaps<Table>& overlaps) -> boosted_sections {
  const gpusync_configuration& c = set.configuration;
  boosted_sections out;
  if (!c.limits_tokens()) { return out; }
  const std::int32_t a = set.task(i).gpu_cluster;
  const bool donation = c.donates_at_release();
  const std::int32_t sharing = c.counted_cpus(a);
  const auto limit = ceil_divide<std::int64_t>(donation ? sharing : c.cpu_cluster_size, c.replicas());
  out.sections_per_job = donation ? limit : 2 * limit - 1;
  for (std::size_t j = 0; j < set.size(); ++j) {
    const auto& t = set.task(j);
    const bool lends = donation ? c.serves(a, t.cpu_cluster) : t.uses_gpu() && t.gpu_cluster == a;
    if (j != i && lends && goes_first(*set.table, c.scheduler, j, i)) { out.lending_jobs += overlaps.count(i, j); }
  }
  return out;
}

/// Replaces the waits of task i by those under fixed priorities, where these are less.
template <class Table>
constexpr void refine_by_priority(const prepared_set<Table>& set, std::size_t i, const request_runs<Table>& runs,
                                  const job_overlaps<Table>& overlaps,
                                  const std::array<std::int64_t, Table::max_tasks>& rivals,
                                  engine_wait<typename Table::number>& wait) {
  const gpusync_configuration& c = set.configuration;
  std::array<std::int64_t, Table::max_tasks> higher{};
  std::array<std::int64_t, Table::max_tasks> lower{};
  std::array<std::int64_t, 4> most{};  // kernels, copies in, copies out, all copies of a less important job
  for (std::size_t j = 0; j < set.size(); ++j) {
    (goes_first(*set.table, c.scheduler, j, i) ? higher : lower)[j] = rivals[j];
    if (lower[j] == 0) { continue; }
    const auto& r = set.own[j];
    const std::array<std::int64_t, 4> each{r.kernels, r.in.count() + r.state_in.count(),
                                           r.out.count() + r.state_out.count(), r.copies()};
    for (std::size_t kind = 0; kind < 4; ++kind) { most[kind] = most[kind] < each[kind] ? each[kind] : most[kind]; }
  }
  const rival_requests<Table> above(runs, higher);
  const rival_requests<Table> below(runs, lower);
  const boosted_sections boosted = boosts_of(set, i, overlaps);
  const auto refined = [&](request_kinds kinds, std::int64_t requests, std::size_t kind) {
    return fixed_priority_engine_wait(kinds, requests, boosted, most[kind], above, below);
  };
  const auto& own = set.own[i];
  wait.execution = refined(kernel_requests, own.kernels, 0);
  if (moves_between_gpus(c)) { return; }
  if (c.copy_engines == 1) {
    wait.copies = refined(copy_requests, own.copies(), 3);
    return;
  }
  analysis::detail::blocking_sum<typename Table::number> sum;
  sum.add(1, refined(in_requests, own.in.count() + own.state_in.count(), 1));
  sum.add(1, refined(out_requests, own.out.count() + own.state_out.count(), 2));
  wait.copies = sum.total();
}

/// Does phase 1: waits of each task's jobs for engines. Cost: n passes over the runs, and those of the chains.
template <class Rules, class Table>
[[nodiscard]] constexpr auto engine_phase(const prepared_set<Table>& set, const engine_model<Rules, Table>& model,
                                          const job_overlaps<Table>& overlaps, const rival_counts<Table>& rivals)
    -> std::array<engine_wait<typename Table::number>, Table::max_tasks> {
  const gpusync_configuration& c = set.configuration;
  std::array<engine_wait<typename Table::number>, Table::max_tasks> out{};
  blocking_chain_table shorter;
  std::int64_t shorter_length = -1;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& t = set.task(i);
    if (!t.uses_gpu()) { continue; }
    if (c.dedicates_gpus(set.users_of(t.gpu_cluster))) { continue; }
    const auto ahead = rivals_of<Rules>(c, t.gpu_cluster, set.users_of(t.gpu_cluster));
    const blocking_chain_table* known = model.has_chains ? &model.chains : nullptr;
    if (model.has_chains && ahead.transitive < model.chain_length) {
      if (shorter_length != ahead.transitive) {
        shorter_length = ahead.transitive;
        shorter = model.chains_of(c, shorter_length);
      }
      known = &shorter;
    }
    const rival_requests<Table> others(model.runs, rivals.jobs[i]);
    out[i] = fifo_engine_waits<Rules>(c, set.given.copies, set.own[i], ahead, others, known,
                                      set.charges_of(i).engine.section.time);
    if (c.engines.is_by_arrival()) { continue; }
    const auto any = engine_waits_in_any_order(c, set.own[i], others);
    out[i].execution = any.execution;
    out[i].copies = any.copies;
    if (c.engines.is_by_priority() && c.scheduler.task_level) {
      detail::refine_by_priority(set, i, model.runs, overlaps, rivals.jobs[i], out[i]);
    }
  }
  return out;
}

/// Does phase 2: token sections, of 0 where there is none.
template <class Rules, class Table>
[[nodiscard]] constexpr auto section_phase(
    const prepared_set<Table>& set, const std::array<engine_wait<typename Table::number>, Table::max_tasks>& engines)
    -> std::array<blocking_bound<typename Table::number>, Table::max_tasks> {
  std::array<blocking_bound<typename Table::number>, Table::max_tasks> out{};
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set.task(i).uses_gpu()) { continue; }
    out[i] = token_section_of<Rules>(set.task(i), set.own[i], engines[i].total(), set.charges_of(i));
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
