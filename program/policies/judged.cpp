// SPDX-License-Identifier: Apache-2.0
#include "judged.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/in_words.hpp>

#include "../fields.hpp"
#include "../large_stack.hpp"

namespace takt::program {

namespace {

/// f of each rule of processors.
template <class F>
void each_cpu_rule(const F& f) {
  for (const auto& rules : {fixed_priority_rules, nonpreemptive_rules, deadline_rules, cluster_rules}) {
    for (const cpu_rule_entry& rule : rules) { f(rule); }
  }
}

}  // namespace

auto policy_names() -> std::vector<std::string_view> {
  std::vector<std::string_view> out;
  published_policies.each([&out](const auto& policy) { out.push_back(policy.name); });
  return out;
}

auto cpu_rule_names() -> std::vector<std::string_view> {
  std::vector<std::string_view> out;
  each_cpu_rule([&out](const cpu_rule_entry& rule) { out.push_back(rule.word); });
  return out;
}

auto analysis_names() -> std::vector<std::string_view> {
  std::vector<std::string_view> out;
  report::each_analysis_word([&out](std::string_view word) { out.push_back(word); });
  return out;
}

auto fault_of_system(const std::string& where, std::string_view system) -> std::optional<input_error> {
  if (report::has_system(system)) { return std::nullopt; }
  return input_error{where, fmt::format("needs the system {}, which this program was built without", system),
                     "a program with it, or another rule, such as one that compare lists"};
}

auto fault_of_policy(const std::string& option, const std::string& word) -> std::optional<input_error> {
  const auto names = policy_names();
  const policy_keyword asked = split_policy(word);
  switch (with_policy(published_policies, word, [](const auto& /*policy*/) {})) {
    case keyword_fault::none: break;
    case keyword_fault::unknown:
      return input_error{
          option, fmt::format("\"{}\" is no policy, the nearest is \"{}\"", asked.name, nearest(asked.name, names)),
          fmt::format("{}", fmt::join(names, ", "))};
    case keyword_fault::no_parameter:
      return input_error{option, fmt::format("\"{}\" stands behind a policy that takes nothing there", asked.parameter),
                         std::string{asked.name}};
    case keyword_fault::bad_parameter:
      return input_error{option, fmt::format("\"{}\" is not what {} takes", asked.parameter, asked.name),
                         "a number above 0, or a time such as \"1.5ms\" for a slice"};
  }
  return std::nullopt;
}

auto fault_of_cpu_rule(const std::string& option, const std::string& word) -> std::optional<input_error> {
  const auto names = cpu_rule_names();
  if (std::ranges::find(names, word) != names.end()) { return std::nullopt; }
  return input_error{
      option, fmt::format("\"{}\" is no rule of processors here, the nearest is \"{}\"", word, nearest(word, names)),
      fmt::format("{}", fmt::join(names, ", "))};
}

void require_policy(const std::string& option, const std::string& word) {
  if (auto fault = fault_of_policy(option, word)) { throw std::move(*fault); }
}

void require_cpu_rule(const std::string& option, const std::string& word) {
  if (auto fault = fault_of_cpu_rule(option, word)) { throw std::move(*fault); }
}

auto judge_policy(const policy_query& q, const file_tasks& tasks, const hardware& board)
    -> std::unique_ptr<judged_policy> {
  std::unique_ptr<judged_policy> out;
  each_cpu_rule([&](const cpu_rule_entry& rule) {
    if (rule.word == q.cpus) {
      on_large_stack([&] { out = rule.judge(q, tasks, board); });
    }
  });
  return out;
}

}  // namespace takt::program
