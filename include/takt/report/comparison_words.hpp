// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/table.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns "a", "a and b", "a, b and c".
[[nodiscard]] inline auto listed(const std::vector<std::string>& parts, std::string_view last = " and ")
    -> std::string {
  if (parts.size() < 2) { return joined(parts); }
  return joined({parts.begin(), parts.end() - 1}).append(last).append(parts.back());
}

namespace detail {

/// Permille as per cent with its sign: "+24.0 %", "-3.1 %", "0.0 %"; "-" where there is none.
[[nodiscard]] inline auto signed_percent(const std::optional<std::int64_t>& permille) -> std::string {
  if (!permille) { return "-"; }
  constexpr std::int64_t most = 99'999;
  if (*permille < -most) { return "< -9999.9 %"; }
  if (*permille > most) { return "> +9999.9 %"; }
  return (*permille > 0 ? "+" : "") + detail::decimal(*permille, 1) + " %";
}

}  // namespace detail

/// Returns a factor on all execution times: "1.310".
[[nodiscard]] inline auto factor_words(const std::optional<std::int64_t>& permille) -> std::string {
  if (!permille) { return "-"; }
  constexpr std::int64_t most = 9'999'999;
  return *permille > most ? "> 9999.999" : detail::decimal(*permille, 3);
}

namespace detail {

[[nodiscard]] inline auto verdict_words(const comparison_row& row) -> std::string_view {
  if (!row.status) { return "not judged"; }
  return *row.status == verdict_status::not_proven ? "not proven" : name_of(*row.status);
}

/// Returns whether a row says what a board does with several processes without any choice: the driver's time slices.
[[nodiscard]] inline auto is_today(const comparison_row& row) -> bool {
  return std::string_view{row.policy}.substr(0, row.policy.find(':')) == "time-sliced";
}

[[nodiscard]] inline auto of_platform(const missing_words& m) -> bool { return m.at.empty() || m.at == "/platform"; }

/// Returns "/a, /b, /c and 7 other places"; all of them where they are few.
[[nodiscard]] inline auto some_of(const std::vector<std::string>& names, std::string_view what, std::size_t shown = 3)
    -> std::string {
  if (names.size() <= shown + 1) { return listed(names); }
  return joined({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}) + " and " +
         std::to_string(names.size() - shown) + " other " + std::string{what};
}

/// Returns what the bounds of a row leave unproven, as clauses.
[[nodiscard]] inline auto unproven_clauses(const comparison_row& row) -> std::vector<std::string> {
  std::vector<std::string> late;
  std::vector<std::string> unknown;
  for (const compared_task& t : row.tasks) {
    if (t.bound.exists && t.limited && t.bound.value > t.deadline) { late.push_back(t.name); }
    if (!t.bound.exists && !t.meets) { unknown.push_back(t.name); }
  }
  std::vector<std::string> out;
  if (late.size() == 1) { out.push_back("the bound of " + late.front() + " exceeds its deadline"); }
  if (late.size() > 1) { out.push_back("the bounds of " + some_of(late, "tasks") + " exceed their deadlines"); }
  if (!unknown.empty()) { out.push_back("no bound is known for " + some_of(unknown, "tasks")); }
  return out;
}

/// Places, and what is missing at all of them.
using groups = std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>;

inline void add_unique(std::vector<std::string>& to, const std::string& text) {
  if (std::ranges::find(to, text) == to.end()) { to.push_back(text); }
}

/// Places and facts, so that each fact stands once, and facts that are missing at the same places stand together.
[[nodiscard]] inline auto grouped(const std::vector<missing_words>& missing) -> groups {
  std::vector<std::pair<std::string, std::vector<std::string>>> places_of;
  for (const missing_words& m : missing) {
    if (of_platform(m)) { continue; }
    auto at = std::ranges::find(places_of, m.fact, [](const auto& p) -> const std::string& { return p.first; });
    if (at == places_of.end()) { at = places_of.insert(places_of.end(), {m.fact, {}}); }
    add_unique(at->second, m.at);
  }
  groups out;
  for (auto& [fact, places] : places_of) {
    auto at = std::ranges::find(out, places, [](const auto& g) -> const std::vector<std::string>& { return g.first; });
    if (at == out.end()) { at = out.insert(out.end(), {places, {}}); }
    at->second.push_back(fact);
  }
  return out;
}

}  // namespace detail

/// Returns what is missing, as clauses: "the platform does not say preemption_levels", "/tasks/2/segments/1 has no
/// blocks". A fact that is missing in many places stands in one clause.
[[nodiscard]] inline auto missing_clauses(const std::vector<missing_words>& missing) -> std::vector<std::string> {
  std::vector<std::string> out;
  std::vector<std::string> of_platform;
  for (const missing_words& m : missing) {
    if (detail::of_platform(m)) { detail::add_unique(of_platform, m.fact); }
  }
  if (!of_platform.empty()) { out.push_back("the platform does not say " + listed(of_platform, " or ")); }
  for (const auto& [places, facts] : detail::grouped(missing)) {
    out.push_back(detail::some_of(places, "places") + (places.size() == 1 ? " has no " : " have no ") +
                  listed(facts, " or "));
  }
  return out;
}

