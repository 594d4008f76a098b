// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/prediction/corun/error_metrics.hpp>
#include <takt/prediction/corun/fuzzy_fit.hpp>
#include <takt/prediction/corun/fuzzy_structure.hpp>
#include <takt/prediction/corun/scheduling_overhead.hpp>
#include <takt/prediction/corun/training.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

constexpr std::size_t most_inputs = 32;
using point = std::array<double, most_inputs>;
constexpr std::size_t most_rules = 512;
using network = takt::fuzzy_network<most_inputs, most_rules>;

/// A case's inputs, of which it has n, and after them some that are the same everywhere and hence count for nothing.
[[nodiscard]] auto read_point(const field& input, const field& values, double rest = 0) -> point {
  const auto n = input.at("n").get<std::size_t>();
  input.must_fit(n <= most_inputs, most_inputs);
  if (values.size() != n) { values.refuse("does not have n numbers"); }
  point out;
  out.fill(rest);
  for (std::size_t i = 0; i < n; ++i) { out[i] = values.at(i).get<double>(); }
  return out;
}
[[nodiscard]] auto read_samples(const field& input) -> std::vector<point> {
  std::vector<point> out;
  for (const field row : input.at("X")) { out.push_back(read_point(input, row)); }
  return out;
}

/// What the format has for all kinds, although most need little or nothing of it.
struct hyper_parameters {
  takt::fuzzy_structure_options<most_inputs> structure;
  double least_width = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] auto hyper_in(const field& input) -> hyper_parameters {
  const field hyper = input.object_or_empty("hyper");
  hyper_parameters out;
  out.least_width = hyper.value("sigma_min", 1e-3);
  out.seed = hyper.value("seed", std::uint64_t{1});
  auto& o = out.structure;
  o.first_width.fill(1);
  const auto n = input.at("n").get<std::size_t>();
  input.must_fit(n <= most_inputs, most_inputs);
  const bool by_input = hyper.contains("sigma0") && hyper.at("sigma0").is_list();
  if (by_input) { o.first_width = read_point(input, hyper.at("sigma0"), 1); }
  for (std::size_t i = 0; i < n && !by_input; ++i) { o.first_width[i] = hyper.value("sigma0", 0.01); }
  o.growth_threshold = hyper.value("b_th", 0.1);
  o.firing_threshold = hyper.value("eps", 0.1);
  o.idle_decay = hyper.value("alpha1", 1.0);
  o.active_growth = hyper.value("alpha2", 1.0);
  o.first_importance = hyper.value("c0", 1.0);
  o.pruning_bound = hyper.value("c_th", 0.1);
  return out;
}

