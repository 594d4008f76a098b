// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/shares/application.hpp>
#include <takt/rules/servers/policy_server.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/rules/shares/share_rules.hpp>

namespace takt::inline TAKT_ABI {

/// A GPU whose shares a `share_scheduler` sizes: see `policy_server`. What is done of a kernel is rounded down as
/// `fixed_progress` does, which delays no end beyond a deadline that `sufficient_shares` promises. Pre: `applications`
/// outlives it.
template <std::size_t Capacity, std::size_t MaxTasks>
class share_server
    : public policy_server<Capacity, MaxTasks, scheduled_shares<MaxTasks, contention_predictor<MaxTasks>>> {
 public:
  using policy_type = scheduled_shares<MaxTasks, contention_predictor<MaxTasks>>;

  constexpr share_server() = default;
  constexpr share_server(const application_set<MaxTasks>& applications, const share_rules& rules,
                         const share_triggers& triggers)
      : policy_server<Capacity, MaxTasks, policy_type>{
            applications, policy_type{applications, contention_predictor<MaxTasks>{applications}, rules, triggers}} {}
};

}  // namespace takt::inline TAKT_ABI
