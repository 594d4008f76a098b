// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include <takt/core/rational.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg.hpp>

#include "examples.hpp"

namespace takt::pictures {

using report::pixels;
using report::svg_writer;

inline constexpr double picture_width = 1100;
inline constexpr double margin = 16;

inline constexpr std::string_view small_grey = "font-size=\"11\" fill=\"#667\"";
inline constexpr std::string_view small_grey_middle = "font-size=\"11\" fill=\"#667\" text-anchor=\"middle\"";
inline constexpr std::string_view grid_line = "stroke=\"#dfe2e8\" stroke-width=\"1\"";

/// An SVG element from its first line to its end, with a white ground, a title and a sentence below it.
class sheet {
 public:
  sheet(std::ostream& out, double height, std::string_view title, std::string_view sentence) : svg{out} {
    svg.begin(picture_width, height);
    svg.text(margin, 28, title, "font-size=\"18\" font-weight=\"600\"");
    svg.text(margin, 50, sentence, "fill=\"#445\"");
  }
  sheet(const sheet&) = delete;
  sheet(sheet&&) = delete;
  auto operator=(const sheet&) -> sheet& = delete;
  auto operator=(sheet&&) -> sheet& = delete;
  ~sheet() { svg.raw("</svg>\n"); }

  svg_writer svg;
};

/// A time in ms, without the unit.
[[nodiscard]] inline auto in_ms(ticks time) -> std::string { return report::count_of(time, {"ms", ms}); }
/// The same of a fraction: a whole number or a quotient of two.
[[nodiscard]] inline auto in_ms(const rational& time) -> std::string {
  const rational value = time / rational{ms};
  const std::string whole = std::to_string(value.numerator());
  return value.denominator() == 1 ? whole : whole + "/" + std::to_string(value.denominator());
}

}  // namespace takt::pictures
