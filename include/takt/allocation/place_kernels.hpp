// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/model/accelerator.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/rules/worst_fit.hpp>

namespace takt::inline TAKT_ABI {

/// Gives kernels for one SM that name none, greatest load first, the SM that is used least so far, and tells
/// f(task, sm) of each. Without SMs nothing is placed.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S, class F>
constexpr void place_kernels(runtime_task_set<N, V, R, S>& tasks, std::int32_t sms, const F& f) {
  auto& visits = tasks.visits;
  std::array<std::uint32_t, V> owner{};
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    for (std::uint32_t p = 0; p < t.visit_count; ++p) { owner[t.first_visit + p] = i; }
  }
  const auto is_pinned = [&](std::size_t i) {
    return visits[i].known.has(visit_fact::pinning) && !needs_all_cores(visits[i].width);
  };
  if (sms < 1) { return; }
  static_cast<void>(detail::place_worst_fit<V>(
      visits.size(), sms,
      [&](std::size_t i) {
        return is_pinned(i) ? detail::demand_of_place(visits[i].wcet, tasks.tasks[owner[i]].period) : 0;
      },
      [&](std::size_t i) { return is_pinned(i) ? visits[i].sm : sms; },
      [&](std::size_t i, std::int32_t sm) {
        visits[i].sm = sm;
        f(std::size_t{owner[i]}, sm);
      }));
}

}  // namespace takt::inline TAKT_ABI
