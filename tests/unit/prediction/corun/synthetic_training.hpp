// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/prediction/corun/training.hpp>
#include <takt/prediction/corun/training_samples.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>

namespace takt::test {

inline constexpr std::size_t applications = generation::synthetic_benchmarks.size();

[[nodiscard]] inline auto profiles() -> std::vector<workload_profile<>> {
  const auto all = generation::synthetic_profiles(generation::synthetic_benchmarks);
  return {all.begin(), all.end()};
}

[[nodiscard]] inline auto samples_of(std::size_t self, std::int64_t most = 4000)
    -> std::vector<co_run_sample<workload_input<>>> {
  const training_workloads<applications> workloads{applications, self, 8, 7};
  const auto time_of = [self](const std::array<std::int32_t, applications>& shares) {
    return generation::synthetic_co_run_time(generation::synthetic_benchmarks, self, shares);
  };
  return collect_samples<applications, workload_indicators>(workloads, self, profiles(), most, 3, time_of);
}

/// First widths that keep a few dozen rules.
[[nodiscard]] inline auto usual_options() -> training_options<workload_indicators + 1> {
  training_options<workload_indicators + 1> o;
  o.structure.first_width.fill(0.8);
  o.structure.first_width.back() = 0.04;
  return o;
}

}  // namespace takt::test
