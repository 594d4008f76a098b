// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/systems/shares/analysis/necessary_shares.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Says for which tasks the test is a proof: those from the highest priority down whose shares still fit. Those below
/// the first that does not have no proof, since it may take what they need.
template <std::size_t MaxTasks>
constexpr void enter_shares(const application_set<MaxTasks>& table, const share_test<MaxTasks>& test,
                            const share_rules& rules, verdict<ticks, MaxTasks>& out) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    std::int32_t sum = test.tasks[i].need;
    // Bound: one per task, as in the table.
    out.plan.percents.unchecked_push_back(sum);
    std::int32_t above = 0;
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (table.tasks[k].priority > t.priority) { above += test.tasks[k].need; }
    }
    sum += above;
    const bool reached = above <= greatest_sum(rules);
    out.tasks.unchecked_push_back({.name = t.name,
                                   .deadline = t.deadline,
                                   .evaluated = reached || !provable(rules),
                                   .meets = provable(rules) && sum <= greatest_sum(rules)});
  }
}

/// Tests whether every application meets its deadline on a GPU that is granted by shares. The test holds for sporadic
/// and hence for periodic releases, if the contention of the set bounds the true one.
///
/// `schedulable` by `sufficient_shares`, under rules like `wamp2s_robust` only; `unschedulable` by `necessary_shares`,
/// under all. The plan of the verdict says the least lasting share of each application. A plan that is given has to
/// hold as much, or `plan_does_not_fit`.
struct share_method {
  static constexpr std::string_view name = "sufficient-shares";
  template <class T>
  static constexpr bool judges = ShareTaskSet<T>;

  template <SharePlatform P, ShareTaskSet T, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto judge(const P& platform, const T& tasks, const plan<N, V>& p) {
    const auto& table = tasks.template table<ticks>();
    const share_rules& rules = share_rule_of(platform).rules;
    verdict<ticks, std::remove_cvref_t<decltype(table)>::max_tasks> out;
    out.method = name;
    out.error = platform.validate();
    if (!out.error) { out.error = validate(table); }
    if (!out.error) { out.error = fits(table, share_pool_of(platform).resource); }
    if (!out.error) { out.error = parts_fault(p, {.percents = true}, table.size()); }
    if (out.error) {
      out.status = takt::detail::status_of(out.error);
      return out;
    }
    const auto test = sufficient_shares(table, contention_predictor(table), rules);
    detail::enter_shares(table, test, rules, out);
    out.status = test.sufficient                     ? verdict_status::schedulable
                 : necessary_shares(table).refuted() ? verdict_status::unschedulable
                                                     : verdict_status::not_proven;
    for (std::size_t i = 0; i < p.percents.size(); ++i) {
      if (p.percents[i] < test.tasks[i].need) { out.refuse({.fault = model_fault::plan_does_not_fit}); }
    }
    return out;
  }
};
/// Knows applications with shares of a GPU.
struct shared_applications : method_family {
  template <SharePlatform P>
  using on = share_method;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
