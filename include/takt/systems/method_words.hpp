// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/analyze.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/systems/in_words.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/summarize.hpp>

// What published methods say of a verdict, their own or that of the rules of pools under the same plan.

namespace takt::inline TAKT_ABI::report::detail {

/// Of what a published method judges as a whole: its own evidence, and the bounds of the verdict.
template <class P, class Table, class Tasks>
[[nodiscard]] auto method_words(const P& platform, const Table& table, const judged_policy<Tasks>& found) ->
    typename judged_policy<Tasks>::explanation {
  auto own = analyze(platform, table, published_methods);
  take_judged(own, found.verdict);
  return summarize(platform, table, own);
}

}  // namespace takt::inline TAKT_ABI::report::detail
