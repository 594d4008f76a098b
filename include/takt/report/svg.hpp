// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <takt/report/format_duration.hpp>
#include <takt/report/visible.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns a text for XML content or attributes. Characters that XML 1.0 cannot hold become U+FFFD; those that would
/// act on what shows them are spelled by their numbers.
[[nodiscard]] inline auto xml_escaped(std::string_view text) -> std::string {
  std::string out;
  for_each_character(text, [&out](char32_t c, std::string_view bytes) {
    switch (c) {
      case U'&': out += "&amp;"; return;
      case U'<': out += "&lt;"; return;
      case U'>': out += "&gt;"; return;
      case U'"': out += "&quot;"; return;
      case U'\'': out += "&#39;"; return;
      default: break;
    }
    const bool forbidden = (c < 0x20 && c != U'\n' && c != U'\t') || c == 0xFFFE || c == 0xFFFF;
    if (c >= 0x20 && detail::is_control(c)) {
      out += escaped(c);
    } else {
      out += forbidden ? std::string_view{"\xEF\xBF\xBD"} : bytes;
    }
  });
  return out;
}

/// Returns a length in pixels with two decimals, whatever the locale.
[[nodiscard]] inline auto pixels(double length) -> std::string {
  return count_of(static_cast<ticks>(std::llround(length * 100)) * 10, {"", 1000});
}

/// Holds a fill colour and whether text on it must be light.
struct colour {
  std::string_view fill;
  bool dark = false;
};

/// Ten colours that people with any common colour blindness can tell apart, and none close to the red of a miss.
/// After Okabe and Ito, and Tol.
[[nodiscard]] constexpr auto task_colour(std::uint32_t task) noexcept -> colour {
  constexpr colour palette[] = {{"#0072b2", true}, {"#e69f00"}, {"#009e73", true}, {"#cc79a7"},
                                {"#56b4e9"},       {"#f0e442"}, {"#332288", true}, {"#999933"},
                                {"#882255", true}, {"#88ccaa"}};
  return palette[task % 10];
}
namespace detail {

/// Returns how often the palette was used up before this task; drawings mark later rounds by stripes.
[[nodiscard]] constexpr auto colour_round(std::uint32_t task) noexcept -> std::uint32_t { return task / 10; }

}  // namespace detail

/// Writes SVG elements.
class svg_writer {
 public:
  explicit svg_writer(std::ostream& out) : out_{&out} {}

  void raw(std::string_view markup) { *out_ << markup; }
  /// Opens a picture, white under whatever a viewer has behind it.
  void begin(double width, double height) {
    const std::string w = pixels(width);
    const std::string h = pixels(height);
    raw("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + ' ' +
        h +
        "\" font-family=\"system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222\">\n");
    rectangle(0, 0, width, height, "fill=\"#fff\"");
  }
  void rectangle(double x, double y, double width, double height, std::string_view attributes,
                 std::string_view tooltip = {}) {
    *out_ << "<rect x=\"" << pixels(x) << "\" y=\"" << pixels(y) << "\" width=\"" << pixels(width) << "\" height=\""
          << pixels(height) << "\" " << attributes;
    close("rect", tooltip);
  }
  /// `commands` of a path relative to (x, y).
  void path(double x, double y, std::string_view commands, std::string_view attributes, std::string_view tooltip = {}) {
    *out_ << "<path d=\"M" << pixels(x) << ' ' << pixels(y) << commands << "\" " << attributes;
    close("path", tooltip);
  }
  void text(double x, double y, std::string_view content, std::string_view attributes = {}) {
    *out_ << "<text x=\"" << pixels(x) << "\" y=\"" << pixels(y) << "\" " << attributes << '>' << xml_escaped(content)
          << "</text>\n";
  }

 private:
  void close(std::string_view element, std::string_view tooltip) {
    if (tooltip.empty()) {
      *out_ << "/>\n";
    } else {
      *out_ << "><title>" << xml_escaped(tooltip) << "</title></" << element << ">\n";
    }
  }

  std::ostream* out_;
};

}  // namespace takt::inline TAKT_ABI::report
