// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/whole_gpu.hpp>

#include "policy_input.hpp"

// The plan of a file under the policy that is asked.

namespace takt::program {

namespace {

using std::string_view;
using refusal = std::optional<input_error>;

constexpr std::array sms_policies{federated_policy::name, federated_shared_policy::name, busy_waiting_policy::name};

[[nodiscard]] auto key_at(string_view key) -> std::string { return fmt::format("/plan/{}", key); }

/// What is wrong where a part is said that the policy does not use.
[[nodiscard]] auto fault_of_part(string_view key, bool is_said, bool is_used, const std::string& policy,
                                 string_view users) -> refusal {
  if (!is_said || is_used) { return std::nullopt; }
  return input_error{key_at(key), fmt::format("is not used under \"{}\"", policy),
                     fmt::format("{}, or no such key", users)};
}

/// What is wrong where the tasks on a GPU have more of it than it hands out.
[[nodiscard]] auto fault_of_sum(const workload_file& file, string_view key, const std::vector<std::int32_t>& parts,
                                std::size_t g, std::int32_t most) -> refusal {
  const auto& gpu = file.plan.gpu;
  if (gpu.empty() && file.board.gpus.size() > 1) { return std::nullopt; }
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!gpu.empty() && gpu[i] != static_cast<std::int32_t>(g)) { continue; }
    sum += parts[i];
    if (sum <= most) { continue; }
    return input_error{step_into(key_at(key), file.tasks.tasks[i].name),
                       fmt::format("{} exceeds, with those of the tasks before it, the {} of the GPU", parts[i], most),
                       fmt::format("at most {} together", most)};
  }
  return std::nullopt;
}

[[nodiscard]] auto fault_of_parts(const workload_file& file, string_view policy, bool follows_jobs) -> refusal {
  for (std::size_t g = 0; g < file.board.gpus.size(); ++g) {
    const gpu_hardware& on = file.board.gpus[g];
    const gpu_record record{.sms = on.sms,
                            .virtual_per_sm = on.virtual_per_sm,
                            .granularity = on.granularity,
                            .shared = policy == federated_shared_policy::name};
    if (auto fault = fault_of_sum(file, "sms", file.plan.sms, g, record.budget())) { return fault; }
    if (auto fault = fault_of_sum(file, "percents", file.plan.percents, g, 100); fault && !follows_jobs) {
      return fault;
    }
    for (std::size_t i = 0; i < file.plan.sms.size(); ++i) {
      const bool is_here = file.plan.gpu.empty() || file.plan.gpu[i] == static_cast<std::int32_t>(g);
      if (!is_here || file.plan.sms[i] % std::max(on.granularity, 1) == 0) { continue; }
      return input_error{step_into(key_at("sms"), file.tasks.tasks[i].name),
                         fmt::format("{} is not handed out in steps of {}", file.plan.sms[i], on.granularity),
                         "a multiple of the granularity of the GPU"};
    }
  }
  return std::nullopt;
}

/// Whether a plan and the file, or a wish, say different numbers of one policy.
template <class Value>
[[nodiscard]] auto fault_of_second(string_view key, const std::optional<Value>& planned,
                                   const std::optional<Value>& own) -> refusal {
  if (!planned || !own || *planned == *own) { return std::nullopt; }
  return input_error{key_at(key), "differs from what the policy says itself", "the same, or no such key"};
}

/// Numbers of the policy that the plan decides.
[[nodiscard]] auto add_parameters(const workload_file& file, policy_query& q) -> refusal {
  const auto& p = file.plan;
  const policy_keyword word = split_policy(q.policy);
  const bool is_own = q.own.has_value();
  const sharing_rule said = is_own ? *q.own : sharing_rule{};
  std::optional<std::int32_t> tokens = is_own ? said.tokens_per_gpu : std::nullopt;
  std::optional<std::int32_t> levels = is_own ? said.levels : std::nullopt;
  std::optional<ticks> slice = is_own ? said.slice : std::nullopt;
  (void)with_policy(published_policies, q.policy, [&](const auto& policy) {
    if (!word.has_parameter) { return; }
    if constexpr (requires { policy.tokens; }) { tokens = policy.tokens; }
    if constexpr (requires { policy.levels; }) { levels = policy.levels; }
    if constexpr (requires { policy.slice; }) { slice = policy.slice; }
  });
  const auto unused = [&](string_view key, bool is_said, bool is_used) {
    return fault_of_part(key, is_said, is_used, q.policy, "a policy that has some");
  };
  const bool has_tokens = locks_gpus(published_policies, q.policy);
  if (auto fault = unused("tokens_per_gpu", p.tokens_per_gpu.has_value(), has_tokens)) { return fault; }
  if (auto fault = unused("levels", p.levels.has_value(), word.name == levels_policy::name)) { return fault; }
  if (auto fault = unused("slice", p.slice.has_value(), word.name == time_sliced_policy::name)) { return fault; }
  if (auto fault = unused("slots", p.slots.has_value(), word.name == slots_policy::name)) { return fault; }
  if (p.tokens_per_gpu == 0 && !q.engines) {
    return input_error{key_at("tokens_per_gpu"), "0 is no number of tokens that share SMs", "1 or more"};
  }
  if (auto fault = fault_of_second("tokens_per_gpu", p.tokens_per_gpu, tokens)) { return fault; }
  if (auto fault = fault_of_second("levels", p.levels, levels)) { return fault; }
  if (auto fault = fault_of_second("slice", p.slice, slice)) { return fault; }
  if (auto fault = fault_of_second("slots", p.slots, said.slots)) { return fault; }
  q.chosen.tokens_per_gpu = p.tokens_per_gpu;
  q.chosen.levels = p.levels;
  q.chosen.slice = p.slice;
  q.chosen.slots = p.slots;
  return std::nullopt;
}

