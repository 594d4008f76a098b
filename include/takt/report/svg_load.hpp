// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <range/v3/range/concepts.hpp>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/text.hpp>
#include <takt/report/time_axis.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Says how many pieces of each task are at work at once, on the mean of each column of a picture. A piece on several
/// SMs counts for each.
struct stacked_load {
  std::map<std::uint32_t, std::vector<double>> of_task;
  std::int64_t peak = 0;  ///< at work at once, of all tasks, at any instant of the window
};

/// Pre: columns >= 1. Cost: n log n, and a step per piece and column that it touches.
template <ranges::input_range Slices>
[[nodiscard]] auto stacked_load_of(Slices&& slices, const time_axis& axis, std::size_t columns) -> stacked_load {
  TAKT_EXPECTS(columns >= 1);
  stacked_load out;
  std::vector<std::pair<ticks, std::int64_t>> changes;
  const double width = axis.right() - axis.left();
  const auto at = [&](ticks t) { return (axis.x(t) - axis.left()) / width * static_cast<double>(columns); };
  for (const slice& s : slices) {
    const std::int64_t sms = std::max(s.where.count, 1);
    changes.emplace_back(s.start, sms);
    changes.emplace_back(s.end, -sms);
    std::vector<double>& load = out.of_task.try_emplace(s.task, columns).first->second;
    const double from = at(s.start);
    const double to = at(s.end);
    for (auto c = static_cast<std::size_t>(from); c < columns && static_cast<double>(c) < to; ++c) {
      const auto left = static_cast<double>(c);
      load[c] += static_cast<double>(sms) * (std::min(to, left + 1) - std::max(from, left));
    }
  }
  std::ranges::sort(changes);
  std::int64_t now = 0;
  for (const auto& [t, change] : changes) {
    now += change;
    out.peak = std::max(out.peak, now);
  }
  return out;
}

/// Draws it as areas, task upon task, `height` pixels for the peak above `foot`. `name_of(task)` is for tooltips.
template <class NameOf>
void draw_load(svg_writer& svg, const stacked_load& load, const time_axis& axis, double foot, double height,
               const NameOf& name_of) {
  const double unit = height / static_cast<double>(std::max<std::int64_t>(load.peak, 1));
  std::vector<double> base;
  for (const auto& [task, mean] : load.of_task) {
    base.resize(mean.size(), 0);
    const double step = (axis.right() - axis.left()) / static_cast<double>(mean.size());
    const auto same = [&](std::size_t a, std::size_t b) {
      return std::abs(mean[a] - mean[b]) * unit < 0.1 && std::abs(base[a] - base[b]) * unit < 0.1;
    };
    for (std::size_t c = 0; c < mean.size();) {
      std::size_t end = c + 1;
      while (end < mean.size() && same(c, end)) { ++end; }
      if (mean[c] * unit >= 0.05) {
        svg.rectangle(axis.left() + step * static_cast<double>(c), foot - (base[c] + mean[c]) * unit,
                      step * static_cast<double>(end - c), mean[c] * unit,
                      "fill=\"" + std::string{task_colour(task).fill} + '"',
                      name_of(task) + ": " + fixed(mean[c], 1) + " on the mean");
      }
      for (; c < end; ++c) { base[c] += mean[c]; }
    }
  }
}

}  // namespace takt::inline TAKT_ABI::report::detail
