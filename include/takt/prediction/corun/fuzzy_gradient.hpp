// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <takt/prediction/corun/fuzzy_network.hpp>

namespace takt::inline TAKT_ABI {

struct fuzzy_gradient_rates {
  double center = 0.1;
  double width = 0.1;
  double consequent = 0;  ///< of weights, and of slopes where `affine`
  double least_width = 1e-3;
  bool affine = false;
};

namespace detail {

/// Returns half the squared error of a sample differentiated by every parameter, as a network of the same shape.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] constexpr auto error_gradient(const fuzzy_network<Inputs, MaxRules>& net,
                                            const std::array<double, Inputs>& x, double target) noexcept
    -> fuzzy_network<Inputs, MaxRules> {
  fuzzy_network<Inputs, MaxRules> out;
  const std::array<double, MaxRules> shares = net.firing_shares(x);
  const double value = net.output(x);
  const double error = value - target;
  for (std::size_t j = 0; j < net.rules.size(); ++j) {
    const fuzzy_rule<Inputs>& rule = net.rules[j];
    const double by_consequent = error * shares[j];
    const double by_log_firing = by_consequent * (rule.consequent(x) - value);
    fuzzy_rule<Inputs> d;
    d.weight = by_consequent;
    for (std::size_t i = 0; i < Inputs; ++i) {
      const double distance = (x[i] - rule.center[i]) / rule.width[i];
      d.slope[i] = by_consequent * x[i];
      d.center[i] = by_log_firing * distance / rule.width[i];
      d.width[i] = by_log_firing * distance * distance / rule.width[i];
    }
    // Bound: one per rule of `net`.
    out.rules.unchecked_push_back(d);
  }
  return out;
}

}  // namespace detail

/// Does one step of gradient descent, all parameters at once. Returns the output before it. Pre: a rule. Yao et al.
/// 2022 name the method and leave its formulas to their source; these follow from Eq. 1 to 3.
template <std::size_t Inputs, std::size_t MaxRules>
constexpr auto descend(fuzzy_network<Inputs, MaxRules>& net, const std::array<double, Inputs>& x, double target,
                       const fuzzy_gradient_rates& rates) noexcept -> double {
  TAKT_EXPECTS(!net.rules.empty());
  const double before = net.output(x);
  const fuzzy_network<Inputs, MaxRules> gradient = detail::error_gradient(net, x, target);
  for (std::size_t j = 0; j < net.rules.size(); ++j) {
    fuzzy_rule<Inputs>& rule = net.rules[j];
    const fuzzy_rule<Inputs>& d = gradient.rules[j];
    rule.weight -= rates.consequent * d.weight;
    for (std::size_t i = 0; i < Inputs; ++i) {
      rule.slope[i] -= rates.affine ? rates.consequent * d.slope[i] : 0;
      rule.center[i] -= rates.center * d.center[i];
      const double width = rule.width[i] - rates.width * d.width[i];
      rule.width[i] = width > rates.least_width ? width : rates.least_width;
    }
  }
  return before;
}

}  // namespace takt::inline TAKT_ABI
