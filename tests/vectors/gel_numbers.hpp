// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <takt/analysis/methods/gel/gel_bounds.hpp>

#include "compare.hpp"

namespace takt_vectors {

constexpr std::size_t max_gel_tasks = 128;
template <class Number>
using gel_set = takt::task_rows<takt::gel_task<Number>, max_gel_tasks>;
using exact_bounds = takt::analysis::gel_bounds<exact, max_gel_tasks>;

template <class Number>
[[nodiscard]] auto converted(const exact& value) -> Number {
  const auto top = static_cast<std::int64_t>(numerator(value));
  const auto bottom = static_cast<std::int64_t>(denominator(value));
  if constexpr (std::is_same_v<Number, takt::rational>) {
    return {top, bottom};
  } else {
    return top;
  }
}

template <class Number>
[[nodiscard]] auto converted(const gel_set<exact>& given) -> gel_set<Number> {
  gel_set<Number> out;
  for (const auto& t : given.tasks) {  // for which there is as much room
    static_cast<void>(out.add({.name = t.name,
                               .wcet = converted<Number>(t.wcet),
                               .period = converted<Number>(t.period),
                               .deadline = converted<Number>(t.deadline),
                               .point = converted<Number>(t.point),
                               .parallelism = t.parallelism}));
  }
  return out;
}

[[nodiscard]] inline auto whole(const exact& value) -> bool { return denominator(value) == 1; }
[[nodiscard]] inline auto whole(const gel_set<exact>& given) -> bool {
  for (const auto& t : given.tasks) {
    if (!whole(t.wcet) || !whole(t.period) || !whole(t.deadline) || !whole(t.point)) { return false; }
  }
  return true;
}

/// What the library's own numbers make of a bound: fractions must be equal where they fit, whole ticks rounded up, and
/// where no fraction fits, above by at most `slack`. `test(set)` is an analysis of any number type.
template <class Test>
[[nodiscard]] auto checked(const gel_set<exact>& given, const Test& test, std::optional<std::string>& complaint)
    -> exact_bounds {
  const exact_bounds wanted = test(given);
  const auto complain = [&](const std::string& what) {
    if (!complaint) { complaint = what; }
  };
  const auto fractions = test(converted<takt::rational>(given));
  const bool fit = fractions.status != takt::analysis::gel_status::overflow;
  if (fit && fractions.status != wanted.status) { complain("fractions disagree on the status"); }
  for (std::size_t i = 0; fit && i < fractions.tasks.size(); ++i) {
    const auto& r = fractions.tasks[i].response;
    if (exact(r.numerator()) / r.denominator() != wanted.tasks[i].response) { complain("fractions disagree"); }
  }
  if (!whole(given)) { return wanted; }
  const auto ticks = test(converted<takt::ticks>(given));
  if (ticks.status != wanted.status) { complain("ticks disagree on the status"); }
  for (std::size_t i = 0; i < ticks.tasks.size() && i < wanted.tasks.size(); ++i) {
    const exact above = exact(ticks.tasks[i].response) - wanted.tasks[i].response;
    const exact slack = fit ? exact(1) : exact(2 * given.size());
    if (above < 0 || above >= slack) { complain("ticks are not rounded up"); }
  }
  return wanted;
}

}  // namespace takt_vectors
