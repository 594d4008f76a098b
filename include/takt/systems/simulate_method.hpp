// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/allocation/policies/known_under.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/in_words.hpp>
#include <takt/systems/policies.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Simulates tasks as the published method of a policy sees them, which may know rules that boards of pools do not
/// have. `kept` may be null.
template <class Policy, class Rule, std::size_t N, std::size_t V, class Tasks>
[[nodiscard]] auto simulate_method(const Policy& policy, const Rule& rule, const verdict<ticks, N, V>& v,
                                   const Tasks& tasks, const hardware& board, const simulation_options& options,
                                   trace* kept) -> observation_summary {
  observation_summary out;
  optional_trace recorder{kept};
  const auto run = [&](const auto& platform, const auto& table) {
    out = run_of(policy, tasks, board, platform, table, v, options, recorder);
  };
  if (const auto unread = known_under<Policy, Rule, published_judges>::with_board(policy, rule, tasks, board, run)) {
    out.seen.error = unread;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report::detail
