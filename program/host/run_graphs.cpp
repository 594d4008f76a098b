// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <takt/analysis/analyze.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/overlapping_graphs.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/systems/graphs/plans/judged_policies.hpp>

#include "run_method.hpp"

namespace takt::program {

namespace {

/// A run, with the misses of the deadlines that tasks state: graphs have none of their own.
template <class P, class Table, class Plan>
[[nodiscard]] auto run_on(const P& board, const Table& table, const Plan& p, const file_tasks& tasks,
                          const runtime::graph_run_options& options, optional_trace& recorder)
    -> report::observation_summary {
  const auto seen = runtime::run(board, table, p, options, recorder);
  report::observation_summary out = report::observation_summary_of(seen);
  for (std::size_t g = 0; g < seen.graphs.size(); ++g) {
    const runtime_task& t = tasks.tasks[g];
    for (const ticks response : seen.graphs[g].responses) {
      const bool is_late = t.limited && response > t.deadline;
      out.seen.tasks[g].misses += is_late ? 1U : 0U;
      out.seen.tasks[g].late += is_late ? 1U : 0U;
    }
  }
  return out;
}

/// f of the pools that there are.
template <class Rule, class F>
void with_pools(const graph_platform& sizes, const Rule& rule, const F& f) {
  std::int32_t count = 0;
  for (const std::int32_t cpus : sizes.clusters) { count += cpus; }
  const auto with_copies = [&](const auto&... others) {
    const auto cpus = pool(processors(count), clustered(rule, sizes.clusters[0]));
    if (sizes.copy_engines == 0) { return f(platform(cpus, others...)); }
    f(platform(cpus, pool(copy_engines(sizes.copy_engines), fifo), others...));
  };
  if (sizes.sms == 0) { return with_copies(); }
  with_copies(pool(block_slots(sizes.sms, sizes.threads_per_sm, sizes.blocks_per_sm).with_warps_of(sizes.warp_size),
                   fifo_blocks(per_job_streams, guarded)));
}

}  // namespace

auto run_graphs(const policy_query& q, const judged_policy& /*found*/, const file_tasks& tasks, const hardware& board,
                const runtime::run_options& options, trace* kept) -> std::optional<report::observation_summary> {
  if (q.engines) { return std::nullopt; }
  report::observation_summary out;
  out.seen.error = {.fault = model_fault::choice_out_of_range};  // no rule of its processors was asked for
  runtime::graph_run_options how;
  static_cast<runtime::run_options&>(how) = options;
  how.keep_responses = true;
  optional_trace recorder{kept};
  each_cluster_rule([&] < const auto& Rule > (std::string_view word) {
    if constexpr (GlobalRule<std::remove_cvref_t<decltype(Rule)>>) {
      if (word != q.cpus) { return; }
      const auto global = clustered(Rule, q.cluster_size);
      using known = graph_judges::under<overlapping_graphs_policy, std::remove_const_t<decltype(global)>>;
      const model_error unread =
          known::with_board({}, global, tasks, board, [&](const graph_board& on, const auto& table) {
            const auto own = analyze(on, table);
            if (!own.bounded()) {
              out.because = "the graphs have no bounds, from which the offsets of their nodes would follow.";
              return;
            }
            with_pools(on.sizes, Rule,
                       [&](const auto& pools) { out = run_on(pools, table, own.plan, tasks, how, recorder); });
          });
      if (unread) { out.seen.error = unread; }
    }
  });
  return out;
}

}  // namespace takt::program
