// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/indicators.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include <takt/prediction/corun/sample_recorder.hpp>
#include <takt/prediction/corun/training_workloads.hpp>

namespace takt::inline TAKT_ABI {

/// Times so many of the workloads, or all if there are fewer, in an order drawn from `seed`. `time_of(shares)` runs the
/// workload and says how long application `self` took. Pre: a profile per application, self one of
/// them, most >= 0.
template <std::size_t MaxApplications, std::size_t Indicators, class TimeOf>
[[nodiscard]] auto collect_samples(const training_workloads<MaxApplications>& workloads, std::size_t self,
                                   std::span<const workload_profile<Indicators>> profiles, std::int64_t most,
                                   std::uint64_t seed, TimeOf time_of)
    -> std::vector<co_run_sample<workload_input<Indicators>>> {
  TAKT_EXPECTS(profiles.size() == workloads.applications() && self < profiles.size() && most >= 0);
  std::vector<std::int64_t> order(static_cast<std::size_t>(workloads.size()));
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = static_cast<std::int64_t>(i); }
  random_stream random{seed};
  detail::shuffle(std::span<std::int64_t>{order}, random);
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  std::vector<co_run_sample<workload_input<Indicators>>> out;
  for (const std::int64_t index : order) {
    const auto shares = workloads[index];
    const std::span<const std::int32_t> used{shares.data(), profiles.size()};
    out.push_back({input_of<Indicators>(profiles, used, self), time_of(shares)});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