namespace detail {

/// Why deadlines must be missed, as clauses, some of them where there are many.
[[nodiscard]] inline auto miss_clauses(const comparison_row& row) -> std::vector<std::string> {
  constexpr std::size_t shown = 2;
  std::vector<std::string> out;
  for (const compared_miss& miss : row.misses) { out.push_back(miss.clause); }
  if (out.size() <= shown + 1) { return out; }
  const std::size_t more = out.size() - shown;
  out.resize(shown);
  out.push_back("and for " + std::to_string(more) + " other reasons");
  return out;
}

/// Returns why a row is not judged, or not proven, without the final full stop. First is why deadlines must be missed
/// and what is missing, then what the row says, else what its bounds leave open. Empty where nothing is known.
[[nodiscard]] inline auto reason_of(const comparison_row& row) -> std::string {
  std::vector<std::string> clauses = miss_clauses(row);
  const std::vector<std::string> missing = missing_clauses(row.missing);
  clauses.insert(clauses.end(), missing.begin(), missing.end());
  if (!row.because.empty()) { clauses.push_back(row.because); }
  if (clauses.empty() && row.status == verdict_status::not_proven) { clauses = detail::unproven_clauses(row); }
  std::string out = joined(clauses, "; ");
  out.erase(out.find_last_not_of(". ") + 1);
  return out;
}

/// Returns what is said of rows before the reason, for one and for several policies.
[[nodiscard]] inline auto outcome_clause(const std::optional<verdict_status>& status, bool several)
    -> std::string_view {
  if (!status) { return "cannot be judged"; }
  switch (*status) {
    case verdict_status::schedulable: return several ? "are schedulable" : "is schedulable";
    case verdict_status::unschedulable: return several ? "must miss deadlines" : "must miss a deadline";
    case verdict_status::not_proven: return several ? "are not proven" : "is not proven";
    case verdict_status::invalid_model: return several ? "do not fit" : "does not fit";
    case verdict_status::overflow: return several ? "are too large to be judged" : "is too large to be judged";
  }
  return {};
}

/// Returns policies of some rows; with their CPU rules where other rows of the policy are elsewhere.
[[nodiscard]] inline auto policies_words(const comparison_summary& c, const std::vector<std::size_t>& rows)
    -> std::vector<std::string> {
  std::vector<std::string> policies;
  for (const std::size_t i : rows) { add_unique(policies, c.rows[i].policy); }
  for (std::string& policy : policies) {
    std::vector<std::string> cpus;
    for (const std::size_t i : rows) {
      if (c.rows[i].policy == policy) { cpus.push_back(c.rows[i].cpus); }
    }
    const auto all = std::ranges::count(c.rows, policy, &comparison_row::policy);
    if (static_cast<std::ptrdiff_t>(cpus.size()) != all) { policy += " with " + listed(cpus); }
  }
  return policies;
}

/// Returns why rows are not judged or not proven, one sentence for each reason, in the given order of rows. An example:
/// "levels and slots cannot be judged: the platform does not say preemption_levels."
[[nodiscard]] inline auto reason_sentences(const comparison_summary& c, const std::vector<std::size_t>& order)
    -> std::vector<std::string> {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> rows_of;
  for (const std::size_t i : order) {
    const std::string reason = reason_of(c.rows[i]);
    if (reason.empty() && c.rows[i].status) { continue; }
    const auto same = [&](const auto& g) {
      return g.first == reason && c.rows[g.second.front()].status == c.rows[i].status;
    };
    auto at = std::ranges::find_if(rows_of, same);
    if (at == rows_of.end()) { at = rows_of.insert(rows_of.end(), {reason, {}}); }
    at->second.push_back(i);
  }
  std::vector<std::string> out;
  for (const auto& [reason, rows] : rows_of) {
    const auto policies = detail::policies_words(c, rows);
    out.push_back(listed(policies) + " " +
                  std::string{detail::outcome_clause(c.rows[rows.front()].status, policies.size() > 1)} +
                  (reason.empty() ? "." : ": " + reason + "."));
  }
  return out;
}

/// Returns the bounds of tasks that nothing unproven can delay, one sentence for all rows with the same ones: "Bounded
/// all the same under whole-gpu: DASM by 1.86ms, EKF by 5.36ms." In the given order of rows.
[[nodiscard]] inline auto partial_sentences(const comparison_summary& c, const std::vector<std::size_t>& order)
    -> std::vector<std::string> {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> rows_of;
  for (const std::size_t i : order) {
    if (c.rows[i].status == verdict_status::schedulable) { continue; }
    std::vector<std::string> bounds;
    for (const compared_task& t : c.rows[i].tasks) {
      if (t.is_apart) { bounds.push_back(t.name + " by " + format_duration(t.bound.value)); }
    }
    if (bounds.empty()) { continue; }
    const std::string words = detail::some_of(bounds, "tasks", 12);
    auto at = std::ranges::find(rows_of, words, [](const auto& g) -> const std::string& { return g.first; });
    if (at == rows_of.end()) { at = rows_of.insert(rows_of.end(), {words, {}}); }
    at->second.push_back(i);
  }
  std::vector<std::string> out;
  for (const auto& [words, rows] : rows_of) {
    out.push_back("Bounded all the same under " + listed(detail::policies_words(c, rows)) + ": " + words + ".");
  }
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::report
