// SPDX-License-Identifier: Apache-2.0
#include "chain_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/analysis/cause_effect/chain_latency.hpp>

namespace takt::program {

namespace {

[[nodiscard]] auto communication_of(std::string_view word) -> communication {
  for (const communication c : {communication::implicit, communication::direct}) {
    if (name_of(c) == word) { return c; }
  }
  return communication::let;
}

/// What is wrong with a chain, in a sentence about one of its tasks.
[[nodiscard]] auto why_unbounded(const chain_fault& fault, const report::chain_summary& c) -> std::string {
  const std::string& task = c.tasks[fault.stage];
  switch (fault.status) {
    case chain_status::bounded: return "";
    case chain_status::let_interval_exceeded:
      return fmt::format("{}: {} is not proven to end within its period, when its output is given", c.name, task);
    case chain_status::overflow: return fmt::format("{}: the times up to {} are too large", c.name, task);
    case chain_status::empty:
    case chain_status::period_not_positive:
    case chain_status::response_negative:
    case chain_status::producer_not_waited_for: break;
  }
  return fmt::format("{}: {} does not fit ({})", c.name, task, name_of(fault.status));
}

}  // namespace

auto judge_chain(const chain_facts& chain, const file_tasks& tasks, const report::verdict_summary& proven,
                 bool own_clocks) -> judged_chain {
  judged_chain out;
  out.summary.name = chain.name;
  out.summary.reaction_limit = chain.reaction;
  out.summary.age_limit = chain.age;
  for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
    const std::uint32_t t = chain.tasks[i];
    const communication how = communication_of(chain.semantics[i]);
    const response_bound<ticks> response = proven.promised(t);
    out.summary.tasks.push_back(proven.tasks[t].name);
    out.summary.semantics.push_back(how);
    const chain_stage stage{
        .period = tasks.tasks[t].period, .response = response.value, .how = how, .clock = own_clocks ? own_clock : 0};
    out.stages.push_back(stage);
    if (response.exists) { continue; }
    // Under LET only that it ends in time counts, not when.
    std::string& to = has_fixed_times(stage.how) ? out.summary.condition : out.summary.why;
    if (to.empty()) {
      to = has_fixed_times(stage.how)
               ? fmt::format("{}: holds if {} ends within its period, which is not proven", chain.name,
                             proven.tasks[t].name)
               : fmt::format("{}: {} has no proven response time", chain.name, proven.tasks[t].name);
    }
  }
  if (!out.summary.why.empty()) { return out; }
  out.summary.bound = bound_chain(out.stages);
  out.summary.why = why_unbounded(out.summary.bound.fault, out.summary);
  return out;
}

auto assumptions_of(const std::vector<report::chain_summary>& chains, bool own_clocks) -> std::vector<std::string> {
  std::vector<std::string> out{own_clocks
                                   ? "Tasks are released exactly a period apart, each by a clock of its own."
                                   : "Tasks are released exactly a period apart by one clock, at first all together."};
  out.emplace_back("Latencies count once every task of a chain has been released.");
  const bool fixed = std::ranges::all_of(
      chains, [](const report::chain_summary& c) { return std::ranges::all_of(c.semantics, has_fixed_times); });
  if (!fixed) { out.emplace_back("Outputs of a task are given in the order of its jobs."); }
  return out;
}

}  // namespace takt::program
