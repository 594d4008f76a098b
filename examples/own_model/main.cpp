// SPDX-License-Identifier: Apache-2.0
// A predictor of one's own: counters of a profiler become profiles, runs beside other applications become samples, and
// a fuzzy network learns from them how long a job takes at which share beside whom. Errors per epoch go to standard
// output, the rules of the network to the file that is named. The machine here is made up; a real one has the
// profiler's counts in `counted` and clocks in `measured`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/indicators.hpp>
#include <takt/prediction/corun/sample_recorder.hpp>
#include <takt/prediction/corun/training.hpp>
#include <takt/prediction/corun/training_csv.hpp>

namespace {

constexpr std::size_t applications = 3;
constexpr std::size_t own = 0;
constexpr double window = 1'000'000;  // of counting, in ns

using profiles = std::array<takt::workload_profile<>, applications>;
using shares = std::array<std::int32_t, applications>;
using input = takt::workload_input<>;

/// What the profiler saw of an application alone on the whole GPU.
auto counted(std::size_t application) -> std::array<std::uint64_t, takt::raw_events> {
  std::array<std::uint64_t, takt::raw_events> out{};
  for (std::size_t e = 0; e < out.size(); ++e) { out[e] = 1'000 * (1 + (7 * application + 3 * e) % 11); }
  return out;
}

/// How long a job takes on this machine: half of it scales with its share, and reads of the others slow it down.
auto measured(const input& seen) -> takt::ticks {
  const double reads = seen[static_cast<std::size_t>(takt::workload_indicator::l2_reads)];
  return static_cast<takt::ticks>(1e6 * (0.5 + 50 / seen.back()) * (1 + 10 * reads));
}

/// Shares at random: 20 to 60 of its own, and up to half of the rest for each of the others.
auto draw(takt::random_stream& random) -> shares {
  shares out{};
  out[own] = static_cast<std::int32_t>(random.between(20, 60));
  for (std::size_t k = 1; k < applications; ++k) {
    out[k] = static_cast<std::int32_t>(random.between(0, (100 - out[own]) / 2));
  }
  return out;
}

auto learn(std::ostream& errors, const char* rules_file) -> bool {
  profiles alone{};
  for (std::size_t k = 0; k < applications; ++k) { alone[k] = takt::to_profile(counted(k), window); }

  takt::random_stream random{7};
  takt::sample_recorder<input> recorder;
  std::vector<takt::co_run_sample<input>> samples;
  for (takt::ticks now = 0; samples.size() < 600;) {
    const input seen = takt::input_of<takt::workload_indicators>(alone, draw(random), own);
    if (!recorder.started(seen, now)) { return false; }
    if (random.chance(1, 10)) { recorder.load_changed(); }  // somebody came or left: no sample
    now += measured(seen);
    if (const auto sample = recorder.finished(now)) { samples.push_back(*sample); }
  }

  takt::training_options<takt::workload_indicators + 1> how;
  how.structure.first_width.fill(0.4);
  how.training_samples = 450;
  how.epochs = 5;
  takt::co_run_model<takt::workload_indicators + 1, 64> model;
  const auto report = takt::train<takt::workload_indicators + 1>(samples, how, model);
  if (!report) { return false; }
  takt::write_epochs_csv(errors, report);
  if (rules_file != nullptr) {
    std::ofstream rules{rules_file};
    takt::write_rules_csv(rules, model.network);
  }
  errors << "# runs under a changing load: " << recorder.dropped() << ", rules: " << model.network.rules.size()
         << ", error on runs that were not trained on: " << report.test.percent_of_measurement << " %\n";
  return report.test.percent_of_measurement < 5 && recorder.dropped() > 0;
}

}  // namespace

auto main(int argc, char** argv) -> int try {
  return learn(std::cout, argc > 1 ? argv[1] : nullptr) ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
