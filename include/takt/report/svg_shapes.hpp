// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <takt/report/svg.hpp>
#include <takt/report/utf8.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Holds the shapes that charts of jobs are made of.
class gantt_shapes {
 public:
  static constexpr double column_width = 7.4;  ///< per character of 12 px text, rather too much than too little
  static constexpr std::string_view token_wait =
      "fill=\"none\" stroke=\"#222\" stroke-width=\"2\" stroke-dasharray=\"2 3\"";

  explicit gantt_shapes(svg_writer& svg) : svg_{&svg} {}

  [[nodiscard]] static auto fill_of(std::uint32_t task) -> std::string {
    return "fill=\"" + std::string{task_colour(task).fill} + '"';
  }

  /// Defines patterns that boxes and bars refer to.
  void define() {
    svg_->raw(
        "<defs><pattern id=\"late\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fbd5d5\"/>"
        "<rect width=\"2.5\" height=\"6\" fill=\"#d00000\"/></pattern>"
        "<pattern id=\"stripes\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(-45)\"><rect width=\"3\" height=\"8\" fill=\"#fff\" fill-opacity=\"0.55\"/>"
        "</pattern></defs>\n");
  }
  void fill_box(std::uint32_t task, double x, double y, double width, double height, const std::string& tooltip) {
    const std::string border = width > 3 ? " stroke=\"#fff\" stroke-width=\"1\"" : "";
    svg_->rectangle(x, y, width, height, fill_of(task) + border, tooltip);
    if (colour_round(task) > 0) {
      svg_->rectangle(x, y, width, height, "fill=\"url(#stripes)\" pointer-events=\"none\"");
    }
  }
  /// Shades an area behind rows, while bounds are void.
  void shade(double x, double y, double width, double height, const std::string& tooltip) {
    svg_->rectangle(x, y, width, height, "fill=\"#f0a202\" fill-opacity=\"0.22\"", tooltip);
  }
  void arrow_up(double x, double foot, double height, const std::string& tooltip) {
    svg_->path(x, foot, 'v' + pixels(-height) + "m-3.5 5.5l3.5 -5.5l3.5 5.5", arrow_style, tooltip);
  }
  void arrow_down(double x, double foot, double height, const std::string& tooltip) {
    svg_->path(x, foot - height, 'v' + pixels(height) + "m-3.5 -5.5l3.5 5.5l3.5 -5.5", arrow_style, tooltip);
  }
  void badge(double x, double y, const std::string& tooltip) {
    svg_->path(x - 6.5, y, "a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0z",
               "fill=\"#d00000\" stroke=\"#fff\" stroke-width=\"1\"", tooltip);
    svg_->path(x - 2.5, y - 2.5, "l5 5m0 -5l-5 5",
               "fill=\"none\" stroke=\"#fff\" stroke-width=\"1.8\" pointer-events=\"none\"");
  }
  /// Writes the first of some texts that fits into a box.
  void label(std::uint32_t task, double x, double middle, double width, std::initializer_list<std::string> texts) {
    const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / column_width));
    const auto fits = std::ranges::find_if(texts, [room](const std::string& t) { return columns(t) <= room; });
    if (fits == texts.end()) { return; }
    svg_->text(x + width / 2, middle + 4, *fits,
               task_colour(task).dark ? "text-anchor=\"middle\" pointer-events=\"none\" fill=\"#fff\""
                                      : "text-anchor=\"middle\" pointer-events=\"none\"");
  }

 private:
  static constexpr std::string_view arrow_style = "fill=\"none\" stroke=\"#222\" stroke-width=\"1.4\"";

  svg_writer* svg_;
};

}  // namespace takt::inline TAKT_ABI::report::detail
