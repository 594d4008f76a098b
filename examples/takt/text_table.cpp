// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <takt/report/utf8.hpp>

namespace takt::program {

auto text_table::text() const -> std::string {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) { widths[c] = std::max(widths[c], report::columns(row[c])); }
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - report::columns(row[c]), ' ');
      text += c == 0 ? " " + row[c] + space : "  " + space + row[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(rows_.front());
  std::vector<std::string> rule;
  for (const std::size_t w : widths) { rule.emplace_back(w, '-'); }
  line(rule);
  for (std::size_t r = 1; r < rows_.size(); ++r) { line(rows_[r]); }
  return out;
}

auto in_milliseconds(long long nanoseconds) -> std::string {
  return fmt::format("{}{}.{:06}", nanoseconds < 0 ? "-" : "", std::abs(nanoseconds / 1'000'000),
                     std::abs(nanoseconds % 1'000'000));
}

auto percent(long long part, long long whole) -> std::string {
  return fmt::format("{:.1f} %", std::floor(1000.0 * static_cast<double>(part) / static_cast<double>(whole)) / 10.0);
}

}  // namespace takt::program
