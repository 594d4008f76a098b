// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/combiners/asked_stations.hpp>
#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/hyperperiod.hpp>
#include <takt/analysis/combiners/spinning.hpp>
#include <takt/analysis/judge_pools.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto judge_spinning(const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  const asked<Stations> all{stations};
  const asked_stations& questions = all;
  verdict<ticks, N, V> exact;
  if (decide_by_hyperperiod(table, questions, exact)) { return exact; }
  auto out = spinning(table, questions);
  if (out.error || out.schedulable()) { return out; }
  const delay_relation<N, V> reach{table, questions};
  bound_closed_part(
      table, reach, [&](const visit_table<N, V>& part) { return spinning(part, questions); }, closed_spinning, out);
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
