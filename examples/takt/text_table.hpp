// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace takt::program {

/// Columns of text, the first to the left and all others to the right.
class text_table {
 public:
  explicit text_table(std::vector<std::string> heads) : rows_{std::move(heads)} {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// With a line under the heads, each line indented by two.
  [[nodiscard]] auto text() const -> std::string;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// A time in milliseconds with six digits behind the point, so that columns line up and nothing is rounded.
[[nodiscard]] auto in_milliseconds(long long nanoseconds) -> std::string;

/// Whole and tenths of a percent, rounded down.
[[nodiscard]] auto percent(long long part, long long whole) -> std::string;

}  // namespace takt::program
