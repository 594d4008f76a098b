// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <takt/core/choice.hpp>

namespace takt::inline TAKT_ABI {

/// Says how far an estimate of the remaining time was off at some progress of a job.
struct progress_error {
  double progress = 0;  ///< 0 to 1
  double error = 0;     ///< relative to the response time of the job; not negative
};

enum class threshold_criterion : std::uint8_t {
  mean_of_bin,  ///< as the curve of the paper is drawn; single errors may exceed the bound
  every_sample,
};
[[nodiscard]] constexpr auto last_of(threshold_criterion) noexcept -> threshold_criterion {
  return threshold_criterion::every_sample;
}

inline constexpr std::size_t threshold_bins = 100;

/// Returns the least progress, in hundredths, from which the error stays below `bound` in each bin of a hundredth.
/// These bins must not be empty, or above a progress that nobody has seen would be trusted. 1: nowhere. None: a sample,
/// the bound or the criterion is out of range. Source: Yao et al. 2022, Fig. 13; its 76.42 % holds for its GPU and its
/// programs only.
[[nodiscard]] constexpr auto pick_threshold(std::span<const progress_error> samples, double bound,
                                            threshold_criterion criterion = threshold_criterion::mean_of_bin) noexcept
    -> std::optional<double> {
  std::array<double, threshold_bins> sums{};
  std::array<double, threshold_bins> largest{};
  std::array<std::size_t, threshold_bins> counts{};
  if (!(bound > 0) || !is_known(criterion)) { return std::nullopt; }
  for (const progress_error& s : samples) {
    const bool in_range = s.progress >= 0 && s.progress <= 1 && s.error >= 0;
    if (!in_range) { return std::nullopt; }
    const auto at = static_cast<std::size_t>(s.progress * threshold_bins);
    const std::size_t bin = at < threshold_bins ? at : threshold_bins - 1;
    sums[bin] += s.error;
    largest[bin] = s.error > largest[bin] ? s.error : largest[bin];
    ++counts[bin];
  }
  std::size_t bin = threshold_bins;
  for (; bin > 0; --bin) {
    const std::size_t b = bin - 1;
    if (counts[b] == 0) { break; }
    double error = bound;
    switch (criterion) {
      case threshold_criterion::mean_of_bin: error = sums[b] / static_cast<double>(counts[b]); break;
      case threshold_criterion::every_sample: error = largest[b]; break;
    }
    if (!(error < bound)) { break; }
  }
  return static_cast<double>(bin) / threshold_bins;
}

}  // namespace takt::inline TAKT_ABI
