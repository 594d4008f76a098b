// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/share_tags.hpp>

namespace takt::inline TAKT_ABI {

/// Judges shares that follow the needs of jobs, of tasks that are one kernel each. Source: Yao et al. 2022 (WAMP2S).
template <std::size_t MaxTasks>
struct granted_shares_policy : shares_policy {
  static constexpr bool is_judged_alone = true;
  shares_rule rule{};
  contention_matrix<MaxTasks> contention{};
  inline_vector<std::int32_t, MaxTasks> weights;  ///< of tasks, the greater goes first; none: 0
};

}  // namespace takt::inline TAKT_ABI
