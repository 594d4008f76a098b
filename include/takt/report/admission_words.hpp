// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <takt/allocation/admission.hpp>
#include <takt/model/model_error.hpp>
#include <takt/report/fault_words.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/table.hpp>

namespace takt::inline TAKT_ABI::report {

/// Why a request was not granted: one clause. Empty where it was. `tasks`: those that were judged, which are those that
/// are in and then those that asked.
template <class Judged, class Tasks>
[[nodiscard]] auto why_not_admitted(const admission_result<Judged>& a, const Tasks& tasks) -> std::string {
  if (a.granted) { return {}; }
  const auto name = [&tasks](std::size_t i) {
    return std::string{i < tasks.size() ? tasks.tasks[i].name : std::string_view{}};
  };
  if (!a.found.missing.empty()) {
    const auto& m = a.found.missing[0];
    const std::string who = m.task == no_index ? "the board" : "task \"" + name(m.task) + "\"";
    const std::string where = m.visit == no_index ? "" : ", step " + std::to_string(m.visit);
    return who + where + " does not say " + std::string{m.fact};
  }
  if (a.error) { return explain_fault(a.error); }
  if (!a.found.misses.empty()) { return detail::miss_clause(name(a.found.misses[0].task), a.found.misses[0]); }
  for (std::size_t i = 0; i < a.found.verdict.tasks.size(); ++i) {
    const auto& t = a.found.verdict.tasks[i];
    if (t.meets) { continue; }
    const std::string bound = t.bound.exists ? ": its bound is " + format_duration(t.bound.value) : "";
    return "nothing proves that " + name(i) + " meets its deadline of " + format_duration(t.deadline) + bound;
  }
  return "nothing proves the deadlines";
}

}  // namespace takt::inline TAKT_ABI::report
