// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"

namespace takt::test {

/// Task sets per configuration and level: few here, as many as wanted on demand.
[[nodiscard]] inline auto sets() -> std::string {
  const char* const asked = std::getenv("TAKT_SWEEP_SETS");
  return asked == nullptr ? "10" : asked;
}

[[nodiscard]] inline auto cells_of(const std::string& line) -> std::vector<std::string> {
  std::vector<std::string> out;
  std::istringstream text{line};
  for (std::string cell; std::getline(text, cell, ',');) { out.push_back(cell); }
  return out;
}

struct row {
  std::map<std::string, std::string> cells;

  [[nodiscard]] auto count(const std::string& column) const -> int { return std::stoi(cells.at(column)); }
  [[nodiscard]] auto value(const std::string& column) const -> double { return std::stod(cells.at(column)); }
};

/// Each call is refused as wrong input, with these words and nothing else.
inline void check_refused(const std::vector<std::pair<std::string, std::string>>& calls) {
  for (const auto& [arguments, words] : calls) {
    CAPTURE(arguments);
    const outcome o = takt("sweep " + arguments);
    INFO(o.err);
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    CHECK(contains(o.err, words));
  }
}

/// Equal bytes for any number of threads, and other ones for another seed.
inline void check_repeatable(const std::string& call) {
  const std::string one = takt("sweep " + call + " --jobs 1").out;
  CHECK_FALSE(one.empty());
  CHECK(one == takt("sweep " + call + " --jobs 3").out);
  CHECK(one != takt("sweep " + call + " --seed 2").out);
}

/// The rows of a study, checked to be complete.
[[nodiscard]] inline auto run_study(const std::string& arguments) -> std::vector<row> {
  const outcome o = takt("sweep " + arguments);
  INFO(o.err);
  REQUIRE(o.code == 0);
  std::istringstream text{o.out};
  std::vector<std::string> heads;
  std::vector<row> rows;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#')) { continue; }
    const auto cells = cells_of(line);
    if (heads.empty()) {
      heads = cells;
      continue;
    }
    REQUIRE(cells.size() == heads.size());
    row r;
    for (std::size_t i = 0; i < cells.size(); ++i) { r.cells[heads[i]] = cells[i]; }
    rows.push_back(r);
  }
  return rows;
}

/// The rows that have a cell in a column.
[[nodiscard]] inline auto rows_with(const std::vector<row>& rows, const std::string& column, const std::string& cell)
    -> std::vector<row> {
  std::vector<row> out;
  std::ranges::copy_if(rows, std::back_inserter(out), [&](const row& r) { return r.cells.at(column) == cell; });
  REQUIRE_FALSE(out.empty());
  return out;
}

/// The sum of a column over the rows that have these cells.
[[nodiscard]] inline auto sum(const std::vector<row>& rows, const std::string& column,
                              const std::map<std::string, std::string>& where = {}) -> int {
  int out = 0;
  int used = 0;
  for (const row& r : rows) {
    bool in = true;
    for (const auto& [name, value] : where) { in = in && r.cells.at(name) == value; }
    out += in ? r.count(column) : 0;
    used += in ? 1 : 0;
  }
  CHECK(used > 0);
  return out;
}

}  // namespace takt::test
