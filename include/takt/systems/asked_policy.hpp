// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/report/policies/policy_query.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/accelerator/gang_order.hpp>
#include <takt/rules/policies/overlapping_graphs.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/systems/in_words.hpp>

namespace takt::inline TAKT_ABI::report {

/// f of the policy that is asked for: one of a system, what is said of one's own rule, or one that is published. f is
/// not called where a question needs a system that is not there, or has engines beside a policy without tokens.
template <class Tasks, class F>
void with_asked_policy(const policy_query<Tasks>& q, const F& f) {
  bool is_asked = false;
  detail::each_system(detail::systems_in_words{}, [&](const auto& system) {
    if constexpr (requires { system.with_policy(q, f); }) { is_asked = is_asked || system.with_policy(q, f); }
  });
  if (is_asked || q.asks_one() || q.engines) { return; }
  if (q.granted) { return f(*q.granted); }
  if (q.overlapping_graphs) { return f(overlapping_graphs_policy{}); }
  if (q.own && q.own->sharing == gang_policy::name && q.own->order == strict.name) {
    return f(ordered_gang_policy<strict_order>{});
  }
  static_cast<void>(with_policy(published_policies, q.policy, [&](auto policy) {
    if (q.own) { take_values(policy, *q.own); }
    take_parameters(policy, q.chosen);
    f(policy);
  }));
}

}  // namespace takt::inline TAKT_ABI::report
