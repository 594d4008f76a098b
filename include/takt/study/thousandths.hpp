// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include <takt/report/format_duration.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Returns a part in thousandths of the whole, rounded down; 0 of nothing.
[[nodiscard]] constexpr auto thousandths(std::integral auto part, std::integral auto whole) -> std::int64_t {
  return whole > 0 ? static_cast<std::int64_t>(part) * 1000 / static_cast<std::int64_t>(whole) : 0;
}

/// 1200 as "1.2", and 1000 as "1.0".
[[nodiscard]] inline auto thousandths_text(std::int64_t thousandths) -> std::string {
  const std::string out = report::count_of(thousandths, {"", 1000});
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

}  // namespace takt::inline TAKT_ABI::studies
