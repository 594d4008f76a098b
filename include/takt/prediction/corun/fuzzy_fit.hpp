// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <takt/core/choice.hpp>
#include <takt/prediction/corun/fuzzy_network.hpp>

namespace takt::inline TAKT_ABI {

enum class consequent_form : std::uint8_t {
  constant,  ///< Yao et al. 2022, Eq. 3
  affine,    ///< of Takagi, Sugeno and Kang, which the predecessor of that network has
};
[[nodiscard]] constexpr auto last_of(consequent_form) noexcept -> consequent_form { return consequent_form::affine; }

namespace detail {

[[nodiscard]] constexpr auto terms_of(consequent_form form, std::size_t inputs) noexcept -> std::size_t {
  switch (form) {
    case consequent_form::constant: return 1;
    case consequent_form::affine: return inputs + 1;
  }
  return 0;
}

/// Sets the consequents to those with the least squared error over the samples, plus `ridge` times their squares.
/// False, and no change: no rule, sizes differ, the form is unknown, or the samples do not determine the consequents at
/// this `ridge`. Cost: samples x n^2 + n^3 / 6, where n is the number of rules, times inputs + 1 for affine ones.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto fit_consequents(fuzzy_network<Inputs, MaxRules>& net,
                                   std::span<const std::array<double, Inputs>> samples, std::span<const double> targets,
                                   double ridge, consequent_form form = consequent_form::constant) -> bool {
  const std::size_t rules = net.rules.size();
  if (rules == 0 || samples.size() != targets.size() || !is_known(form)) { return false; }
  const std::size_t per_rule = detail::terms_of(form, Inputs);
  const std::size_t n = rules * per_rule;
  using index = Eigen::Index;
  const auto size = static_cast<index>(n);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd solution = Eigen::VectorXd::Zero(size);
  Eigen::VectorXd row(size);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::array<double, MaxRules> shares = net.firing_shares(samples[s]);
    for (std::size_t j = 0; j < rules; ++j) {
      const auto first = static_cast<index>(j * per_rule);
      row[first] = shares[j];
      for (std::size_t i = 1; i < per_rule; ++i) { row[first + static_cast<index>(i)] = shares[j] * samples[s][i - 1]; }
    }
    normal.selfadjointView<Eigen::Lower>().rankUpdate(row);
    solution += targets[s] * row;
  }
  normal.diagonal().array() += ridge;
  const Eigen::LLT<Eigen::MatrixXd> factors{normal};
  constexpr double lost_to_rounding = 0x1p-50;
  if (factors.info() != Eigen::Success || !(factors.rcond() > lost_to_rounding)) { return false; }
  factors.solveInPlace(solution);
  for (std::size_t j = 0; j < rules; ++j) {
    const auto first = static_cast<index>(j * per_rule);
    net.rules[j].weight = solution[first];
    net.rules[j].slope.fill(0);
    for (std::size_t i = 1; i < per_rule; ++i) { net.rules[j].slope[i - 1] = solution[first + static_cast<index>(i)]; }
  }
  return true;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
