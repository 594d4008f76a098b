// SPDX-License-Identifier: Apache-2.0
// A predictor of one's own: a fuzzy network learns from measured runs how long a job takes at which share of the GPU
// beside whom. The machine is made up: a real one has a profiler in `profile` and a clock in `measured`.
#include <array>
#include <iostream>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/indicators.hpp>
#include <takt/prediction/corun/training.hpp>
#include <takt/prediction/corun/training_csv.hpp>

using input = takt::workload_input<>;

/// What the profiler saw of an application alone on the whole GPU, in a millisecond.
auto profile(std::uint64_t application) -> takt::workload_profile<> {
  std::array<std::uint64_t, takt::raw_events> events{};
  for (std::uint64_t e = 0; e < events.size(); ++e) { events[e] = 1'000 * (1 + (7 * application + 3 * e) % 11); }
  return takt::to_profile(events, 1e6);
}
/// How long a job takes: half of it scales with its share, and reads of the others slow it down.
auto measured(const input& seen) -> takt::ticks {
  const double reads = seen[static_cast<std::size_t>(takt::workload_indicator::l2_reads)];
  return static_cast<takt::ticks>(1e6 * (0.5 + 50 / seen.back()) * (1 + 10 * reads));
}

auto main() -> int {
  const std::array profiles{profile(0), profile(1), profile(2)};
  takt::random_stream random{7};
  std::vector<takt::co_run_sample<input>> samples;
  while (samples.size() < 600) {
    const auto share = [&](std::int64_t least, std::int64_t most) {
      return static_cast<std::int32_t>(random.between(least, most));
    };
    const std::array<std::int32_t, 3> shares{share(20, 60), share(0, 20), share(0, 20)};
    const input seen = takt::input_of<takt::workload_indicators>(profiles, shares, 0);
    samples.push_back({seen, measured(seen)});
  }
  takt::training_options<takt::workload_indicators + 1> how;
  how.structure.first_width.fill(0.4);
  how.training_samples = 450;
  how.epochs = 5;
  takt::co_run_model<takt::workload_indicators + 1, 64> model;
  const auto report = takt::train<takt::workload_indicators + 1>(samples, how, model);
  takt::write_epochs_csv(std::cout, report);
  return report && report.test.percent_of_measurement < 5 ? 0 : 1;
}
