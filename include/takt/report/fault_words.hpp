// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <takt/model/model_error.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/report/format_duration.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what is wrong with a model, in words that own their text.
struct fault_words {
  std::string subject{};  ///< the task and the place in it; empty for a fault of the whole
  std::string field{};    ///< in the file format; empty where several could be meant
  std::string problem{};  ///< with the value of the field and its limit, where they are known
  std::string allowed{};
};

namespace detail {

/// Returns the value of a field as the file format writes it: most are times.
[[nodiscard]] inline auto fault_value(model_fault fault, std::int64_t value) -> std::string {
  constexpr model_fault numbers[] = {model_fault::negative_priority, model_fault::duplicate_priority,
                                     model_fault::negative_core, model_fault::core_out_of_range,
                                     model_fault::cluster_out_of_range};
  if (std::ranges::find(numbers, fault) != std::end(numbers)) { return std::to_string(value); }
  const bool memory = fault == model_fault::memory_exceeded;
  return memory ? std::to_string(value * memory_units{1}.bytes()) + " bytes" : format_duration(value);
}

/// Returns the value, what is wrong with it, and the limit.
[[nodiscard]] inline auto fault_problem(const model_error& e) -> std::string {
  std::string problem{describe(e.fault).problem};
  if (e.fault == model_fault::time_overflow && e.task == no_index) { return "what the times add up to " + problem; }
  if (e.fault == model_fault::duplicate_name && !e.name.empty()) {
    return "\"" + std::string{e.name} + "\" " + problem;
  }
  if (!e.has_value) { return problem; }
  const std::string value = fault_value(e.fault, e.value);
  if (!e.has_limit) { return value + " " + problem; }
  const std::string limit = fault_value(e.fault, e.limit);
  const bool pair = e.fault == model_fault::best_case_exceeds_worst_case;
  return pair ? "[" + value + ", " + limit + "] " + problem : value + " " + problem + " " + limit;
}

/// Returns "the rule needs one of wcet, work, time_on", best one first.
[[nodiscard]] inline auto facts_needed(const lacking_facts& facts) -> std::string {
  std::string names{name_of(facts.first)};
  bool several = false;
  for (int i = 0; i <= static_cast<int>(last_of(visit_fact{})); ++i) {
    const auto f = static_cast<visit_fact>(i);
    if (f == facts.first || !facts.one_of.has(f)) { continue; }
    names += ", " + std::string{name_of(f)};
    several = true;
  }
  return (several ? "the rule needs one of " : "the rule needs ") + names;
}

}  // namespace detail

[[nodiscard]] inline auto words_of(const model_error& e) -> fault_words {
  const fault_text text = describe(e.fault);
  fault_words out{
      .field = std::string{text.field}, .problem = detail::fault_problem(e), .allowed = std::string{text.allowed}};
  if (e.lacks) { out.allowed = detail::facts_needed(e.lacks); }
  if (!e.name.empty()) {
    out.subject = "task \"" + std::string{e.name} + "\"";
  } else if (e.task != no_index) {
    out.subject = "task " + std::to_string(e.task);
  } else if (e.pool != no_index) {
    out.subject = "pool " + std::to_string(e.pool);
  }
  if (e.visit != no_index) { out.subject += (out.subject.empty() ? "visit " : ", visit ") + std::to_string(e.visit); }
  if (e.edge != no_index) { out.subject += (out.subject.empty() ? "edge " : ", edge ") + std::to_string(e.edge); }
  return out;
}

/// One sentence: the task, the field, its value, what is wrong with it, and what is allowed. Empty without a fault.
[[nodiscard]] inline auto explain_fault(const model_error& e) -> std::string {
  if (!e) { return {}; }
  const fault_words words = words_of(e);
  std::string out = words.subject.empty() ? "" : words.subject + ": ";
  // A problem that is a clause of its own does not continue the field.
  if (!words.field.empty() && !words.problem.starts_with("the")) { out += words.field + " "; }
  return out + words.problem + ": " + words.allowed;
}

}  // namespace takt::inline TAKT_ABI::report
