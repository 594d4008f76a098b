// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/allocation/policies/judge_any.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/locked_gpus/platform.hpp>
#include <takt/report/verdict_summary.hpp>

#include "../described_file.hpp"
#include "../files/workload_file.hpp"

namespace takt::program {

using policy_board = any_policy_board<max_file_visits>;
using policy_judgement = verdict<ticks, max_tasks, max_file_visits>;

/// A way of sharing GPUs and a rule of processors, in words.
struct policy_question {
  std::string policy;                  ///< "tokens-k-fmlp:2"
  std::string cpus;                    ///< "g-edf"
  std::int32_t together = 1;           ///< processors of a cluster, where the rule is of clusters
  const workload_file* own = nullptr;  ///< whose own rule the policy is
  std::string analysis;                ///< published, of tasks with SMs of their own; empty: the best of all
  std::optional<search_method> search;
  std::optional<gpusync_board<>> engines;  ///< of the GPUs, each with a lock, where tokens are for them

  /// Whether one analysis alone is asked, and none of takt's own beside it.
  [[nodiscard]] auto asks_one() const noexcept -> bool { return !analysis.empty() || search.has_value(); }
};

/// What a policy makes of a workload.
struct judged_policy {
  std::string policy;  ///< with what was chosen or given behind it
  std::string_view cpus{};
  std::string_view copies{};   ///< rule of the copy engines
  std::string_view devices{};  ///< rule of resources of one's own
  bool judged = false;         ///< else facts are missing, or the verdict's error says why; see `board_verdict`
  search_method search = default_search;
  policy_judgement verdict{};
  model_error unread;  ///< why the published method cannot read the tasks, once it was asked to explain
  std::vector<missing_part> missing;
  proven_misses<ticks, max_tasks> misses;  ///< why it is `unschedulable`
  policy_board board;
  sharing_rule rule;  ///< how a file says it

  using explanation = std::optional<report::verdict_summary>;
  /// What the published method of these tasks says of the verdict; nothing where it cannot read them.
  std::function<explanation(const workload_file& file, const file_tasks& tasks)> explain;
  /// In virtual time where the engine of boards does not know the rules.
  std::function<sighting(const file_tasks& tasks, const hardware& board, const simulation_options& o, trace* kept)>
      simulate;
};

/// A rule of processors by its word, and what it makes of every policy.
struct cpu_rule_entry {
  std::string_view word;
  void (*judge)(const policy_question& q, const file_tasks& tasks, const hardware& board, judged_policy& out);
};
extern const std::span<const cpu_rule_entry> fixed_priority_rules;
extern const std::span<const cpu_rule_entry> deadline_rules;
extern const std::span<const cpu_rule_entry> cluster_rules;

[[nodiscard]] auto policy_names() -> std::vector<std::string_view>;
[[nodiscard]] auto cpu_rule_names() -> std::vector<std::string_view>;
[[nodiscard]] auto analysis_names() -> std::vector<std::string_view>;

/// Throws `input_error` for a word that is no policy, or has nothing, or something else, behind its name.
void require_policy(const std::string& option, const std::string& word);
void require_cpu_rule(const std::string& option, const std::string& word);

/// Whether at most one kernel is on a GPU at a time. Pre: the word is known.
[[nodiscard]] auto serves_one_kernel(const std::string& policy) -> bool;

/// Who lets the next kernel in. Pre: the word is known.
[[nodiscard]] auto handover_under(const std::string& policy) -> kernel_handover;
/// Whether jobs hold tokens of a GPU. Pre: the word is known.
[[nodiscard]] auto locks_gpus(const std::string& policy) -> bool;

/// Pre: the words are known.
[[nodiscard]] auto judge_policy(const policy_question& q, const file_tasks& tasks, const hardware& board)
    -> std::unique_ptr<judged_policy>;

/// The policy by which a file shares its GPUs, in a word; with one for boards without GPU, too.
[[nodiscard]] auto policy_of(const workload_file& file) -> std::string;

}  // namespace takt::program
