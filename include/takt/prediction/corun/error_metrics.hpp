// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

struct error_metrics {
  double percent_of_estimate = 0;     ///< mean absolute error relative to the estimate: Yao et al. 2022, Eq. 15
  double percent_of_measurement = 0;  ///< the same relative to the measurement, which is what MAPE usually means
  double root_mean_square = 0;        ///< in the unit of the times
};

namespace detail {

/// Pre of a result: as many estimates as measurements, at least one, all positive and finite; otherwise none.
[[nodiscard]] inline auto measure_errors(std::span<const double> measured, std::span<const double> estimated) noexcept
    -> std::optional<error_metrics> {
  if (measured.empty() || measured.size() != estimated.size()) { return std::nullopt; }
  error_metrics out;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (!(measured[i] > 0 && estimated[i] > 0 && std::isfinite(measured[i]) && std::isfinite(estimated[i]))) {
      return std::nullopt;
    }
    const double distance = std::abs(measured[i] - estimated[i]);
    out.percent_of_estimate += distance / estimated[i];
    out.percent_of_measurement += distance / measured[i];
    out.root_mean_square += distance * distance;
  }
  const auto count = static_cast<double>(measured.size());
  out.percent_of_estimate *= 100 / count;
  out.percent_of_measurement *= 100 / count;
  out.root_mean_square = std::sqrt(out.root_mean_square / count);
  return out;
}

}  // namespace detail

/// Keeps a mean of relative errors, and how many they are.
class mean_error {
 public:
  constexpr void add(double error) noexcept {
    sum_ += error;
    ++count_;
  }
  [[nodiscard]] constexpr auto count() const noexcept -> std::int64_t { return count_; }
  /// Returns the mean in per cent; 0 of none.
  [[nodiscard]] constexpr auto percent() const noexcept -> double {
    return count_ > 0 ? 100 * sum_ / static_cast<double>(count_) : 0;
  }

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace takt::inline TAKT_ABI
