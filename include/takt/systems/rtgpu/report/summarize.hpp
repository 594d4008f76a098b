// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_set.hpp>
#include <takt/report/chain_platform.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/share_tags.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Adds why tasks are not judged: one of higher priority fails, or the plan gives their kernels no SM.
template <class Table, std::size_t N, std::size_t M>
void add_reasons(const Table& table, const plan<N, M>& p, verdict_summary& out) {
  TAKT_EXPECTS(out.tasks.size() == table.size());
  std::string failing;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::uint32_t id = table.tasks[k].id;
    task_summary& row = out.tasks[id];
    if (!row.evaluated) {
      row.because = "its bound would rest on " + failing + ", of higher priority, meeting its deadline";
      continue;
    }
    if (!row.meets && failing.empty()) { failing = row.name; }
    const bool served = id < p.shares.size() && p.shares[id].sms > 0;
    if (!row.bound.exists && row.demand.empty() && table.has_kernel(k) && !served) {
      row.because = "it has kernels, and the plan gives it no SM";
    }
  }
}

template <class Table, std::size_t N, std::size_t M>
void add_chain_facts(const platform_record& platform, const rule_words& rules, const Table& table, const plan<N, M>& p,
                     verdict_summary& out) {
  fact core{"core", std::vector<std::string>(out.tasks.size())};
  fact sms{"SMs", std::vector<std::string>(out.tasks.size(), "-")};
  out.order.clear();
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto id = table.tasks[k].id;
    out.order.push_back(id);
    core.cells[id] = std::to_string(table.tasks[k].core);
    const sm_share share = id < p.shares.size() ? p.shares[id] : sm_share{};
    out.tasks[id].kernels_on = share_words(platform, share);
    if (share.sms < 1) { continue; }
    sms.cells[id] = rules.gpus == "tokens" ? "token" : std::to_string(share.sms);
    if (rules.gpus != "tokens" && platform.gpus.size() > 1) { sms.cells[id] += " on " + std::to_string(share.gpu); }
  }
  if (platform.cores > 1) { out.facts.push_back(std::move(core)); }
  out.facts.push_back(std::move(sms));
}

/// Returns whether the number of virtual SMs replaces a ratio that is not given.
template <class Table>
[[nodiscard]] auto has_unsaid_ratio(const Table& table, const platform_record& platform) -> bool {
  return std::ranges::any_of(platform.gpus, [](const gpu_record& gpu) { return gpu.virtual_per_sm > 1; }) &&
         std::ranges::any_of(table.segments, [](const auto& s) {
           return s.where == stage::kernel && s.samples == 0 && s.interleave_numerator == unsaid_interleave;
         });
}

}  // namespace detail

/// Returns a verdict on chains with its reasons. Pre: `v` is about these tasks on this platform.
template <KnownComposition P, TaskSet T, std::size_t N, std::size_t M>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto summarize(const P& platform, const T& tasks, const verdict<ticks, N, M>& v) -> verdict_summary {
  verdict_summary out = detail::begin_summary(v);
  const platform_record record = platform.record();
  const detail::rule_words rules = detail::rule_words_of<P>(record);
  out.platform_words = detail::board_words(record, rules);
  out.platform = detail::board_tree(record, rules);
  out.allocation = detail::share_members(v.plan, out, record.gpus.size() > 1, tasks);
  if (out.tasks.empty()) { return out; }
  const auto table = planned_table(platform, tasks, v.plan);
  TAKT_EXPECTS(out.tasks.size() == table.size());
  detail::add_chain_facts(record, rules, table, v.plan, out);
  out.plan_words = detail::plan_words(record, rules, table, v.plan);
  out.plan = detail::plan_members(v.plan, out);
  for (const auto& [name, part] : out.allocation.members()) { out.plan.add(name, part); }
  detail::add_reasons(table, v.plan, out);
  if (v.status == verdict_status::unschedulable) { add_misses(out, analysis::find_proven_misses(table, record)); }
  out.assumptions.emplace_back("Jobs of a task are released at least its period apart.");
  out.assumptions.emplace_back("Every segment takes a time within its bounds.");
  if (table.gpu_tasks() > 0) {
    out.assumptions.emplace_back("No kernel is slowed down by more than its interleave ratio and its overhead say.");
    if (detail::has_unsaid_ratio(table, record)) { out.assumptions.emplace_back(detail::unsaid_interleave_words); }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
