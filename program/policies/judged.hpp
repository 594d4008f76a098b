// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/policies/judged_policy.hpp>
#include <takt/report/policies/policy_input.hpp>
#include <takt/report/policies/policy_query.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/tags.hpp>

#include "../failure.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

using policy_query = report::policy_query<file_tasks>;
using policy_input = report::policy_input<file_tasks, policy_query>;
using judged_policy = report::judged_policy<file_tasks>;

/// A rule of processors by its word, and what it makes of every policy.
struct cpu_rule_entry {
  std::string_view word;
  auto (*judge)(const policy_query& q, const file_tasks& tasks, const hardware& board)
      -> std::unique_ptr<judged_policy>;
};
extern const std::span<const cpu_rule_entry> fixed_priority_rules;
extern const std::span<const cpu_rule_entry> nonpreemptive_rules;
extern const std::span<const cpu_rule_entry> deadline_rules;
extern const std::span<const cpu_rule_entry> cluster_rules;

/// f.operator()<rule>(word) of each rule of clusters.
template <class F>
constexpr void each_cluster_rule(const F& f) {
  f.template operator()<g_edf>("g-edf");
  f.template operator()<g_fl>("g-fl");
  f.template operator()<g_fifo>("g-fifo");
  f.template operator()<gel>("gel");
  f.template operator()<fixed_priority>("g-fixed-priority");
  f.template operator()<rate_monotonic>("g-rate-monotonic");
  f.template operator()<deadline_monotonic>("g-deadline-monotonic");
}

[[nodiscard]] auto policy_names() -> std::vector<std::string_view>;
[[nodiscard]] auto cpu_rule_names() -> std::vector<std::string_view>;
[[nodiscard]] auto analysis_names() -> std::vector<std::string_view>;

/// What is wrong with a question that needs a published system by the name of its folder; nothing where it is there.
[[nodiscard]] auto fault_of_system(const std::string& where, std::string_view system) -> std::optional<input_error>;

/// What is wrong with a word that is no policy, or has nothing, or something else, behind its name; nothing if it is
/// one.
[[nodiscard]] auto fault_of_policy(const std::string& option, const std::string& word) -> std::optional<input_error>;
[[nodiscard]] auto fault_of_cpu_rule(const std::string& option, const std::string& word) -> std::optional<input_error>;
/// Throws it.
void require_policy(const std::string& option, const std::string& word);
void require_cpu_rule(const std::string& option, const std::string& word);

/// Pre: the words are known.
[[nodiscard]] auto judge_policy(const policy_query& q, const file_tasks& tasks, const hardware& board)
    -> std::unique_ptr<judged_policy>;

}  // namespace takt::program
