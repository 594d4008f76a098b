// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/prediction/corun/random_draws.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Is a plain network of fully connected layers, tanh inside and linear at its output, trained by stochastic gradient
/// descent: what Yao et al. 2022 compare the fuzzy network with (section 6.2.1 and Fig. 10).
class layered_network {
 public:
  /// Takes widths from the inputs to the last hidden layer; one output follows. Weights are uniform within 1 /
  /// sqrt(inputs of the layer). Pre: not empty, no width of 0.
  layered_network(std::span<const std::size_t> widths, random_stream& random) {
    TAKT_EXPECTS(!widths.empty());
    for (std::size_t l = 0; l < widths.size(); ++l) {
      const std::size_t outputs = l + 1 < widths.size() ? widths[l + 1] : 1;
      layer added{.inputs = widths[l], .outputs = outputs, .weights = {}, .offsets = {}, .values = {}, .errors = {}};
      TAKT_EXPECTS(widths[l] > 0);
      const double limit = 1 / std::sqrt(static_cast<double>(widths[l]));
      for (std::size_t w = 0; w < widths[l] * outputs; ++w) {
        added.weights.push_back(limit * (2 * draw_unit(random) - 1));
      }
      added.offsets.resize(outputs);
      added.values.resize(outputs);
      added.errors.resize(outputs);
      layers_.push_back(added);
    }
  }

  /// Pre: as many inputs as the first width.
  [[nodiscard]] auto output(std::span<const double> x) -> double {
    TAKT_EXPECTS(x.size() == layers_.front().inputs);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      layer& here = layers_[l];
      const std::span<const double> in = inputs_of(l, x);
      for (std::size_t o = 0; o < here.outputs; ++o) {
        double sum = here.offsets[o];
        for (std::size_t i = 0; i < here.inputs; ++i) { sum += here.weights[o * here.inputs + i] * in[i]; }
        here.values[o] = l + 1 < layers_.size() ? std::tanh(sum) : sum;
      }
    }
    return layers_.back().values[0];
  }

  /// Does one step down the gradient of half the squared error. Returns the output before it.
  auto descend(std::span<const double> x, double target, double rate) -> double {
    const double before = output(x);
    layers_.back().errors[0] = before - target;
    for (std::size_t l = layers_.size(); l-- > 0;) {
      layer& here = layers_[l];
      const std::span<const double> in = inputs_of(l, x);
      for (std::size_t i = 0; l > 0 && i < here.inputs; ++i) {
        double sum = 0;
        for (std::size_t o = 0; o < here.outputs; ++o) { sum += here.errors[o] * here.weights[o * here.inputs + i]; }
        layers_[l - 1].errors[i] = sum * (1 - in[i] * in[i]);
      }
      for (std::size_t o = 0; o < here.outputs; ++o) {
        const double step = rate * here.errors[o];
        here.offsets[o] -= step;
        for (std::size_t i = 0; i < here.inputs; ++i) { here.weights[o * here.inputs + i] -= step * in[i]; }
      }
    }
    return before;
  }

  /// Counts weights, then offsets, layer by layer. Pre: index < parameters().
  [[nodiscard]] auto parameter(std::size_t index) noexcept -> double& {
    TAKT_EXPECTS(index < parameters());
    std::size_t l = 0;
    while (index >= layers_[l].weights.size() + layers_[l].offsets.size()) {
      index -= layers_[l].weights.size() + layers_[l].offsets.size();
      ++l;
    }
    layer& here = layers_[l];
    return index < here.weights.size() ? here.weights[index] : here.offsets[index - here.weights.size()];
  }
  [[nodiscard]] auto parameters() const noexcept -> std::size_t {
    std::size_t sum = 0;
    for (const layer& l : layers_) { sum += l.weights.size() + l.offsets.size(); }
    return sum;
  }

  /// Returns products per output, the cost that does not depend on a machine.
  [[nodiscard]] auto products() const noexcept -> std::size_t {
    std::size_t sum = 0;
    for (const layer& l : layers_) { sum += l.weights.size(); }
    return sum;
  }

 private:
  struct layer {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<double> weights;  ///< one row per output
    std::vector<double> offsets;
    std::vector<double> values;
    std::vector<double> errors;  ///< derivatives of the error by what enters tanh
  };

  [[nodiscard]] auto inputs_of(std::size_t l, std::span<const double> x) const noexcept -> std::span<const double> {
    return l == 0 ? x : std::span<const double>{layers_[l - 1].values};
  }

  std::vector<layer> layers_;
};

}  // namespace takt::inline TAKT_ABI::detail
