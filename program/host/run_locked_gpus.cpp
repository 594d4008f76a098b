// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <string_view>
#include <type_traits>

#include <takt/model/plan.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/asked_policy.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/plans/judged_policies.hpp>
#include <takt/systems/locked_gpus/run/run.hpp>

#include "run_method.hpp"

namespace takt::program {

namespace {

template <class Known>
inline constexpr bool locks_gpus =
    requires { requires std::same_as<typename Known::method, analysis::gpusync_method>; };

}  // namespace

auto run_locked_gpus(const policy_query& q, const judged_policy& found, const file_tasks& tasks, const hardware& board,
                     const runtime::run_options& options, trace* kept) -> std::optional<report::observation_summary> {
  if (!q.engines) { return std::nullopt; }
  report::observation_summary out;
  out.seen.error = {.fault = model_fault::choice_out_of_range};  // no rule of its processors was asked for
  runtime::locked_gpu_run_options how;
  static_cast<runtime::run_options&>(how) = options;
  optional_trace recorder{kept};
  policy_query chosen = q;
  chosen.own = found.rule;
  each_cluster_rule([&] < const auto& Rule > (std::string_view word) {
    if (word != q.cpus) { return; }
    const auto clusters = clustered(Rule, q.cluster_size);
    report::with_asked_policy(chosen, [&](const auto& policy) {
      using known =
          locked_gpu_judges::under<std::remove_cvref_t<decltype(policy)>, std::remove_const_t<decltype(clusters)>>;
      if constexpr (locks_gpus<known>) {
        const model_error unread =
            known::with_board(policy, clusters, tasks, board, [&](const auto& platform, const auto& table) {
              out = report::observation_summary_of(runtime::run(platform, table, plan<1>{}, how, recorder));
            });
        if (unread) { out.seen.error = unread; }
      }
    });
  });
  return out;
}

}  // namespace takt::program
