// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/rules/policies/cpu_keywords.hpp>

#include "policy_input.hpp"

namespace takt::program {

namespace {

/// Weights that go with the order of the tasks, where they have none.
void give_weights(workload_file& file) {
  std::vector<std::size_t> order(file.tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  const auto& tasks = file.tasks.tasks;
  const bool all = std::ranges::none_of(tasks, [](const auto& t) { return t.priority == no_priority; });
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return all ? tasks[a].priority < tasks[b].priority : tasks[a].deadline < tasks[b].deadline;
  });
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    file.more[order[rank]].weight = static_cast<std::int32_t>(order.size() - rank);
  }
}

/// The order that kernels have beside a rule of processors, in the word that a GPU has for it.
[[nodiscard]] auto order_of_kernels(std::string_view cpus) -> std::string_view {
  for (const std::string_view before : {"g-", "nonpreemptive-"}) {
    if (cpus.starts_with(before)) { cpus.remove_prefix(before.size()); }
  }
  return cpus == "fl" ? "edf" : cpus == "fifo" || cpus == "gel" ? "fixed-priority" : cpus;
}

/// Makes each step of a chain that visits processors a node of its own: there a file says points.
void name_steps(workload_file& file) {
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    const runtime_task& t = file.tasks.tasks[i];
    const auto visits = std::span{file.tasks.visits.begin() + t.first_visit, t.visit_count};
    const bool on_cpus = std::ranges::any_of(visits, [](const auto& v) { return v.where == resource_kind::processor; });
    for (std::uint32_t p = 0; on_cpus && p < t.visit_count; ++p) {
      runtime_visit& v = visits[p];
      if (v.name.empty()) { v.name = file.texts.emplace_back(fmt::format("step {}", p)); }
    }
  }
}

/// All that was decided, where neither the tasks nor the rules of the file say it.
[[nodiscard]] auto plan_of(const workload_file& file, const judged_policy& found) -> plan_facts {
  const auto& p = found.verdict.plan;
  plan_facts out;
  out.is_said = true;
  const bool several = file.board.gpus.size() > 1;
  bool some_sms = false;
  for (const sm_share& s : p.shares) {
    if (several) { out.gpu.push_back(s.gpu); }
    out.sms.push_back(s.sms);
    some_sms = some_sms || s.sms > 0;
  }
  if (!some_sms) { out.sms.clear(); }
  const bool weighed = found.rule.sharing == "shares" && std::ranges::all_of(file.tasks.visits, [](const auto& v) {
                         return v.where == resource_kind::gpu;
                       });
  if (!weighed) { out.priorities.assign(p.priorities.begin(), p.priorities.end()); }
  out.percents.assign(p.percents.begin(), p.percents.end());
  out.offsets.assign(p.offsets.begin(), p.offsets.end());
  out.local_deadlines.assign(p.local_deadlines.begin(), p.local_deadlines.end());
  out.instances.assign(p.instances.begin(), p.instances.end());
  return out;
}

}  // namespace

void take_over(workload_file& file, const policy_input& input, const judged_policy& found) {
  const bool to_clusters = is_cluster_keyword(found.cpus);
  const std::int32_t clusters = file.board.processors / std::max(input.question.cluster_size, 1);
  const auto& cores = found.verdict.plan.cores;
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    runtime_task& t = file.tasks.tasks[i];
    t.core = input.tasks->tasks[i].core;
    if (i < cores.size() && file.board.processors > 1) { t.core = cores[i]; }
    if (to_clusters) {
      t.core = clusters > 1 && t.core != unassigned_core ? t.core / input.question.cluster_size : unassigned_core;
    }
    if (found.rule.sharing != "shares") { file.more[i].share.reset(); }
    if (found.rule.sharing != "tokens") { file.more[i].gpu_cluster.reset(); }
  }
  if (found.cpus == "gel") { name_steps(file); }
  file.rules.cpus = found.cpus;
  file.rules.pipelined = input.question.overlapping_graphs;
  file.rules.clusters = to_clusters && clusters > 1 ? std::optional{clusters} : std::nullopt;
  file.rules.copies = found.copies;
  file.rules.own.assign(file.rules.own.size(), found.devices);
  file.rules.gpus = found.rule;
  file.plan = plan_of(file, found);
  const bool orders = found.rule.sharing == "levels" || found.rule.sharing == "slots" || found.rule.sharing == "gang";
  const bool kernels_only =
      std::ranges::all_of(file.tasks.visits, [](const auto& v) { return v.where == resource_kind::gpu; });
  if (kernels_only && orders) { file.rules.gpus.policy = order_of_kernels(found.cpus); }
  const bool weighed = std::ranges::all_of(file.more, [](const task_facts& t) { return t.weight.has_value(); });
  if (found.rule.sharing == "shares" && !weighed) { give_weights(file); }
}

}  // namespace takt::program
