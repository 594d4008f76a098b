// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/policy_words.hpp>
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

/// What is wrong where a part is said that the policy does not use, or is not said and must be.
[[nodiscard]] auto fault_of_part(string_view key, bool is_said, bool is_used, const std::string& policy,
                                 string_view users) -> refusal {
  if (is_said && !is_used) {
    return input_error{key_at(key), fmt::format("is not used under \"{}\"", policy),
                       fmt::format("{}, or no such key", users)};
  }
  if (!is_said && is_used) {
    return input_error{key_at(key), fmt::format("is missing, and \"{}\" shares it out", policy),
                       "that of each task with kernels, or no other key about GPUs and offsets"};
  }
  return std::nullopt;
}

/// What is wrong where the tasks on a GPU have more of it than it hands out.
[[nodiscard]] auto fault_of_sum(const workload_file& file, string_view key, const std::vector<std::int32_t>& parts,
                                std::size_t g, std::int32_t most) -> refusal {
  const auto& gpu = file.plan.gpu;
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

[[nodiscard]] auto fault_of_parts(const workload_file& file, string_view policy) -> refusal {
  for (std::size_t g = 0; g < file.board.gpus.size(); ++g) {
    const gpu_hardware& on = file.board.gpus[g];
    const gpu_record record{.sms = on.sms,
                            .virtual_per_sm = on.virtual_per_sm,
                            .granularity = on.granularity,
                            .shared = policy == federated_shared_policy::name};
    if (auto fault = fault_of_sum(file, "sms", file.plan.sms, g, record.budget())) { return fault; }
    if (auto fault = fault_of_sum(file, "percents", file.plan.percents, g, 100)) { return fault; }
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

}  // namespace

auto add_given_plan(const workload_file& file, policy_input& out) -> std::optional<input_error> {
  auto& q = out.question;
  const auto& [sms, gpu, percents, offsets, local_deadlines] = file.plan;
  const bool several = file.board.gpus.size() > 1;
  if (sms.empty() && percents.empty() && offsets.empty() && local_deadlines.empty() && (gpu.empty() || !several)) {
    return std::nullopt;
  }
  const string_view policy = split_policy(q.policy).name;
  const bool as_whole = q.granted || q.overlapping_graphs || q.engines;  // methods that decide all of it themselves
  const bool has_kernels =
      std::ranges::any_of(file.tasks.visits, [](const described_visit& v) { return v.where == visit_place::gpu; });
  const bool shares_sms = has_kernels && std::ranges::find(sms_policies, policy) != sms_policies.end();
  const bool shares_percents = has_kernels && policy == shares_policy::name && !as_whole;
  const auto fault_of = [&q](string_view key, bool is_said, bool is_used, const std::string& users) {
    return fault_of_part(key, is_said, is_used, q.policy, users);
  };
  if (auto fault = fault_of("sms", !sms.empty(), shares_sms, fmt::format("{}", fmt::join(sms_policies, ", ")))) {
    return fault;
  }
  if (auto fault =
          fault_of("percents", !percents.empty(), shares_percents, "shares of tasks that are more than one kernel")) {
    return fault;
  }
  if (auto fault = fault_of("gpu", !gpu.empty() && several, has_kernels && several && !as_whole,
                            "a policy whose tasks stay on one of several GPUs")) {
    return fault;
  }
  if (offsets.empty() != local_deadlines.empty()) {
    return input_error{key_at(offsets.empty() ? "offsets" : "local_deadlines"),
                       "is missing, and the other of the two is said", "offsets and local_deadlines, or none of both"};
  }
  if (auto fault = fault_of("offsets", !offsets.empty(), !offsets.empty() && !as_whole, "a policy of pools")) {
    return fault;
  }
  if (auto fault = fault_of_parts(file, policy)) { return fault; }
  auto given = std::make_shared<plan<file_tasks::max_tasks, file_tasks::max_visits>>();
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    if (!sms.empty() || !gpu.empty() || !percents.empty()) {
      (void)given->shares.push_back({gpu.empty() ? 0 : gpu[i], sms.empty() ? 0 : sms[i]});
    }
    if (!percents.empty()) { (void)given->percents.push_back(percents[i]); }
  }
  for (const ticks t : offsets) { (void)given->offsets.push_back(t); }
  for (const ticks t : local_deadlines) { (void)given->local_deadlines.push_back(t); }
  q.given = std::move(given);
  q.begin_search = {};
  return std::nullopt;
}

}  // namespace takt::program
