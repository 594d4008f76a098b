// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/generation/shares/synthetic_platform.hpp>
#include <takt/prediction/corun/training.hpp>
#include <takt/prediction/corun/training_samples.hpp>

#include "old_study.hpp"

namespace takt::program::old_sweep {

inline constexpr std::size_t most_rules = 192;
using workload_network = co_run_model<workload_indicators + 1, most_rules>;
using workload_sample = co_run_sample<workload_input<>>;

/// How networks are trained.
struct network_setting {
  std::int64_t samples = 4000;
  training_options<workload_indicators + 1> options;
};

/// Samples, training samples, epochs and seed, and then a study's own.
[[nodiscard]] auto network_parameters(std::vector<parameter> own) -> std::vector<parameter>;
[[nodiscard]] auto network_setting_of(const settings& s) -> network_setting;

struct trained_network {
  std::vector<workload_sample> samples;
  workload_network model;
  training_report report;
};

/// Throws `environment_error` when a network cannot be trained.
void train_network(const network_setting& s, trained_network& out);

template <std::size_t Count>
[[nodiscard]] auto profiles_of(const std::array<generation::synthetic_application, Count>& set)
    -> std::vector<workload_profile<>> {
  std::vector<workload_profile<>> out(Count);
  for (std::size_t k = 0; k < Count; ++k) { std::ranges::copy(generation::synthetic_counters(set[k]), out[k].begin()); }
  return out;
}

/// The network of one application, from times beside every subset of the others.
template <std::size_t Count>
[[nodiscard]] auto network_of(const std::array<generation::synthetic_application, Count>& set, std::size_t self,
                              const network_setting& s) -> trained_network {
  constexpr std::int64_t subsets = std::int64_t{1} << (Count - 1);
  const training_workloads<Count> workloads{Count, self, (s.samples + subsets - 1) / subsets, s.options.seed};
  const auto time_of = [&set, self](const auto& shares) {
    return generation::synthetic_co_run_time(set, self, shares);
  };
  trained_network out;
  out.samples = collect_samples<Count, workload_indicators>(workloads, self, profiles_of(set), s.samples,
                                                            s.options.seed, time_of);
  train_network(s, out);
  return out;
}

}  // namespace takt::program::old_sweep
