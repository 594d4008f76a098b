// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/comparison_order.hpp>
#include <takt/report/comparison_summary.hpp>
#include <takt/report/comparison_words.hpp>
#include <takt/report/table.hpp>
#include <takt/report/utf8.hpp>
#include <takt/report/wrap.hpp>

namespace takt::inline TAKT_ABI::report {

/// Says how a comparison is laid out.
struct comparison_layout {
  comparison_rank by = comparison_rank::slack;
  std::size_t width = 120;
};

namespace detail {

/// One row per policy and CPU rule, best first, without what was chosen. CPU rules have a column where they differ.
[[nodiscard]] inline auto comparison_table(const comparison_summary& c, comparison_rank by = comparison_rank::slack)
    -> table {
  const auto other = [&](const comparison_row& row) { return row.cpus != c.rows.front().cpus; };
  const bool mixed = std::ranges::any_of(c.rows, other);
  table out{.heads = {"policy"}};
  if (mixed) { out.heads.emplace_back("CPUs"); }
  out.heads.insert(out.heads.end(), {"verdict", "method", "worst slack", "factor"});
  const auto best = best_of(c, by);
  for (const std::size_t i : ranked(c, by)) {
    const comparison_row& row = c.rows[i];
    std::vector<std::string> remarks;
    if (best == i) { remarks.emplace_back("best"); }
    if (is_today(row)) { remarks.emplace_back("today"); }
    const std::string remark = remarks.empty() ? "" : " (" + joined(remarks) + ")";
    std::vector<std::string> cells{elided(row.policy, 32) + remark};
    if (mixed) { cells.push_back(elided(row.cpus, 32)); }
    cells.emplace_back(verdict_words(row));
    cells.push_back(row.method.empty() ? "-" : elided(row.method, 24));
    cells.push_back(signed_percent(row.slack_permille));
    cells.push_back(factor_words(row.factor_permille));
    out.rows.push_back(std::move(cells));
  }
  return out;
}

inline void add_wrapped(std::string& out, std::string_view text, std::size_t width, std::size_t indent) {
  std::size_t space = 0;
  for (const std::string& line : wrapped(text, width - indent)) {
    out += std::string(space, ' ') + line + "\n";
    space = indent;
  }
}

[[nodiscard]] inline auto lines_of(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

/// Returns the grid with a last column of plans to the left, or nothing where it would be narrow or high.
[[nodiscard]] inline auto with_plans(const comparison_summary& c, const std::vector<std::size_t>& order,
                                     const std::vector<std::string>& grid, std::size_t width)
    -> std::optional<std::string> {
  constexpr std::size_t narrowest = 24;
  constexpr std::size_t most_lines = 2;
  std::size_t left = 0;
  for (const std::string& line : grid) { left = std::max(left, columns(line)); }
  left += 2;
  if (left + narrowest > width) { return std::nullopt; }
  const auto padded = [left](const std::string& line) { return line + std::string(left - columns(line), ' '); };
  const std::string heads = padded(grid[0]) + "chosen\n" + padded(grid[1]);
  std::size_t widest = 6;
  std::string rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& words = c.rows[order[i]].plan_words;
    auto lines = wrapped(words.empty() ? "-" : words, width - left);
    if (lines.size() > most_lines) { return std::nullopt; }
    for (std::size_t l = 0; l < lines.size(); ++l) {
      rows += (l == 0 ? padded(grid[i + 2]) : std::string(left, ' ')) + lines[l] + "\n";
      widest = std::max(widest, columns(lines[l]));
    }
  }
  return heads + std::string(widest, '-') + "\n" + rows;
}

/// Returns what was chosen, one paragraph for all rows of one plan.
[[nodiscard]] inline auto plan_paragraphs(const comparison_summary& c, const std::vector<std::size_t>& order,
                                          std::size_t width) -> std::string {
  std::vector<std::string> done;
  std::string out;
  for (const std::size_t i : order) {
    const std::string& words = c.rows[i].plan_words;
    if (words.empty() || std::ranges::find(done, words) != done.end()) { continue; }
    done.push_back(words);
    std::vector<std::size_t> same;
    std::ranges::copy_if(order, std::back_inserter(same), [&](std::size_t j) { return c.rows[j].plan_words == words; });
    out += "\n";
    add_wrapped(out, "Chosen for " + listed(policies_words(c, same)) + ": " + words, width, 2);
  }
  return out;
}

}  // namespace detail

/// Returns a comparison as text: the table with what was chosen, and below it what is missing, why nothing is proven
/// and what is bounded all the same. Lines are at most as wide as the layout says if the grid without plans is. Pre:
/// that is at least 40.
[[nodiscard]] inline auto comparison_text(const comparison_summary& c, const comparison_layout& layout = {})
    -> std::string {
  TAKT_EXPECTS(layout.width >= 40);
  std::string out;
  detail::add_wrapped(out, c.title, layout.width, 2);
  detail::add_wrapped(out, joined(c.platform_words), layout.width, 2);
  if (c.rows.empty()) { return out + "No policy was compared.\n"; }
  const auto order = ranked(c, layout.by);
  const auto grid = detail::lines_of(text_of(detail::comparison_table(c, layout.by)));
  const bool mixed = detail::comparison_table(c, layout.by).heads.size() > 5;
  if (!mixed && !c.rows.front().cpus.empty()) { out += "CPU rule of all rows: " + c.rows.front().cpus + "\n"; }
  if (!out.empty()) { out += "\n"; }
  const bool chosen = std::ranges::any_of(c.rows, [](const auto& row) { return !row.plan_words.empty(); });
  const auto beside = chosen ? detail::with_plans(c, order, grid, layout.width) : std::nullopt;
  out += beside ? *beside : joined(grid, "\n") + "\n";
  if (!beside) { out += detail::plan_paragraphs(c, order, layout.width); }

  std::vector<std::string> remarks;
  if (std::ranges::any_of(c.rows, detail::is_today)) {
    remarks.emplace_back("today: time slices are what a board does with several processes if nothing else is chosen.");
  }
  if (!best_of(c, layout.by)) { remarks.emplace_back("No policy is proven to meet all deadlines."); }
  const auto reasons = detail::reason_sentences(c, order);
  remarks.insert(remarks.end(), reasons.begin(), reasons.end());
  const auto partial = detail::partial_sentences(c, order);
  remarks.insert(remarks.end(), partial.begin(), partial.end());
  for (const std::string& note : c.notes) { remarks.push_back("note: " + note); }
  if (!remarks.empty()) { out += "\n"; }
  for (const std::string& remark : remarks) { detail::add_wrapped(out, remark, layout.width, 2); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
