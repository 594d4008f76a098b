// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_board.hpp>
#include <takt/model/hardware.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/fault_words.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/policies/policy_summary.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/whole_gpu.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Returns "tokens-k-fmlp:2".
template <std::size_t N, std::size_t V>
[[nodiscard]] auto policy_of_line(const comparison_line<N, V>& line) -> std::string {
  const std::string name{line.policy};
  if (line.parameter == 0) { return name; }
  return name + ":" + std::to_string(line.parameter) + (line.policy == time_sliced_policy::name ? "ns" : "");
}

template <std::size_t N, std::size_t V, class Tasks>
[[nodiscard]] auto row_of_line(const comparison_line<N, V>& line, const Tasks& tasks, const hardware& board)
    -> comparison_row {
  comparison_row out;
  out.policy = policy_of_line(line);
  out.cpus = line.cpus;
  const auto steps = step_names(tasks);
  for (const missing_part& m : line.missing) {
    const bool of_task = m.task < tasks.size();
    const bool of_visit = of_task && m.visit < tasks.tasks[m.task].visit_count;
    out.missing.push_back({of_visit  ? steps[tasks.tasks[m.task].first_visit + m.visit]
                           : of_task ? std::string{tasks.tasks[m.task].name}
                                     : std::string{},
                           std::string{m.fact}});
  }
  if (!line.judged) {
    if (line.missing.empty()) { out.because = explain_fault(line.verdict.error); }
    return out;
  }
  sharing_rule rule;
  rule.sharing = line.policy;
  static_cast<void>(
      with_policy(published_policies, out.policy, [&rule](const auto& policy) { rule = rule_of_policy(policy); }));
  auto summary = begin_summary(line.verdict);
  out.status = line.verdict.status;
  out.method = summary.method;
  out.misses = compared_misses(line.misses, line.verdict.tasks);
  out.plan_words = plan_words(tasks, board, rule, line.cpus, line.verdict.plan);
  summary.visits = steps;
  out.plan = plan_members(line.verdict.plan, summary);
  const auto shares = share_members(line.verdict.plan, summary, board.gpus.size() > 1, tasks);
  for (const auto& [name, part] : shares.members()) { out.plan.add(name, part); }
  out.tasks = compared_tasks(summary);
  const bool limited = std::ranges::any_of(summary.tasks, [](const task_summary& t) { return t.limited; });
  if (limited && line.verdict.bounded()) { out.slack_permille = slack_permille(line.verdict); }
  return out;
}

}  // namespace detail

/// Returns a comparison in words, for tables, pictures and JSON; largest factors are left open. Pre: it is about these
/// tasks on this board.
template <std::size_t N, std::size_t V, std::size_t Lines, std::size_t R, std::size_t S>
[[nodiscard]] auto summarize(const comparison<N, V, Lines>& c, const runtime_task_set<N, V, R, S>& tasks,
                             const hardware& board, std::string_view title = {}) -> comparison_summary {
  comparison_summary out{.title = std::string{title}, .platform_words = hardware_words(board), .rows = {}};
  for (const auto& line : c.lines) { out.rows.push_back(detail::row_of_line(line, tasks, board)); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
