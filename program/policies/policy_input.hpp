// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <takt/model/model_error.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/verdict_summary.hpp>

#include "../failure.hpp"
#include "../rule_wishes.hpp"
#include "judged.hpp"

namespace takt::program {

/// What the policy makes of a file, with all execution times by a factor in thousandths: see `report::judge_input`.
[[nodiscard]] auto judge_file(const workload_file& file, const policy_input& input, std::int64_t factor = 1000)
    -> std::unique_ptr<judged_policy>;

/// The question whether tasks are proven under the very plan of a judgement, with the numbers of its policy.
[[nodiscard]] auto question_about(const policy_input& input, const judged_policy& found) -> policy_query;
/// What is said of that plan with all execution times by a factor.
[[nodiscard]] auto judge_its_plan(const workload_file& file, const policy_input& input, const judged_policy& found,
                                  std::int64_t factor) -> std::unique_ptr<judged_policy>;

/// What a policy is asked of a file. It is refused where a wish, or the file's own rule, is none that policies know, or
/// the file states something that the policy does not do, such as to charge overheads.
[[nodiscard]] auto asked_of(const workload_file& file, const rule_wishes& wishes)
    -> std::variant<policy_input, input_error>;
/// The same. Throws what it is refused for.
[[nodiscard]] auto input_of(const workload_file& file, const rule_wishes& wishes) -> policy_input;

/// Takes the plan of the file into the question, unless the policy shares something else out.
[[nodiscard]] auto add_given_plan(const workload_file& file, policy_input& out) -> std::optional<input_error>;

/// Puts what was judged in the place of the file's own rules, with what was chosen.
void take_over(workload_file& file, const policy_input& input, const judged_policy& found);

/// Whether tasks have SMs of their own under a policy.
[[nodiscard]] auto has_own_sms(std::string_view policy) -> bool;
/// Whether runs that miss a deadline are looked for: tasks have SMs of their own by the file's own rules, and nothing
/// is proven.
[[nodiscard]] auto asks_for_runs(const policy_input& input, const rule_wishes& wishes, const judged_policy& found)
    -> bool;

/// Throws where the file's own rules say what the policy does not do.
void require_rules(const workload_file& file, const rule_wishes& wishes, const judged_policy& found);

/// Where in the file a fault, or a missing fact, is.
[[nodiscard]] auto place_of(const workload_file& file, std::uint32_t task, std::uint32_t visit) -> std::string;
[[nodiscard]] auto explain_fault(const workload_file& file, const model_error& error) -> input_error;

/// The facts that a policy lacks, as comparisons list them.
[[nodiscard]] auto missing_of(const workload_file& file, const judged_policy& found)
    -> std::vector<report::missing_words>;

/// What is known of a judgement, in words and as JSON. Pre: it was judged.
[[nodiscard]] auto summary_of(const workload_file& file, const judged_policy& found) -> report::verdict_summary;

/// The same with notes, and with what the published method of these tasks says of it.
[[nodiscard]] auto explained_summary(const workload_file& file, const policy_input& input, judged_policy& found)
    -> report::verdict_summary;

/// The rule of processors that a file means: on boards without CPUs that of its kernels.
[[nodiscard]] auto own_cpu_rule(const workload_file& file) -> std::string;

}  // namespace takt::program
