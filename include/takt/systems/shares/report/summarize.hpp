// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/systems/shares/analysis/necessary_shares.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

[[nodiscard]] constexpr auto word_of(share_rules rules) noexcept -> std::string_view {
  rules.actuation = 0;
  return rules == wamp2s_robust    ? "robust"
         : rules == wamp2s_text    ? "text"
         : rules == wamp2s_literal ? "literal"
                                   : "own";
}

[[nodiscard]] constexpr auto word_of(const share_triggers& triggers) noexcept -> std::string_view {
  const bool reuse = reuses_progress(triggers.reuse);
  switch (triggers.decrease) {
    case decrease_rule::operate: return reuse ? "accumulated-execution" : "every-change";
    case decrease_rule::keep: return reuse ? "hybrid" : "workload-decrease";
    case decrease_rule::refill: return reuse ? "hybrid-refill" : "refill";
  }
  return "";
}

template <SharePlatform P>
void describe_share_pool(const P& platform, bool contention, verdict_summary& out) {
  const auto& rule = share_rule_of(platform);
  const gpu_shares_resource& gpu = share_pool_of(platform).resource;
  const std::string rules{word_of(rule.rules)};
  const std::string_view triggers = word_of(rule.triggers);
  tree one;
  one.add("sharing", "shares").add("rules", rules).add("triggers", triggers);
  if (gpu.limits_memory) { one.add("memory", gpu.memory.bytes()); }
  out.platform.add("gpus", tree{tree::array{std::move(one)}});
  out.platform_words.push_back("GPU by shares (" + rules + " rules, deciding at " +
                               (triggers == "every-change" ? "every change" : "releases") + ")");
  if (contention) { out.platform_words.emplace_back("with contention"); }
}

/// Says for which tasks the test is a proof, and why not for the others. Priorities descend in `out.order`.
inline void add_share_reasons(const share_rules& rules, const auto& percents, verdict_summary& out) {
  const std::int32_t most = greatest_sum(rules);
  std::string failing;
  std::int32_t sum = 0;
  for (const std::uint32_t i : out.order) {
    task_summary& row = out.tasks[i];
    const std::int32_t percent = percents[i];
    const bool helps = percent <= full_share.percent();
    sum += percent;
    row.remarks.push_back(helps ? "with " + std::to_string(percent) +
                                      " % of the GPU it keeps up with its deadline, whatever the others do"
                                : "no share lets " + row.name + " keep up with its deadline beside the others");
    if (row.meets) { continue; }
    if (!row.evaluated) {
      row.because = failing + ", of higher priority, has no proof and may take what it needs";
    } else if (!analysis::provable(rules)) {
      row.because = "under these rules its lasting share proves nothing";
    } else if (helps) {
      row.because = "the lasting shares come to " + std::to_string(sum) + " with its own, and at most " +
                    std::to_string(most) + " % fit";
    }
    if (failing.empty()) { failing = row.name; }
  }
}

[[nodiscard]] inline auto share_tests(const verdict_summary& v, std::int32_t sum, std::int32_t most,
                                      const analysis::necessary_test& necessary) -> tree {
  tree enough;
  enough.add("name", "sufficient-shares").add("passes", v.status == verdict_status::schedulable);
  enough.add("sum", sum).add("most", most);
  tree needed;
  needed.add("name", "necessary-shares").add("passes", !necessary.refuted());
  return tree{tree::array{std::move(enough), std::move(needed)}};
}

}  // namespace detail

/// Returns a verdict on applications that share a GPU with its reasons: the lasting share of each. Pre: `v` is about
/// these applications on this platform.
template <SharePlatform P, ShareTaskSet T, std::size_t N, std::size_t M>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto summarize(const P& platform, const T& tasks, const verdict<ticks, N, M>& v) -> verdict_summary {
  verdict_summary out = detail::begin_summary(v);
  out.bounds_tasks = false;
  const auto& table = tasks.template table<ticks>();
  detail::describe_share_pool(platform, !table.contention.none(), out);
  if (out.tasks.empty()) { return out; }
  TAKT_EXPECTS(out.tasks.size() == table.size());
  std::ranges::sort(out.order, [&table](std::uint32_t a, std::uint32_t b) {
    return std::pair{table.tasks[b].priority, a} < std::pair{table.tasks[a].priority, b};
  });
  fact priority{.head = "priority"};
  fact whole{.head = "whole GPU ms"};
  fact lasting{.head = "lasting share %"};
  tree granted{tree::object{}};
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    const std::int32_t percent = v.plan.percents[i];
    const bool helps = percent <= full_share.percent();
    sum += percent;
    priority.cells.push_back(std::to_string(table.tasks[i].priority));
    whole.cells.push_back(in_milliseconds(table.tasks[i].alone.at(full_share)));
    lasting.cells.push_back(helps ? std::to_string(percent) : "none");
    if (helps) { granted.add(out.tasks[i].name, percent); }
  }
  out.facts = {std::move(priority), std::move(whole), std::move(lasting)};
  out.allocation.add("lasting_share", std::move(granted));
  out.plan = detail::plan_members(v.plan, out);
  const share_rules& rules = share_rule_of(platform).rules;
  const std::int32_t most = greatest_sum(rules);
  detail::add_share_reasons(rules, v.plan.percents, out);
  const auto necessary = analysis::necessary_shares(table);
  out.tests = detail::share_tests(out, sum, most, necessary);
  out.findings.push_back("The lasting shares come to " + std::to_string(sum) + " of at most " + std::to_string(most) +
                         " %.");
  if (!analysis::provable(rules)) {
    out.findings.push_back("Under the \"" + std::string{detail::word_of(rules)} +
                           "\" rules that proves nothing; \"robust\" ones can be proven.");
  }
  if (necessary.too_long != no_index) {
    out.findings.push_back(out.tasks[necessary.too_long].name +
                           " takes longer than its deadline even with the whole GPU.");
  }
  if (necessary.area == analysis::area_result::exceeds) {
    out.findings.emplace_back("However little of the GPU each job is given, all together ask for more than there is.");
  }
  out.assumptions.emplace_back("Jobs of an application are released at least its period apart.");
  out.assumptions.emplace_back("With a share of the GPU no job takes longer than its row of times says.");
  out.assumptions.emplace_back("Applications slow one another down by no more than the contention of the set says.");
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