/// Cores and priorities, which tasks can say themselves.
[[nodiscard]] auto add_places(const workload_file& file, policy_input& out) -> refusal {
  const auto& [cores, priorities] = std::tie(file.plan.cores, file.plan.priorities);
  const std::string& cpus = out.question.cpus;
  const bool is_fixed_order = cpus.ends_with("-monotonic") || cpus.ends_with("edf") || cpus == "g-fl";
  if (auto fault = fault_of_part("priorities", !priorities.empty(), !is_fixed_order && !out.question.granted, cpus,
                                 "a policy of fixed priorities")) {
    return fault;
  }
  for (std::size_t i = 0; i < out.tasks->size(); ++i) {
    runtime_task& t = out.tasks->tasks[i];
    if (!cores.empty() && cores[i] != unassigned_core) { t.core = cores[i]; }
    if (!priorities.empty()) { t.priority = priorities[i]; }
  }
  return std::nullopt;
}

/// What the file decides about all tasks, as far as it does.
[[nodiscard]] auto decided_parts(const workload_file& file, const policy_input& input)
    -> std::shared_ptr<const plan<file_tasks::max_tasks, file_tasks::max_visits>> {
  const auto& p = file.plan;
  const auto& gpu = p.gpu;
  const bool several = file.board.gpus.size() > 1;
  auto out = std::make_shared<plan<file_tasks::max_tasks, file_tasks::max_visits>>();
  const auto& tasks = input.tasks->tasks;
  const bool placed =
      !p.cores.empty() && std::ranges::all_of(tasks, [](const runtime_task& t) { return t.core != unassigned_core; });
  // Bound: lists of a file have one entry per task, or one per visit.
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    if (placed) { out->cores.unchecked_push_back(tasks[i].core); }
    if (!p.priorities.empty()) { out->priorities.unchecked_push_back(p.priorities[i]); }
    if (!p.percents.empty()) { out->percents.unchecked_push_back(p.percents[i]); }
    if (p.sms.empty() && (gpu.empty() || !several) && p.percents.empty()) { continue; }
    out->shares.unchecked_push_back({gpu.empty() ? (several ? -1 : 0) : gpu[i], p.sms.empty() ? 0 : p.sms[i]});
  }
  for (const ticks t : p.offsets) { out->offsets.unchecked_push_back(t); }
  for (const ticks t : p.local_deadlines) { out->local_deadlines.unchecked_push_back(t); }
  for (const std::int32_t n : p.instances) { out->instances.unchecked_push_back(n); }
  return out;
}

}  // namespace

auto add_given_plan(const workload_file& file, policy_input& out) -> std::optional<input_error> {
  auto& q = out.question;
  if (!file.plan.is_said) { return std::nullopt; }
  const auto& p = file.plan;
  const string_view policy = split_policy(q.policy).name;
  const bool as_whole = q.granted || q.overlapping_graphs || q.engines;  // methods that decide all of it themselves
  const bool has_kernels =
      std::ranges::any_of(file.tasks.visits, [](const runtime_visit& v) { return v.where == resource_kind::gpu; });
  const bool shares_sms = has_kernels && std::ranges::find(sms_policies, policy) != sms_policies.end();
  const bool shares_percents = has_kernels && policy == shares_policy::name;
  const bool several = file.board.gpus.size() > 1;
  const auto fault_of = [&q](string_view key, bool is_said, bool is_used, const std::string& users) {
    return fault_of_part(key, is_said, is_used, q.policy, users);
  };
  if (auto fault = fault_of("sms", !p.sms.empty(), shares_sms, fmt::format("{}", fmt::join(sms_policies, ", ")))) {
    return fault;
  }
  if (auto fault = fault_of("percents", !p.percents.empty(), shares_percents, "shares")) { return fault; }
  if (auto fault = fault_of("gpu", !p.gpu.empty() && several, has_kernels && (!as_whole || q.engines),
                            "a policy whose tasks stay on one of several GPUs")) {
    return fault;
  }
  const bool has_jobs = !p.instances.empty();
  if (auto fault = fault_of("instances", has_jobs, policy == fifo_blocks_policy::name, "graphs whose jobs overlap")) {
    return fault;
  }
  const bool is_half = p.offsets.empty() != p.local_deadlines.empty();
  if (is_half && !(has_jobs && p.local_deadlines.empty())) {
    return input_error{key_at(p.offsets.empty() ? "offsets" : "local_deadlines"),
                       "is missing, and the other of the two is said", "offsets and local_deadlines, or none of both"};
  }
  if (auto fault = fault_of("offsets", !p.offsets.empty(), !as_whole || has_jobs, "a policy of pools")) {
    return fault;
  }
  if (auto fault = fault_of_parts(file, policy, q.granted.has_value())) { return fault; }
  if (auto fault = add_parameters(file, q)) { return fault; }
  if (auto fault = add_places(file, out)) { return fault; }
  q.may_guard = p.chooses_guards;
  q.given = decided_parts(file, out);
  if (q.decided().says_units()) { q.begin_search = {}; }
  return std::nullopt;
}

}  // namespace takt::program
