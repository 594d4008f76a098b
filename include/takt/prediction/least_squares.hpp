// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <takt/prediction/kernel_sample.hpp>

namespace takt::inline TAKT_ABI {

/// Is the curve parallel / n + serial through the middle of samples, in ticks. It bounds nothing.
struct scaling_curve {
  double parallel = 0;
  double serial = 0;
  double sum_of_squares = 0;  ///< of the distances between samples and curve

  [[nodiscard]] constexpr auto time(double virtual_sms) const noexcept -> double {
    return parallel / virtual_sms + serial;
  }
  /// Returns the s of Eq. 3 on n SMs, under which this curve is its speed-up. Source: Zou et al. 2021, Eq. 3.
  [[nodiscard]] constexpr auto serial_share(double virtual_sms) const noexcept -> double {
    return serial / time(virtual_sms);
  }
};

namespace detail {

/// Returns whether SM counts are above 0 and not all the same.
[[nodiscard]] constexpr auto have_two_sizes(std::span<const kernel_sample> samples) noexcept -> bool {
  bool differ = false;
  for (const kernel_sample& s : samples) {
    if (s.virtual_sms <= 0) { return false; }
    differ = differ || s.virtual_sms != samples.front().virtual_sms;
  }
  return differ;
}

/// Fits times by least squares as a line in 1/n. Pre: two different SM counts, all above 0.
[[nodiscard]] constexpr auto fit_scaling_curve(std::span<const kernel_sample> samples) noexcept -> scaling_curve {
  TAKT_EXPECTS_IN_TESTS(detail::have_two_sizes(samples));
  const auto count = static_cast<double>(samples.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const kernel_sample& s : samples) {
    mean_x += 1.0 / s.virtual_sms / count;
    mean_y += static_cast<double>(s.time) / count;
  }
  double xx = 0;
  double xy = 0;
  for (const kernel_sample& s : samples) {
    const double x = 1.0 / s.virtual_sms - mean_x;
    xx += x * x;
    xy += x * (static_cast<double>(s.time) - mean_y);
  }
  scaling_curve out{xy / xx, mean_y - xy / xx * mean_x};
  for (const kernel_sample& s : samples) {
    const double distance = static_cast<double>(s.time) - out.time(s.virtual_sms);
    out.sum_of_squares += distance * distance;
  }
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
