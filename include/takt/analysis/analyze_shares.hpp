// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/analysis/share_verdict.hpp>
#include <takt/analysis/shares/necessary_shares.hpp>
#include <takt/analysis/shares/sufficient_shares.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/contention_predictor.hpp>

namespace takt {

namespace analysis::detail {

/// The first application whose memory is not there besides that of those before it.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto memory_fault(const share_table<MaxTasks>& table, const gpu_shares_resource& gpu)
    -> model_error {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; gpu.limits_memory && i < table.size(); ++i) {
    sum += table.tasks[i].memory.count();
    if (sum > gpu.memory.count()) { return {.fault = model_fault::plan_does_not_fit, .task = i}; }
  }
  return {};
}

/// Whom the test vouches for: those from the highest priority down whose shares still fit. Those below the first that
/// does not have no proof, since it may take what they need.
template <std::size_t MaxTasks>
constexpr void enter_shares(const share_table<MaxTasks>& table, const share_test<MaxTasks>& test,
                            const share_rules& rules, share_verdict<MaxTasks>& out) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    out.needs[i] = test.tasks[i].need;
    std::int32_t sum = out.needs[i];
    std::int32_t above = 0;
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (table.tasks[k].priority > t.priority) { above += test.tasks[k].need; }
    }
    sum += above;
    const bool reached = above <= greatest_sum(rules);
    static_cast<void>(out.tasks.push_back({.name = t.name,
                                           .deadline = t.deadline,
                                           .evaluated = reached || !provable(rules),
                                           .meets = provable(rules) && sum <= greatest_sum(rules)}));
  }
  out.sum = test.sum;
}

}  // namespace analysis::detail

/// Proves, or fails to prove, that every application meets its deadline on a GPU that is granted by shares, for
/// sporadic and hence for periodic releases, if the contention of the set bounds the true one.
///
/// `schedulable` by `sufficient_shares`, under rules like `wamp2s_robust` only; `unschedulable` by `necessary_shares`,
/// under all. Error: `invalid_model` and `overflow`, with the field in `error`; in a constant expression these stop
/// compilation with a sentence.
template <HasGpuShares P, TaskSet T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks,
                                     detail::refusal&& refused = detail::refusal{detail::check_shares<P, T>::passed}) {
  if constexpr (SharePlatform<P> && ShareTaskSet<T>) {
    const auto& table = tasks.template table<ticks>();
    const share_rules& rules = share_rule_of(platform).rules;
    share_verdict<std::remove_cvref_t<decltype(table)>::max_tasks> out;
    out.analysis = "sufficient-shares";
    out.error = platform.validate();
    if (!out.error) { out.error = validate(table); }
    if (!out.error) { out.error = analysis::detail::memory_fault(table, share_pool_of(platform).resource); }
    if (out.error) {
      out.status =
          out.error.fault == model_fault::time_overflow ? verdict_status::overflow : verdict_status::invalid_model;
    } else {
      const auto test = analysis::sufficient_shares(table, contention_predictor(table), rules);
      analysis::detail::enter_shares(table, test, rules, out);
      out.status = test.sufficient                               ? verdict_status::schedulable
                   : analysis::necessary_shares(table).refuted() ? verdict_status::unschedulable
                                                                 : verdict_status::not_proven;
    }
    refused.error = out.error;
    return out;
  }
}

}  // namespace takt
