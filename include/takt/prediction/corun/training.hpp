// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/random.hpp>
#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/error_metrics.hpp>
#include <takt/prediction/corun/fuzzy_fit.hpp>
#include <takt/prediction/corun/fuzzy_network.hpp>
#include <takt/prediction/corun/fuzzy_structure.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include <takt/prediction/corun/sample_recorder.hpp>

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

enum class training_status : std::uint8_t {
  trained,
  too_few_samples,  ///< none is left for the test
  bad_sample,       ///< a time below 1, or an input that is not finite
  bad_option,
  not_determined,  ///< the samples do not determine the consequents; a larger `ridge` helps
  diverged,        ///< the network estimates no time for a sample of the test
};

[[nodiscard]] constexpr auto name_of(training_status s) noexcept -> std::string_view {
  switch (s) {
    case training_status::trained: return "trained";
    case training_status::too_few_samples: return "too few samples";
    case training_status::bad_sample: return "a sample is out of range";
    case training_status::bad_option: return "an option is out of range";
    case training_status::not_determined: return "the samples do not determine the consequents";
    case training_status::diverged: return "no estimate for a sample of the test";
  }
  return "";
}

template <std::size_t Inputs>
struct training_options {
  fuzzy_structure_options<Inputs> structure;
  fuzzy_gradient_rates rates;
  std::size_t training_samples = 3000;  ///< the others are for the test
  std::size_t epochs = 0;               ///< of gradient descent and a new fit, after the first fit
  double ridge = 1e-6;
  target_scale scale = target_scale::logarithmic;
  consequent_form form = consequent_form::constant;
  std::uint64_t seed = 1;
};

struct training_report {
  training_status status = training_status::too_few_samples;
  error_metrics training;
  error_metrics test;
  std::size_t extrapolated = 0;       ///< samples of the test outside of the training's ranges
  bool rules_wanted = false;          ///< growth met the capacity of the network
  std::vector<error_metrics> epochs;  ///< on the training samples: after the first fit and after each epoch

  [[nodiscard]] explicit operator bool() const noexcept { return status == training_status::trained; }
};

namespace detail {

template <std::size_t Inputs>
struct training_rows {
  std::vector<std::array<double, Inputs>> inputs;  ///< in units
  std::vector<double> targets;                     ///< in units
};

template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto errors_on(const co_run_model<Inputs, MaxRules>& model,
                             std::span<const co_run_sample<std::array<double, Inputs>>> samples,
                             std::size_t* extrapolated = nullptr) -> std::optional<error_metrics> {
  std::vector<double> measured;
  std::vector<double> estimated;
  for (const auto& s : samples) {
    const co_run_estimate e = model.estimate(s.input);
    if (!e) { return std::nullopt; }
    if (extrapolated != nullptr && e.status == estimate_status::extrapolated) { ++*extrapolated; }
    measured.push_back(static_cast<double>(s.time));
    estimated.push_back(e.time);
  }
  return measure_errors(measured, estimated);
}

/// Sets the ranges of a model from samples, and gives them in its units.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto normalize(std::span<const co_run_sample<std::array<double, Inputs>>> samples,
                             co_run_model<Inputs, MaxRules>& model) -> training_rows<Inputs> {
  training_rows<Inputs> rows;
  for (const auto& s : samples) {
    const auto time = static_cast<double>(s.time);
    rows.inputs.push_back(s.input);
    switch (model.scale) {
      case target_scale::linear: rows.targets.push_back(time); break;
      case target_scale::logarithmic: rows.targets.push_back(std::log(time)); break;
    }
  }
  model.inputs = ranges_of<Inputs>(rows.inputs);
  model.target = range_of(rows.targets);
  for (auto& x : rows.inputs) { x = model.to_units(x); }
  for (double& y : rows.targets) { y = model.target.to_unit(y); }
  return rows;
}

template <std::size_t Inputs>
[[nodiscard]] auto sample_fault(std::span<const co_run_sample<std::array<double, Inputs>>> samples,
                                const training_options<Inputs>& o) -> training_status {
  bool good = o.structure.growth_threshold > 0 && o.structure.growth_threshold < 1 && o.ridge >= 0 &&
              o.structure.firing_threshold > 0 && o.structure.first_importance > 0 && o.rates.least_width > 0 &&
              o.training_samples > 0 && is_known(o.scale) && is_known(o.form);
  for (const double w : o.structure.first_width) { good = good && w > 0; }
  if (!good) { return training_status::bad_option; }
  if (samples.size() <= o.training_samples) { return training_status::too_few_samples; }
  for (const auto& s : samples) {
    if (s.time < 1) { return training_status::bad_sample; }
    for (const double v : s.input) {
      if (!std::isfinite(v)) { return training_status::bad_sample; }
    }
  }
  return training_status::trained;
}

}  // namespace detail

/// Trains the network of one application. It shuffles the samples and sets the test apart, grows rules in one pass,
/// fits the consequents, then descends and fits again once per epoch. The best of these by root mean square error on
/// the training samples is kept. The same arguments give the same model on one machine. Error: a status, and `out` is
/// as it was. Cost: (1 + epochs) x samples x rules x (inputs + rules). Source: Yao et al. 2022, section 4.3.
template <std::size_t Inputs, std::size_t MaxRules>
[[nodiscard]] auto train(std::span<const co_run_sample<std::array<double, Inputs>>> samples,
                         const training_options<Inputs>& o, co_run_model<Inputs, MaxRules>& out) -> training_report {
  using sample = co_run_sample<std::array<double, Inputs>>;
  training_report report;
  report.status = detail::sample_fault(samples, o);
  if (!report) { return report; }
  random_stream random{o.seed};
  std::vector<sample> shuffled(samples.begin(), samples.end());
  detail::shuffle(std::span<sample>{shuffled}, random);
  const std::span<const sample> training{shuffled.data(), o.training_samples};
  const std::span<const sample> test{shuffled.data() + o.training_samples, shuffled.size() - o.training_samples};

  co_run_model<Inputs, MaxRules> model;
  model.scale = o.scale;
  const detail::training_rows<Inputs> rows = detail::normalize<Inputs>(training, model);
  for (const auto& x : rows.inputs) {
    report.rules_wanted = detail::learn_structure(model.network, x, o.structure, random).full || report.rules_wanted;
  }
  std::vector<std::size_t> order(rows.inputs.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  co_run_model<Inputs, MaxRules> best;
  for (std::size_t epoch = 0; epoch <= o.epochs; ++epoch) {
    if (epoch > 0) {
      detail::shuffle(std::span<std::size_t>{order}, random);
      for (const std::size_t i : order) { descend(model.network, rows.inputs[i], rows.targets[i], o.rates); }
    }
    const bool fitted = detail::fit_consequents<Inputs>(model.network, rows.inputs, rows.targets, o.ridge, o.form);
    const auto errors = fitted ? detail::errors_on<Inputs>(model, training) : std::nullopt;
    if (!errors) {
      if (epoch > 0) { break; }
      report.status = fitted ? training_status::diverged : training_status::not_determined;
      return report;
    }
    if (epoch == 0 || errors->root_mean_square < report.training.root_mean_square) {
      report.training = *errors;
      best = model;
    }
    report.epochs.push_back(*errors);
  }
  const auto errors = detail::errors_on<Inputs>(best, test, &report.extrapolated);
  if (!errors) {
    report.status = training_status::diverged;
    return report;
  }
  report.test = *errors;
  out = best;
  return report;
}

}  // namespace takt::inline TAKT_ABI
