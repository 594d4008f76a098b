// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/time_axis.hpp>
#include <takt/simulation/observed_chain.hpp>

namespace takt::inline TAKT_ABI::report {

/// Says how the data of one output went through a chain, to be drawn.
struct chain_view {
  std::string title;
  std::vector<std::string> names;             ///< of the stages' tasks
  std::vector<std::vector<data_step>> steps;  ///< of each stage, in the order of outputs
  data_path path;
};

namespace detail {

/// Returns whether each stage has a step of the job that the path names there.
[[nodiscard]] inline auto shows_path(const chain_view& view) -> bool {
  bool out = view.steps.size() == view.names.size() && view.path.jobs.size() == view.names.size();
  for (std::size_t i = 0; out && i < view.steps.size(); ++i) {
    out = std::ranges::find(view.steps[i], view.path.jobs[i], &data_step::job) != view.steps[i].end();
  }
  return out;
}

class chain_drawing {
 public:
  chain_drawing(std::ostream& out, const chain_view& view)
      : svg_{out},
        view_{view},
        axis_{view.path.change, std::max(view.path.output, view.path.change + 1), left(view), width - left(view) - 40} {
  }

  void write() {
    const double height = top + row * static_cast<double>(view_.names.size()) + 50;
    svg_.begin(width, height);
    svg_.text(16, 28, view_.title, "font-size=\"18\" font-weight=\"600\"");
    svg_.text(
        16, 48,
        "from the change, just after a read that missed it, to the output that tells of it; a box lasts from a job's "
        "read to its output, dark ones are those that the data went through",
        "fill=\"#667\"");
    write_grid(height - 44);
    for (std::size_t i = 0; i < view_.names.size(); ++i) { write_stage(i); }
    for (std::size_t i = 0; i + 1 < view_.names.size(); ++i) { write_link(i); }
    svg_.raw("</svg>\n");
  }

 private:
  static constexpr double width = 1200;
  static constexpr double top = 72;
  static constexpr double row = 44;

  [[nodiscard]] static auto left(const chain_view& view) -> double {
    std::size_t most = 8;
    for (const std::string& n : view.names) { most = std::max(most, columns(n)); }
    return 32 + 7.4 * static_cast<double>(most);
  }
  [[nodiscard]] static auto y_of(std::size_t stage) -> double { return top + row * static_cast<double>(stage); }

  void write_grid(double bottom) {
    for (const ticks t : axis_.instants()) {
      svg_.path(axis_.x(t), top - 8, 'V' + pixels(bottom), "stroke=\"#dfe2e8\" stroke-width=\"1\"");
      svg_.text(axis_.x(t), bottom + 17, axis_.label(t), "text-anchor=\"middle\" font-size=\"11\"");
    }
    svg_.text((axis_.left() + axis_.right()) / 2, bottom + 36, "time in " + std::string{axis_.unit().name},
              "text-anchor=\"middle\" font-size=\"11\" fill=\"#667\"");
  }
  void write_stage(std::size_t i) {
    svg_.text(16, y_of(i) + 18, view_.names[i]);
    for (const data_step& s : view_.steps[i]) {
      if (s.given < axis_.from() || s.read > axis_.to()) { continue; }
      const bool on_path = s.job == view_.path.jobs[i];
      const double x = axis_.x(s.read);
      const std::string fill =
          "fill=\"" + std::string{task_colour(static_cast<std::uint32_t>(i)).fill} + '"' +
          (on_path ? " stroke=\"#222\" stroke-width=\"1.5\"" : " fill-opacity=\"0.25\" stroke=\"#fff\"");
      svg_.rectangle(x, y_of(i) + 4, std::max(axis_.x(s.given) - x, 1.0), 20, fill,
                     view_.names[i] + ", job " + std::to_string(s.job) + ": reads at " + format_duration(s.read) +
                         ", output at " + format_duration(s.given));
    }
  }
  /// From the output of one stage's job to the read of the next one's.
  void write_link(std::size_t i) {
    const auto step = [this](std::size_t stage) {
      return *std::ranges::find(view_.steps[stage], view_.path.jobs[stage], &data_step::job);
    };
    const double x = axis_.x(step(i).given);
    const double dx = axis_.x(step(i + 1).read) - x;
    svg_.path(x, y_of(i) + 24, 'l' + pixels(dx) + ' ' + pixels(row - 20) + "m-3 -5l3 5l3 -5",
              "fill=\"none\" stroke=\"#222\" stroke-width=\"1.4\"");
  }

  svg_writer svg_;
  const chain_view& view_;
  time_axis axis_;
};

}  // namespace detail

/// Draws which job read what and when, from a change to the output that tells of it. Pre: a step for each job of the
/// path.
inline void write_svg_chain(std::ostream& out, const chain_view& view) {
  TAKT_EXPECTS(detail::shows_path(view));
  detail::chain_drawing{out, view}.write();
}

}  // namespace takt::inline TAKT_ABI::report
