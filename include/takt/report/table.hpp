// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/utf8.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds heads of columns, and rows of as many cells.
struct table {
  std::vector<std::string> heads{};
  std::vector<std::vector<std::string>> rows{};
};

/// Returns the table as lines that are indented by two, with a line under the heads; the first column to the left and
/// all others to the right.
[[nodiscard]] inline auto text_of(const table& t) -> std::string {
  std::vector<std::size_t> widths;
  for (const std::string& head : t.heads) { widths.push_back(columns(head)); }
  for (const auto& row : t.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) { widths[c] = std::max(widths[c], columns(row[c])); }
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - columns(row[c]), ' ');
      text += c == 0 ? " " + row[c] + space : "  " + space + row[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(t.heads);
  std::vector<std::string> rule;
  for (const std::size_t w : widths) { rule.emplace_back(w, '-'); }
  line(rule);
  for (const auto& row : t.rows) { line(row); }
  return out;
}

/// Returns a time in milliseconds with six digits behind the point, so that columns line up and nothing is rounded.
[[nodiscard]] inline auto in_milliseconds(ticks time) -> std::string { return detail::decimal(time, 6); }

/// Whole and tenths of a percent, rounded down. Pre: whole > 0.
[[nodiscard]] inline auto percent_of(ticks part, ticks whole) -> std::string {
  TAKT_EXPECTS(whole > 0);
  const double tenths = std::floor(1000.0 * static_cast<double>(part) / static_cast<double>(whole));
  return detail::decimal(static_cast<ticks>(tenths), 1) + " %";
}

/// Returns "1 core", "2 cores".
[[nodiscard]] inline auto plural(std::int64_t count, std::string_view what) -> std::string {
  return std::to_string(count).append(" ").append(what).append(count == 1 ? "" : "s");
}

/// Returns texts with a separator between them.
[[nodiscard]] inline auto joined(const std::vector<std::string>& parts, std::string_view separator = ", ")
    -> std::string {
  std::string out;
  for (const std::string& part : parts) { out.append(out.empty() ? "" : separator).append(part); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
