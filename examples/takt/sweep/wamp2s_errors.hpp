// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <takt/prediction/corun/progress_threshold.hpp>

#include "study.hpp"

namespace takt::program::sweep {

/// Of a number that is not negative.
[[nodiscard]] inline auto to_thousandths(double value) -> std::int64_t { return std::llround(value * 1000); }

/// A mean of relative errors, and of how many.
class mean_error {
 public:
  void add(double error) {
    sum_ += error;
    ++count_;
  }
  /// Per cent, and their number, both in thousandths.
  void write(std::span<std::int64_t> counts) const {
    counts[0] = count_ > 0 ? to_thousandths(100 * sum_ / static_cast<double>(count_)) : 0;
    counts[1] = count_ * 1000;
  }

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

/// Errors by the progress of the job, in twentieths of it.
class errors_by_progress {
 public:
  static constexpr std::int64_t bin = 50;  ///< thousandths
  static constexpr std::size_t bins = 1000 / bin;

  void add(const progress_error& e) {
    means_[std::min(static_cast<std::size_t>(e.progress * bins), bins - 1)].add(e.error);
  }
  /// `level`: where a bin ends, in thousandths.
  [[nodiscard]] auto up_to(std::int64_t level) const -> const mean_error& {
    return means_[static_cast<std::size_t>(level / bin - 1)];
  }

 private:
  std::array<mean_error, bins> means_{};
};

}  // namespace takt::program::sweep
