// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Parts of a plan that locked GPUs use: the CPU cluster of each task in `cores`, and its GPU cluster in `shares`.
inline constexpr plan_parts gpusync_plan_parts{.shares = true, .cores = true};

}  // namespace detail

/// Returns what keeps a plan from fitting tasks on locked GPUs. This is a part that they do not use, SMs of a GPU,
/// which no task has for itself here, or a GPU cluster for a task without GPU work.
template <class Table, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto gpusync_plan_fault(const Table& table, const plan<N, V>& p) -> model_error {
  if (const auto error = parts_fault(p, detail::gpusync_plan_parts, table.size())) { return error; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.id >= p.shares.size()) { continue; }
    const sm_share& share = p.shares[t.id];
    if (share.sms != 0 || (!t.uses_gpu() && share.gpu != 0)) { return fault_at(model_fault::plan_does_not_fit, t.id); }
  }
  return {};
}

/// Returns the tasks as a plan places them. Pre: `gpusync_plan_fault` found nothing.
template <class Table, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto placed(Table table, const plan<N, V>& p) -> Table {
  TAKT_EXPECTS(!gpusync_plan_fault(table, p));
  for (std::size_t i = 0; i < table.size(); ++i) {
    auto& t = table.tasks[i];
    if (t.id < p.cores.size()) { t.cpu_cluster = p.cores[t.id]; }
    if (t.id < p.shares.size() && t.uses_gpu()) { t.gpu_cluster = p.shares[t.id].gpu; }
  }
  return table;
}

}  // namespace takt::inline TAKT_ABI
