// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/estimate_log.hpp>
#include <takt/prediction/corun/indicators.hpp>
#include <takt/prediction/corun/training.hpp>
#include <takt/prediction/corun/training_samples.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the network of one application, what it was trained on, and how that went.
template <std::size_t Inputs, std::size_t MaxRules>
struct trained_application {
  std::vector<co_run_sample<std::array<double, Inputs>>> samples;
  co_run_model<Inputs, MaxRules> model;
  training_report report;
};

/// Times application `self` beside every subset of the others, so many samples in all, and trains its network on them.
/// `time_of(shares)` runs a workload and says how long it took. Error: as of `train`.
/// Pre: self < Count, 0 < samples. Source: Yao et al. 2022, section 4.3.
template <std::size_t MaxRules, std::size_t Count, std::size_t Indicators, class TimeOf>
  requires(Count >= 2 && Count <= 32)
[[nodiscard]] auto train_application(const std::array<workload_profile<Indicators>, Count>& profiles, std::size_t self,
                                     std::int64_t samples, const training_options<Indicators + 1>& o, TimeOf time_of)
    -> trained_application<Indicators + 1, MaxRules> {
  TAKT_EXPECTS(self < Count && samples > 0);
  constexpr std::int64_t subsets = std::int64_t{1} << (Count - 1);
  const training_workloads<Count> workloads{Count, self, (samples + subsets - 1) / subsets, o.seed};
  trained_application<Indicators + 1, MaxRules> out;
  out.samples = collect_samples<Count, Indicators>(workloads, self, profiles, samples, o.seed, time_of);
  out.report = train<Indicators + 1>(out.samples, o, out.model);
  return out;
}

/// Returns how wrong the remaining time of a job was at the start of each segment, when the model estimates the time of
/// the whole job under the load. Segments have a share per application and a length. None: there is no estimate.
template <std::size_t MaxSegments, std::size_t Inputs, std::size_t MaxRules, std::size_t Count, class Segments>
[[nodiscard]] auto estimate_errors(const co_run_model<Inputs, MaxRules>& model,
                                   const std::array<workload_profile<Inputs - 1>, Count>& profiles, std::size_t self,
                                   const Segments& segments)
    -> std::optional<typename estimate_log<MaxSegments>::errors> {
  std::vector<ticks> lengths;
  std::vector<double> times;
  for (const auto& segment : segments) {
    const auto estimate = model.estimate(input_of<Inputs - 1>(profiles, segment.shares, self));
    if (!estimate) { return std::nullopt; }
    lengths.push_back(segment.length);
    times.push_back(estimate.time);
  }
  return detail::remaining_time_errors<MaxSegments>(lengths, times);
}

}  // namespace takt::inline TAKT_ABI
