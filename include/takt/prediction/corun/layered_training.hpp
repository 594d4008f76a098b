// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/exponential.hpp>
#include <takt/prediction/corun/layered_network.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include <takt/prediction/corun/sample_recorder.hpp>

namespace takt::inline TAKT_ABI {

struct layered_options {
  std::vector<std::size_t> widths;  ///< as of `layered_network`
  std::size_t epochs = 1;
  double rate = 0.05;
};

struct layered_report {
  double root_mean_square = 0;  ///< error of the test, in the unit of the times
  std::size_t products = 0;     ///< per estimate
};

/// Returns what a layered network would have made of the samples on which a fuzzy one was trained with this seed. The
/// same go to training and test, and inputs and the logarithm of times are in the units of `model`. Pre: 0 < training <
/// samples. Cost: epochs x training x products. Source: Yao et al. 2022, Fig. 10.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto train_layered(std::vector<co_run_sample<std::array<double, Inputs>>> samples, std::size_t training,
                                 std::uint64_t seed, const co_run_model<Inputs, MaxRules>& model,
                                 const layered_options& o) -> layered_report {
  TAKT_EXPECTS(training > 0 && training < samples.size());
  random_stream random{seed};
  detail::shuffle(std::span{samples}, random);
  detail::layered_network net{o.widths, random};
  for (std::size_t epoch = 0; epoch < o.epochs; ++epoch) {
    for (std::size_t i = 0; i < training; ++i) {
      const double target = model.target.to_unit(std::log(static_cast<double>(samples[i].time)));
      net.descend(model.to_units(samples[i].input), target, o.rate);
    }
  }
  double squares = 0;
  for (std::size_t i = training; i < samples.size(); ++i) {
    const double time = exponential(model.target.from_unit(net.output(model.to_units(samples[i].input))));
    const double error = time - static_cast<double>(samples[i].time);
    squares += error * error;
  }
  return {std::sqrt(squares / static_cast<double>(samples.size() - training)), net.products()};
}

}  // namespace takt::inline TAKT_ABI
