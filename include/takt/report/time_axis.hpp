// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/report/format_duration.hpp>

namespace takt::inline TAKT_ABI::report {

/// Maps a window of time to pixels and divides it by round instants.
class time_axis {
 public:
  static constexpr double label_column = 6.6;  ///< pixels per character of a label
  static constexpr double label_gap = 26;

  /// Pre: from < to, width > 0.
  time_axis(ticks from, ticks to, double left, double width) : from_{from}, to_{to}, left_{left}, width_{width} {
    TAKT_EXPECTS(from < to && 0 < width);
    choose_step();
  }

  [[nodiscard]] auto from() const -> ticks { return from_; }
  [[nodiscard]] auto to() const -> ticks { return to_; }
  [[nodiscard]] auto left() const -> double { return left_; }
  [[nodiscard]] auto right() const -> double { return left_ + width_; }
  [[nodiscard]] auto shows(ticks t) const -> bool { return from_ <= t && t <= to_; }
  /// Instants outside the window sit on its edge.
  [[nodiscard]] auto x(ticks t) const -> double {
    const auto offset = static_cast<double>(std::clamp(t, from_, to_)) - static_cast<double>(from_);
    return left_ + width_ * offset / (static_cast<double>(to_) - static_cast<double>(from_));
  }

  [[nodiscard]] auto unit() const -> const time_unit& { return unit_; }
  [[nodiscard]] auto label(ticks t) const -> std::string { return count_of(t, unit_); }
  /// Returns multiples of 1, 2 or 5 times a power of ten, as dense as their labels allow.
  [[nodiscard]] auto instants() const -> std::vector<ticks> {
    std::vector<ticks> out;
    const ticks before = from_ % step_;
    ticks t = before == 0 ? from_ : before > 0 ? from_ + (step_ - before) : from_ - before;
    for (; t <= to_; t += step_) {
      out.push_back(t);
      if (t > to_ - step_) { break; }
    }
    return out;
  }

 private:
  void choose_step() {
    unit_ = detail::unit_for((to_ - from_) / 2);
    for (ticks power = 1; power <= 1'000'000'000'000'000'000; power *= 10) {
      for (const ticks factor : {1, 2, 5}) {
        step_ = power * factor;
        if (fits()) { return; }
      }
      if (power == 1'000'000'000'000'000'000) { return; }
    }
  }
  [[nodiscard]] auto fits() const -> bool {
    const double span = static_cast<double>(to_) - static_cast<double>(from_);
    const double distance = width_ * static_cast<double>(step_) / span;
    if (distance < 60) { return false; }
    const ticks last = to_ - to_ % step_;
    const auto longest = std::max(label(last).size(), label(last - step_).size());
    return distance >= static_cast<double>(longest) * label_column + label_gap;
  }

  ticks from_;
  ticks to_;
  double left_;
  double width_;
  time_unit unit_{};
  ticks step_ = 1;
};

}  // namespace takt::inline TAKT_ABI::report
