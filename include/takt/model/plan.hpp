// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>

namespace takt {

/// SMs that a task has for itself: physical ones under isolated sharing, virtual ones under shared. A task without
/// kernels has none.
struct sm_share {
  std::int32_t gpu = 0;
  std::int32_t sms = 0;

  [[nodiscard]] friend constexpr auto operator==(const sm_share&, const sm_share&) noexcept -> bool = default;
};

/// What a search decides and an analysis takes for granted: one share per task, in the order in which the tasks were
/// given. `feasible` says whether the search found it to meet every deadline; a plan written by hand leaves it false.
template <std::size_t MaxTasks>
struct plan {
  inline_vector<sm_share, MaxTasks> shares;
  bool feasible = false;
};

/// A plan by hand, for one GPU: `takt::dedicate(2, 1, 0)` gives the first task two SMs, the second one, the third none.
template <class... Counts>
[[nodiscard]] constexpr auto dedicate(Counts... sms) -> plan<sizeof...(Counts)> {
  plan<sizeof...(Counts)> out;
  (out.shares.push_back({0, static_cast<std::int32_t>(sms)}), ...);
  return out;
}

}  // namespace takt
