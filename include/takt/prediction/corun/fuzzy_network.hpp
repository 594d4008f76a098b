// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include <takt/core/inline_vector.hpp>
#include <takt/prediction/corun/exponential.hpp>

namespace takt::inline TAKT_ABI {

/// "The nearer the input to the centre, the more the output is the consequent": weight + slope . x. A slope of zeros is
/// the constant consequent of Yao et al. 2022, Eq. 3.
template <std::size_t Inputs>
struct fuzzy_rule {
  std::array<double, Inputs> center{};
  std::array<double, Inputs> width{};  ///< above 0
  std::array<double, Inputs> slope{};
  double weight = 0;
  double importance = 0;  ///< the critical degree of Eq. 7, kept while structure is learned

  [[nodiscard]] constexpr auto consequent(const std::array<double, Inputs>& x) const noexcept -> double {
    double value = weight;
    for (std::size_t i = 0; i < Inputs; ++i) { value += slope[i] * x[i]; }
    return value;
  }
};

namespace detail {

/// Returns ln of the firing strength, the product of Gaussian memberships. Finite for finite inputs, however far away.
/// Source: Yao et al. 2022, Eq. 1 and 2.
template <std::size_t Inputs>
[[nodiscard]] constexpr auto log_firing(const fuzzy_rule<Inputs>& rule, const std::array<double, Inputs>& x) noexcept
    -> double {
  double squares = 0;
  for (std::size_t i = 0; i < Inputs; ++i) {
    const double distance = (x[i] - rule.center[i]) / rule.width[i];
    squares += distance * distance;
  }
  constexpr double limit = std::numeric_limits<double>::max();
  return squares < limit ? -squares / 2 : (squares == squares ? -limit : squares);
}

}  // namespace detail

/// Is a fuzzy neural network of four layers: inputs, memberships, rules, and their mean. It holds its rules in place.
template <std::size_t Inputs, std::size_t MaxRules>
struct fuzzy_network {
  using input = std::array<double, Inputs>;
  using rule = fuzzy_rule<Inputs>;

  inline_vector<rule, MaxRules> rules;

  [[nodiscard]] static constexpr auto inputs() noexcept -> std::size_t { return Inputs; }

  [[nodiscard]] constexpr auto log_firings(const input& x) const noexcept -> std::array<double, MaxRules> {
    std::array<double, MaxRules> out{};
    for (std::size_t j = 0; j < rules.size(); ++j) { out[j] = detail::log_firing(rules[j], x); }
    return out;
  }

  /// Returns what each rule contributes, in sum 1. Taken relative to the strongest rule, since far from all centres
  /// every firing strength rounds to 0. Pre: a rule.
  [[nodiscard]] constexpr auto firing_shares(const input& x) const noexcept -> std::array<double, MaxRules> {
    TAKT_EXPECTS(!rules.empty());
    std::array<double, MaxRules> out = log_firings(x);
    double strongest = out[0];
    for (std::size_t j = 1; j < rules.size(); ++j) { strongest = out[j] > strongest ? out[j] : strongest; }
    double sum = 0;
    for (std::size_t j = 0; j < rules.size(); ++j) {
      out[j] = exponential(out[j] - strongest);
      sum += out[j];
    }
    for (std::size_t j = 0; j < rules.size(); ++j) { out[j] /= sum; }
    return out;
  }

  /// Returns the mean of the consequents, weighted by firing strength: between the least and the greatest of them. Pre:
  /// a rule. Cost: rules x inputs. Source: Yao et al. 2022, Eq. 3 and 4, with the index of its sums repaired.
  [[nodiscard]] constexpr auto output(const input& x) const noexcept -> double {
    TAKT_EXPECTS(!rules.empty());
    const std::array<double, MaxRules> shares = firing_shares(x);
    double out = 0;
    for (std::size_t j = 0; j < rules.size(); ++j) { out += shares[j] * rules[j].consequent(x); }
    return out;
  }

  /// Returns how many products and quotients one output takes with constant consequents, exponentials apart.
  [[nodiscard]] constexpr auto products() const noexcept -> std::size_t { return rules.size() * (2 * Inputs + 2); }
};

}  // namespace takt::inline TAKT_ABI
