// SPDX-License-Identifier: Apache-2.0
#include "chain_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/analysis/cause_effect/chain_latency.hpp>

#include "files/offsets.hpp"
#include "large_stack.hpp"

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

auto waiting_in(const workload_file& file, const policy_input& input, const judged_policy& found) -> waiting_question {
  return [&](std::size_t producer, std::size_t consumer) {
    if (!found.waiting) { return wait_obstacle::rule_unknown; }
    if (file.overheads) { return wait_obstacle::visits_held_back; }  // until the system has seen their releases
    wait_obstacle out{};
    on_large_stack([&] { out = found.waiting(found, *input.tasks, producer, consumer); });
    return out;
  };
}

void bound_stages(judged_chain& chain) {
  if (chain.stages.empty()) { return; }
  chain.summary.bound = bound_chain(chain.stages);
  chain.summary.why = why_unbounded(chain.summary.bound.fault, chain.summary);
}

auto judge_chain(const chain_facts& chain, const workload_file& file, const report::verdict_summary& proven,
                 const waiting_question& waiting, bool own_clocks) -> judged_chain {
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
    chain_stage stage{.period = file.tasks.tasks[t].period,
                      .response = response.value,
                      .how = how,
                      .offset = own_clocks ? 0 : file.tasks.tasks[t].offset,
                      .clock = own_clocks ? own_clock : 0};
    const bool meet = i > 0 && !has_fixed_times(how) && !has_fixed_times(out.stages.back().how);
    if (meet && chain.tasks[i - 1] != t) {
      const wait_obstacle obstacle = waiting(chain.tasks[i - 1], t);
      stage.waits_for_producer = obstacle == wait_obstacle::none;
      out.summary.waits.push_back(
          {.consumer = proven.tasks[t].name, .producer = proven.tasks[chain.tasks[i - 1]].name, .obstacle = obstacle});
    }
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
  if (out.summary.why.empty()) { bound_stages(out); }
  return out;
}

auto assumptions_of(const std::vector<report::chain_summary>& chains, const workload_file& file, bool own_clocks)
    -> std::vector<std::string> {
  std::vector<std::string> out{fmt::format("Tasks are released exactly a period apart{}.",
                                           own_clocks          ? ", each by a clock of its own"
                                           : has_offsets(file) ? " by one clock, at first at their offsets"
                                                               : " by one clock, at first all together")};
  out.emplace_back("Latencies count once every task of a chain has been released.");
  const bool fixed = std::ranges::all_of(
      chains, [](const report::chain_summary& c) { return std::ranges::all_of(c.semantics, has_fixed_times); });
  if (!fixed) { out.emplace_back("Outputs of a task are given in the order of its jobs."); }
  const bool some_wait = std::ranges::any_of(chains, [](const report::chain_summary& c) {
    return std::ranges::any_of(c.waits, [](const auto& w) { return w.obstacle == wait_obstacle::none; });
  });
  if (some_wait) {
    out.emplace_back(
        "On a core a job starts when older jobs of tasks with a strictly earlier place in its order have ended.");
  }
  return out;
}

}  // namespace takt::program
