// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <takt/allocation/stoppable_search.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/accelerator/gang_order.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/systems/graphs/plans/judged_policies.hpp>
#include <takt/systems/locked_gpus/rules/locked_engines.hpp>
#include <takt/systems/policy_query.hpp>
#include <takt/systems/rtgpu/plans/analysis_policies.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Describes a search that a question may end.
template <class Tasks>
struct asked_search {
  const policy_query<Tasks>* of = nullptr;

  [[nodiscard]] auto operator()() const -> std::function<bool(std::uint64_t)> {
    if (of->begin_search) { return of->begin_search(); }
    return [](std::uint64_t) { return false; };
  }
};

template <class Tasks, class F>
void with_single_method(const policy_query<Tasks>& q, const F& f) {
  const search_method method = q.search.value_or(default_search);
  const stoppable_search<asked_search<Tasks>> search{method, q.most_evaluations, {&q}};
  const auto ask = [&](const auto& policy) {
    if (policy.analysis == (q.analysis.empty() ? "rtgpu-best" : q.analysis)) { f(policy); }
  };
  if (q.policy == federated_policy::name) {
    analysis_policies<false>(search).each(ask);
  } else {
    analysis_policies<true>(search).each(ask);
  }
}

}  // namespace detail

/// f of the policy that is asked for: an analysis of tasks with SMs of their own, what is said of one's own rule, or
/// one that is published.
template <class Tasks, class F>
void with_asked_policy(const policy_query<Tasks>& q, const F& f) {
  if (q.asks_one()) { return detail::with_single_method(q, f); }
  if (q.granted) { return f(*q.granted); }
  if (q.overlapping_graphs) { return f(overlapping_graphs_policy{}); }
  if (q.own && q.own->sharing == gang_policy::name && q.own->order == strict.name) {
    return f(ordered_gang_policy<strict_order>{});
  }
  static_cast<void>(with_policy(published_policies, q.policy, [&](auto policy) {
    if (q.own) { take_values(policy, *q.own); }
    if constexpr (requires { policy.tokens; }) {
      if (q.engines) {
        auto locked = with_locked_engines(policy, *q.engines);
        if (q.own) {
          const std::int32_t tokens = q.own->tokens_per_gpu.value_or(1);
          locked.tokens = tokens == 0 ? any_number_of_tokens : tokens;
        }
        take_parameters(locked, q.chosen);
        return f(locked);
      }
    }
    take_parameters(policy, q.chosen);
    f(policy);
  }));
}

}  // namespace takt::inline TAKT_ABI::report
