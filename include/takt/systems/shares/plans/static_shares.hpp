// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>

namespace takt::inline TAKT_ABI {

/// Returns what predictions for each application start from before it holds anything. They need not fit together.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto initial_shares(const application_set<MaxTasks>& table) -> std::array<share, MaxTasks> {
  std::array<share, MaxTasks> out{};
  for (std::size_t i = 0; i < table.size(); ++i) { out[i] = detail::reference_share(table.tasks[i]); }
  return out;
}

/// Returns shares that never change, for a GPU that cannot change them: what each task needs under full load, hence all
/// deadlines are met if `sufficient_shares` accepts. Needs that do not fit are scaled down to 100 in sum, rounded down
/// but to 1 at least; if even that is too much, the lowest priorities get none.
template <std::size_t MaxTasks, WorstLoadPredictor Predictor>
[[nodiscard]] constexpr auto static_shares(const application_set<MaxTasks>& table, const Predictor& predictor)
    -> share_allocation<MaxTasks> {
  const auto test = analysis::sufficient_shares(table, predictor);
  share_allocation<MaxTasks> out;
  std::array<bool, MaxTasks> done{};
  for (std::size_t n = 0; n < table.size(); ++n) {
    std::size_t next = table.size();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (done[i] || (next < table.size() && table.tasks[i].priority <= table.tasks[next].priority)) { continue; }
      next = i;
    }
    done[next] = true;
    share_need need = test.tasks[next].need;
    if (test.sum > full_share.percent()) { need = need * full_share.percent() / test.sum; }
    need = need < 1 ? 1 : need;
    static_cast<void>(out.set(next, share::bounded(need < out.left() ? need : out.left())));
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
