// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <takt/report/comparison_summary.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Says what stands for a task in a drawing of a comparison. All differ by shape, so that no colour is needed.
enum class bar_kind : std::uint8_t {
  slack,    ///< proven, with what is left of the deadline
  late,     ///< the bound exceeds the deadline
  hollow,   ///< the bound is within the deadline, but no proof
  decided,  ///< proven without a bound
  bounded,  ///< no deadline, but a bound
  unknown,  ///< no bound, no proof
};

[[nodiscard]] inline auto bar_kind_of(const compared_task& t) -> bar_kind {
  if (!t.bound.exists) { return t.meets ? bar_kind::decided : bar_kind::unknown; }
  if (!t.limited) { return bar_kind::bounded; }
  if (t.bound.value > t.deadline) { return bar_kind::late; }
  return t.meets ? bar_kind::slack : bar_kind::hollow;
}

/// Returns whether it has a length; the others are signs.
[[nodiscard]] constexpr auto is_bar(bar_kind kind) noexcept -> bool {
  switch (kind) {
    case bar_kind::slack:
    case bar_kind::late:
    case bar_kind::hollow: return true;
    case bar_kind::decided:
    case bar_kind::bounded:
    case bar_kind::unknown: break;
  }
  return false;
}

/// (deadline - bound) / deadline in per cent, for drawing. Pre: the task is limited and has a bound.
[[nodiscard]] inline auto drawn_slack(const compared_task& t) -> double {
  TAKT_EXPECTS(t.limited && t.bound.exists);
  const auto deadline = static_cast<double>(std::max<ticks>(t.deadline, 1));
  return 100 * (static_cast<double>(t.deadline) - static_cast<double>(t.bound.value)) / deadline;
}

[[nodiscard]] constexpr auto legend_of(bar_kind kind) noexcept -> std::string_view {
  switch (kind) {
    case bar_kind::slack: return "proven: what is left of the deadline";
    case bar_kind::late: return "the bound exceeds the deadline";
    case bar_kind::hollow: return "the bound is within the deadline, but not proven";
    case bar_kind::decided: return "proven without a bound";
    case bar_kind::bounded: return "bounded, without a deadline";
    case bar_kind::unknown: return "no bound is known";
  }
  return {};
}

inline constexpr std::string_view bar_patterns =
    "<defs><pattern id=\"late\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fff\"/>"
    "<rect width=\"2.5\" height=\"6\" fill=\"#d00000\"/></pattern></defs>\n";

/// Pre: a bar.
[[nodiscard]] constexpr auto bar_style(bar_kind kind) noexcept -> std::string_view {
  TAKT_EXPECTS(is_bar(kind));
  switch (kind) {
    case bar_kind::slack: return "class=\"slack\" fill=\"#0072b2\" stroke=\"#0072b2\" stroke-width=\"1\"";
    case bar_kind::late: return "class=\"late\" fill=\"url(#late)\" stroke=\"#d00000\" stroke-width=\"1\"";
    case bar_kind::hollow: return "class=\"hollow\" fill=\"#fff\" stroke=\"#0072b2\" stroke-width=\"1\"";
    case bar_kind::decided:
    case bar_kind::bounded:
    case bar_kind::unknown: break;
  }
  return {};
}

/// Draws a check, a circle or a question mark around (x, y). Pre: not a bar.
inline void write_sign(svg_writer& svg, bar_kind kind, double x, double y, std::string_view tooltip = {}) {
  TAKT_EXPECTS(!is_bar(kind));
  switch (kind) {
    case bar_kind::decided:
      svg.path(x - 4.5, y, "l3.5 4l6 -8.5", "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2.2\"", tooltip);
      return;
    case bar_kind::bounded:
      svg.path(x - 4, y, "a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "fill=\"#fff\" stroke=\"#0072b2\" stroke-width=\"1.8\"",
               tooltip);
      return;
    case bar_kind::unknown:
      svg.path(x - 3, y - 2.5, "c0 -4 6 -4 6 0c0 2 -3 2.2 -3 5m0 2v1.6",
               "fill=\"none\" stroke=\"#d00000\" stroke-width=\"1.8\"", tooltip);
      return;
    case bar_kind::slack:
    case bar_kind::late:
    case bar_kind::hollow: return;
  }
}

/// Returns the text that a pointer over a task shows.
[[nodiscard]] inline auto bar_tooltip(const compared_task& t) -> std::string {
  const std::string bound = t.bound.exists ? "bound " + format_duration(t.bound.value) : "no bound";
  const std::string deadline = t.limited ? "deadline " + format_duration(t.deadline) : "no deadline";
  return t.name + "\n" + bound + ", " + deadline + (t.meets ? ", proven" : ", not proven");
}

}  // namespace takt::inline TAKT_ABI::report::detail
