// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <takt/core/exact.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what the scheduling operations during the jobs of one application took, an operation counting for every job
/// that was active.
template <ExactNumber Number>
struct application_overhead {
  Number total{0};
  std::int64_t jobs = 0;
};

/// Returns the mean over applications of the mean over their jobs. None: no application, one without jobs, or a number
/// that does not fit. Source: Yao et al. 2022, Eq. 16.
template <ExactNumber Number>
[[nodiscard]] constexpr auto mean_overhead(std::span<const application_overhead<Number>> applications)
    -> std::optional<fraction_of<Number>> {
  if (applications.empty()) { return std::nullopt; }
  fraction_of<Number> sum{0};
  for (const application_overhead<Number>& a : applications) {
    if (a.jobs < 1) { return std::nullopt; }
    if (!add_exactly(sum, quotient(a.total, Number(a.jobs)), sum)) { return std::nullopt; }
  }
  auto mean = quotient(sum, fraction_of<Number>(static_cast<std::int64_t>(applications.size())));
  if (!is_number(mean)) { return std::nullopt; }
  return mean;
}

}  // namespace takt::inline TAKT_ABI
