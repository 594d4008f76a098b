// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <takt/rules/policies/cpu_words.hpp>

#include "policy_input.hpp"

namespace takt::program {

namespace {

/// Weights that go with the order of the tasks, where they have none.
void give_weights(workload_file& file) {
  std::vector<std::size_t> order(file.tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  const auto& tasks = file.tasks.tasks;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const bool both = tasks[a].priority != no_priority && tasks[b].priority != no_priority;
    return both ? tasks[a].priority < tasks[b].priority : tasks[a].deadline < tasks[b].deadline;
  });
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    file.more[order[rank]].weight = static_cast<std::int32_t>(order.size() - rank);
  }
}

}  // namespace

void take_over(workload_file& file, const policy_input& input, const judged_policy& found) {
  const bool to_clusters = is_word_of_clusters(found.cpus);
  const std::int32_t clusters = file.board.processors / std::max(input.question.together, 1);
  const auto& cores = found.verdict.plan.cores;
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    described_task& t = file.tasks.tasks[i];
    t.core = input.tasks->tasks[i].core;
    if (!to_clusters && i < cores.size() && file.board.processors > 1) { t.core = cores[i]; }
    if (to_clusters) { t.core = clusters > 1 && t.core != any_core ? t.core / input.question.together : any_core; }
    if (found.rule.sharing != "shares") { file.more[i].share.reset(); }
    if (found.rule.sharing != "tokens") { file.more[i].gpu_cluster.reset(); }
  }
  file.rules.cpus = found.cpus;
  file.rules.pipelined = input.question.overlapping_graphs;
  file.rules.clusters = to_clusters && clusters > 1 ? std::optional{clusters} : std::nullopt;
  file.rules.copies = found.copies;
  file.rules.own.assign(file.rules.own.size(), found.devices);
  file.rules.gpus = found.rule;
  const bool orders = found.rule.sharing == "levels" || found.rule.sharing == "slots" || found.rule.sharing == "gang";
  if (file.board.processors == 0 && orders) { file.rules.gpus.policy = file.rules.cpus; }
  const bool weighed = std::ranges::all_of(file.more, [](const task_facts& t) { return t.weight.has_value(); });
  if (found.rule.sharing == "shares" && !weighed) { give_weights(file); }
}

}  // namespace takt::program
