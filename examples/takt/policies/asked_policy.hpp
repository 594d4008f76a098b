// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <takt/rules/policies/policy_words.hpp>
#include <takt/rules/policies/published.hpp>

#include "../fields.hpp"
#include "file_policies.hpp"
#include "judged.hpp"

namespace takt::program {

/// What a file's own rule says beyond the name of its policy.
template <class P>
void take_values(P& policy, const sharing_rule& rule) {
  if constexpr (requires { policy.pinned.period; }) {
    if (!rule.slots) { return; }
    const slot_time pinned = rule.slots->pinned.value_or(slot_time{});
    const slot_time gang = rule.slots->gang.value_or(slot_time{});
    policy.pinned = {.offset = pinned.offset, .budget = pinned.budget, .period = rule.slots->period};
    policy.gang = {.offset = gang.offset, .budget = gang.budget, .period = rule.slots->period};
  }
  if constexpr (requires { policy.cost; }) {
    static constexpr std::array costs{named_value{"race", preemption_cost_model::race},
                                      named_value{"overhead", preemption_cost_model::overhead},
                                      named_value{"ideal", preemption_cost_model::ideal}};
    if (!rule.cost_model.empty()) { policy.cost = value_named(rule.cost_model, costs); }
  }
}

/// f of the policy that is asked for: an analysis of tasks with SMs of their own, what a file says of its own rule, or
/// one that is published.
template <class F>
void with_asked_policy(const policy_question& q, const F& f) {
  if (q.asks_one()) {
    const auto ask = [&](auto policy) {
      policy.search = q.search.value_or(default_search);
      if (policy.analysis == (q.analysis.empty() ? "rtgpu-best" : q.analysis)) { f(policy); }
    };
    q.policy == federated_policy::name ? analyses<false>.each(ask) : analyses<true>.each(ask);
    return;
  }
  bool taken = false;
  file_policies.each([&](const auto& policy) {
    if (taken || q.own == nullptr) { return; }
    const auto said = policy.of(*q.own);
    taken = said.has_value();
    if (said) { f(*said); }
  });
  if (taken) { return; }
  (void)with_policy(published_policies, q.policy, [&](auto policy) {
    if (q.own != nullptr) { take_values(policy, q.own->rules.gpus); }
    if constexpr (requires { policy.locks_engines; }) {
      if (q.engines) {
        policy.locks_engines = true;
        policy.engines = *q.engines;
      }
      if (q.engines && q.own != nullptr) {
        const std::int32_t tokens = q.own->rules.gpus.tokens_per_gpu.value_or(1);
        policy.tokens = tokens == 0 ? any_number_of_tokens : tokens;
      }
    }
    f(policy);
  });
}

}  // namespace takt::program