[[nodiscard]] auto to_json(const point& values, const field& input) -> json {
  return std::vector<double>(values.begin(), values.begin() + input.at("n").get<std::ptrdiff_t>());
}
[[nodiscard]] auto first(std::span<const double> values, std::size_t count) -> json {
  return std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

[[nodiscard]] auto read_network(const field& input) -> network {
  network net;
  const field centers = input.at("m");
  centers.must_fit(centers.size() <= most_rules, most_rules);
  for (const char* other : {"sigma", "w"}) {
    if (input.at(other).size() != centers.size()) { input.at(other).refuse("is not as long as m"); }
  }
  for (std::size_t j = 0; j < centers.size(); ++j) {
    takt::fuzzy_rule<most_inputs> r;
    r.center = read_point(input, centers.at(j));
    r.width = read_point(input, input.at("sigma").at(j), 1);
    r.weight = input.at("w").at(j).get<double>();
    net.rules.unchecked_push_back(r);
  }
  return net;
}

/// A target for each sample.
[[nodiscard]] auto targets_in(const field& input) -> std::vector<double> {
  if (input.at("Y").size() != input.at("X").size()) { input.at("Y").refuse("is not as long as X"); }
  return input.at("Y").get<std::vector<double>>();
}

void write_network(const network& net, const field& input, json& out) {
  for (const char* key : {"m", "sigma", "w", "C"}) { out[key] = json::array(); }
  for (const auto& r : net.rules) {
    out["m"].push_back(to_json(r.center, input));
    out["sigma"].push_back(to_json(r.width, input));
    out["w"].push_back(r.weight);
    out["C"].push_back(r.importance);
  }
}

[[nodiscard]] auto forward(const field& input) -> answer {
  const network net = read_network(input);
  static_cast<void>(hyper_in(input));
  json out = {{"log_phi", json::array()}, {"psi", json::array()}, {"y", json::array()}};
  for (const point& x : read_samples(input)) {
    out["log_phi"].push_back(first(net.log_firings(x), net.rules.size()));
    out["psi"].push_back(first(net.firing_shares(x), net.rules.size()));
    out["y"].push_back(net.output(x));
  }
  return {out, {}};
}

[[nodiscard]] auto structure(const field& input) -> answer {
  const auto hyper = hyper_in(input);
  takt::random_stream random{hyper.seed};
  network net;
  json out = {{"trace", json::array()}};
  for (const point& x : read_samples(input)) {
    const auto step = takt::detail::learn_structure(net, x, hyper.structure, random);
    if (step.full) { throw std::length_error("too many rules"); }
    json importance = json::array();
    for (const auto& r : net.rules) { importance.push_back(r.importance); }
    out["trace"].push_back(
        {{"grown", step.grown}, {"pruned", step.pruned}, {"rules", net.rules.size()}, {"C", importance}});
  }
  write_network(net, input, out);
  return {out, {}};
}

[[nodiscard]] auto gradient(const field& input) -> answer {
  network net = read_network(input);
  const takt::fuzzy_gradient_rates rates{.center = input.at("lr_m").get<double>(),
                                         .width = input.at("lr_s").get<double>(),
                                         .consequent = input.at("lr_w").get<double>(),
                                         .least_width = hyper_in(input).least_width};
  const auto samples = read_samples(input);
  const auto targets = targets_in(input);
  json out = {{"y_before", json::array()}};
  for (std::size_t k = 0; k < samples.size(); ++k) {
    out["y_before"].push_back(takt::descend(net, samples[k], targets[k], rates));
  }
  write_network(net, input, out);
  return {out, {}};
}

[[nodiscard]] auto least_squares(const field& input) -> answer {
  network net = read_network(input);
  const auto samples = read_samples(input);
  const auto targets = targets_in(input);
  static_cast<void>(hyper_in(input));
  if (!takt::detail::fit_consequents<most_inputs>(net, samples, targets, input.at("lam").get<double>())) {
    return {json{}, "the weights are not determined"};
  }
  json out = {{"y", json::array()}};
  write_network(net, input, out);
  for (const point& x : samples) { out["y"].push_back(net.output(x)); }
  return {out, {}};
}

[[nodiscard]] auto metrics(const field& input) -> answer {
  const auto errors = takt::detail::measure_errors(input.at("measured").get<std::vector<double>>(),
                                                   input.at("estimated").get<std::vector<double>>());
  if (!errors) { return {json{}, "refused"}; }
  return {{{"mape_eq15", errors->percent_of_estimate},
           {"mape_standard", errors->percent_of_measurement},
           {"rmse", errors->root_mean_square}},
          {}};
}

[[nodiscard]] auto overhead(const field& input) -> answer {
  std::vector<takt::application_overhead<exact>> all;
  std::vector<takt::application_overhead<takt::ticks>> whole;
  for (const field jobs : input.at("t")) {
    takt::ticks total = 0;
    for (const field job : jobs) {
      for (const field t : job) { total += t.get<takt::ticks>(); }
    }
    whole.push_back({total, static_cast<std::int64_t>(jobs.size())});
    all.push_back({exact(total), static_cast<std::int64_t>(jobs.size())});
  }
  const auto mean = takt::mean_overhead<exact>(all);
  const auto on_ticks = takt::mean_overhead<takt::ticks>(whole);
  if (!mean || !on_ticks) { return {json{}, "refused"}; }
  answer out{{{"To", {{"num", numerator(*mean).str()}, {"den", denominator(*mean).str()}}}}, {}};
  if (exact(on_ticks->numerator()) / on_ticks->denominator() != *mean) { out.complaint = "ticks differ"; }
  return out;
}

}  // namespace

void add_wamp2s_prediction(suite& kinds) {
  kinds["sofnn_forward"] = forward;
  kinds["sofnn_structure"] = structure;
  kinds["sofnn_gd"] = gradient;
  kinds["sofnn_lls"] = least_squares;
  kinds["metrics"] = metrics;
  kinds["overhead"] = overhead;
}

}  // namespace takt_vectors
