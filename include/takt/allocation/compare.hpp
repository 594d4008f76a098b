// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/allocation/policies/judge.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/value_list.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/sharing_policy.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a policy and a rule of processors make of tasks.
template <std::size_t N, std::size_t V>
struct comparison_line {
  std::string_view policy{};
  std::int64_t parameter = 0;  ///< what was chosen or given behind the name; 0: nothing
  std::string_view cpus{};
  bool judged = false;  ///< else facts are missing, or the verdict's error says why
  takt::verdict<ticks, N, V> verdict{};
  inline_vector<missing_part, V> missing;
  proven_misses<ticks, N> misses;  ///< why it is `unschedulable`

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return judged && verdict.schedulable(); }
  /// Pre: schedulable.
  [[nodiscard]] constexpr auto slack() const -> std::int64_t {
    TAKT_EXPECTS(schedulable());
    return slack_permille(verdict);
  }
};

template <std::size_t N, std::size_t V, std::size_t Lines>
struct comparison {
  inline_vector<comparison_line<N, V>, Lines> lines;

  /// Returns the first proven line with the largest slack; the first line where none is proven. Pre: some line.
  [[nodiscard]] constexpr auto best() const -> const comparison_line<N, V>& {
    TAKT_EXPECTS(!lines.empty());
    std::size_t out = 0;
    for (std::size_t k = 1; k < lines.size(); ++k) {
      const bool is_better =
          lines[k].schedulable() && (!lines[out].schedulable() || lines[out].slack() < lines[k].slack());
      if (is_better) { out = k; }
    }
    return lines[out];
  }
  [[nodiscard]] constexpr auto schedulable() const -> bool { return !lines.empty() && best().schedulable(); }
  /// Returns the first line of a policy; null where it is not compared.
  [[nodiscard]] constexpr auto under(std::string_view policy) const -> const comparison_line<N, V>* {
    for (const auto& line : lines) {
      if (line.policy == policy) { return &line; }
    }
    return nullptr;
  }
};

/// Rules of processors side by side.
template <RuleTag... Rules>
struct cpu_rule_list : value_list<Rules...> {};
template <RuleTag... Rules>
[[nodiscard]] constexpr auto cpu_rules(const Rules&... given) -> cpu_rule_list<Rules...> {
  return {list_of(given...)};
}

namespace detail {

template <std::size_t N, std::size_t V, SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] constexpr auto line_of(const policy_verdict<P, N, V>& judged, const CpuRule& /*rule*/)
    -> comparison_line<N, V> {
  return {.policy = P::name,
          .parameter = parameter_of(judged.policy),
          .cpus = cpu_keyword<CpuRule>,
          .judged = judged.judged,
          .verdict = judged.verdict,
          .missing = judged.missing,
          .misses = judged.misses};
}

}  // namespace detail

/// Judges one workload under every policy of one list and every rule of processors of another, by default fixed
/// priorities. For each pair a plan is looked for, and the combiners and the judges say what is proven. `Judges`: as
/// `judge` has them. Cost: `judge` for each pair.
template <class Judges = methods<>, std::size_t N, std::size_t V, std::size_t R, std::size_t S, class... P,
          class... Rules>
[[nodiscard]] constexpr auto compare(const runtime_task_set<N, V, R, S>& all, const hardware& board,
                                     const policy_list<P...>& policies, const cpu_rule_list<Rules...>& rules,
                                     std::int32_t rounds = default_share_rounds)
    -> comparison<N, V, sizeof...(P) * sizeof...(Rules)> {
  comparison<N, V, sizeof...(P) * sizeof...(Rules)> out;
  policies.each([&](const auto& policy) {
    rules.each([&](const auto& rule) {
      // Bound: one per policy and rule.
      out.lines.unchecked_push_back(detail::line_of(judge<Judges>(policy, rule, all, board, rounds), rule));
    });
  });
  return out;
}
template <class Judges = methods<>, std::size_t N, std::size_t V, std::size_t R, std::size_t S, class... P>
[[nodiscard]] constexpr auto compare(const runtime_task_set<N, V, R, S>& all, const hardware& board,
                                     const policy_list<P...>& policies) {
  return compare<Judges>(all, board, policies, cpu_rules(fixed_priority));
}

/// Compares policies for tasks of any spelling. Error: what no description holds; in a constant expression it stops
/// compilation, at run time there is no line.
template <class Judges = methods<>, VisitSource T, class... P, class... Rules>
[[nodiscard]] constexpr auto compare(const T& tasks, const hardware& board, const policy_list<P...>& policies,
                                     const cpu_rule_list<Rules...>& rules, std::int32_t rounds = default_share_rounds,
                                     detail::refusal&& refused = detail::refusal{true}) {
  const auto all = to_runtime_tasks(tasks);
  refused.error = all.error;
  return all.error ? decltype(compare<Judges>(all.tasks, board, policies, rules, rounds)){}
                   : compare<Judges>(all.tasks, board, policies, rules, rounds);
}
template <class Judges = methods<>, VisitSource T, class... P>
[[nodiscard]] constexpr auto compare(const T& tasks, const hardware& board, const policy_list<P...>& policies,
                                     detail::refusal&& refused = detail::refusal{true}) {
  const auto all = to_runtime_tasks(tasks);
  refused.error = all.error;
  return all.error ? decltype(compare<Judges>(all.tasks, board, policies)){}
                   : compare<Judges>(all.tasks, board, policies);
}

}  // namespace takt::inline TAKT_ABI
