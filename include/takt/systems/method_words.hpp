// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/systems/in_words.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/summarize.hpp>

// What published methods say of a verdict, their own or that of the rules of pools under the same plan.

namespace takt::inline TAKT_ABI::report::detail {

/// Of anything else that a published method judges as a whole: its own evidence, and the bounds of the verdict. Of
/// graphs nothing where rules of pools prove more.
template <class P, class Table, class Tasks>
[[nodiscard]] auto method_words(const P& platform, const Table& table, const judged_policy<Tasks>& found) ->
    typename judged_policy<Tasks>::explanation {
  auto own = [&] {
    if constexpr (std::same_as<P, graph_board>) {
      return analyze(platform, table);
    } else {
      return analyze(platform, table, published_methods);
    }
  }();
  if constexpr (std::same_as<P, graph_board>) {
    if (own.method != found.verdict.method) { return {}; }
  }
  own.status = found.verdict.status;
  const bool is_own = own.method == found.verdict.method;
  for (std::size_t i = 0; i < own.tasks.size() && i < found.verdict.tasks.size(); ++i) {
    const auto& said = found.verdict.tasks[i];
    auto& row = own.tasks[i];
    if (!is_own) { row = said; }
    row.limited = said.limited;
    row.deadline = said.deadline;
    row.meets = said.meets;
  }
  own.method = found.verdict.method;
  return summarize(platform, table, own);
}

}  // namespace takt::inline TAKT_ABI::report::detail
