// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <takt/prediction/corun/error_metrics.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>

#include "study.hpp"

namespace takt::program::sweep {

/// Of a number that is not negative.
[[nodiscard]] inline auto to_thousandths(double value) -> std::int64_t { return std::llround(value * 1000); }

/// A mean per level.
using mean_errors = std::vector<mean_error>;

/// Per cent, and their number.
inline void write(const mean_error& mean, row counts) {
  counts[0] = to_thousandths(mean.percent());
  counts[1] = mean.count() * 1000;
}

constexpr std::int64_t progress_bin = 50;  ///< thousandths of a job
constexpr std::size_t progress_bins = 1000 / progress_bin;

/// Adds an error to those of its progress.
inline void add_by_progress(mean_errors& means, const progress_error& e) {
  means[std::min(static_cast<std::size_t>(e.progress * progress_bins), progress_bins - 1)].add(e.error);
}

}  // namespace takt::program::sweep
