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
#include <takt/prediction/corun/fuzzy_gradient.hpp>
#include <takt/prediction/corun/fuzzy_structure.hpp>
#include <takt/prediction/corun/scheduling_overhead.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

constexpr std::size_t most_inputs = 12;
using point = std::array<double, most_inputs>;
using network = takt::fuzzy_network<most_inputs, 64>;

/// A case's inputs, and after them some that are the same everywhere and hence count for nothing.
[[nodiscard]] auto read_point(const json& values, double rest = 0) -> point {
  if (values.size() > most_inputs) { throw std::length_error("too many inputs"); }
  point out;
  out.fill(rest);
  for (std::size_t i = 0; i < values.size(); ++i) { out[i] = values[i].get<double>(); }
  return out;
}
[[nodiscard]] auto read_points(const json& rows) -> std::vector<point> {
  std::vector<point> out;
  for (const auto& row : rows) { out.push_back(read_point(row)); }
  return out;
}

[[nodiscard]] auto to_json(const point& values, const json& input) -> json {
  return std::vector<double>(values.begin(), values.begin() + input.at("n").get<std::ptrdiff_t>());
}
[[nodiscard]] auto first(std::span<const double> values, std::size_t count) -> json {
  return std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

[[nodiscard]] auto read_network(const json& input) -> network {
  network net;
  for (std::size_t j = 0; j < input.at("m").size(); ++j) {
    takt::fuzzy_rule<most_inputs> r;
    r.center = read_point(input.at("m")[j]);
    r.width = read_point(input.at("sigma")[j], 1);
    r.weight = input.at("w")[j].get<double>();
    if (!net.rules.push_back(r)) { throw std::length_error("too many rules"); }
  }
  return net;
}

void write_network(const network& net, const json& input, json& out) {
  for (const char* key : {"m", "sigma", "w", "C"}) { out[key] = json::array(); }
  for (const auto& r : net.rules) {
    out["m"].push_back(to_json(r.center, input));
    out["sigma"].push_back(to_json(r.width, input));
    out["w"].push_back(r.weight);
    out["C"].push_back(r.importance);
  }
}

[[nodiscard]] auto forward(const json& input) -> answer {
  const network net = read_network(input);
  json out = {{"log_phi", json::array()}, {"psi", json::array()}, {"y", json::array()}};
  for (const point& x : read_points(input.at("X"))) {
    out["log_phi"].push_back(first(net.log_firings(x), net.rules.size()));
    out["psi"].push_back(first(net.firing_shares(x), net.rules.size()));
    out["y"].push_back(net.output(x));
  }
  return {out, {}};
}

[[nodiscard]] auto structure(const json& input) -> answer {
  const json hyper = input.value("hyper", json::object());
  takt::fuzzy_structure_options<most_inputs> o;
  const json width = hyper.value("sigma0", json(0.01));
  o.first_width = width.is_array() ? read_point(width, 1) : read_point({}, width.get<double>());
  o.growth_threshold = hyper.value("b_th", 0.1);
  o.firing_threshold = hyper.value("eps", 0.1);
  o.idle_decay = hyper.value("alpha1", 1.0);
  o.active_growth = hyper.value("alpha2", 1.0);
  o.first_importance = hyper.value("c0", 1.0);
  o.pruning_bound = hyper.value("c_th", 0.1);
  takt::random_stream random{hyper.value("seed", std::uint64_t{1})};
  network net;
  json out = {{"trace", json::array()}};
  for (const point& x : read_points(input.at("X"))) {
    const auto step = takt::learn_structure(net, x, o, random);
    if (step.full) { throw std::length_error("too many rules"); }
    json importance = json::array();
    for (const auto& r : net.rules) { importance.push_back(r.importance); }
    out["trace"].push_back(
        {{"grown", step.grown}, {"pruned", step.pruned}, {"rules", net.rules.size()}, {"C", importance}});
  }
  write_network(net, input, out);
  return {out, {}};
}

[[nodiscard]] auto gradient(const json& input) -> answer {
  network net = read_network(input);
  const json hyper = input.value("hyper", json::object());
  const takt::fuzzy_gradient_rates rates{.center = input.at("lr_m").get<double>(),
                                         .width = input.at("lr_s").get<double>(),
                                         .consequent = input.at("lr_w").get<double>(),
                                         .least_width = hyper.value("sigma_min", 1e-3)};
  const auto samples = read_points(input.at("X"));
  json out = {{"y_before", json::array()}};
  for (std::size_t k = 0; k < samples.size(); ++k) {
    out["y_before"].push_back(takt::descend(net, samples[k], input.at("Y")[k].get<double>(), rates));
  }
  write_network(net, input, out);
  return {out, {}};
}

[[nodiscard]] auto least_squares(const json& input) -> answer {
  network net = read_network(input);
  const auto samples = read_points(input.at("X"));
  const auto targets = input.at("Y").get<std::vector<double>>();
  if (!takt::fit_consequents<most_inputs>(net, samples, targets, input.at("lam").get<double>())) {
    return {json{}, "the weights are not determined"};
  }
  json out = {{"y", json::array()}};
  write_network(net, input, out);
  for (const point& x : samples) { out["y"].push_back(net.output(x)); }
  return {out, {}};
}

[[nodiscard]] auto metrics(const json& input) -> answer {
  const auto errors = takt::measure_errors(input.at("measured").get<std::vector<double>>(),
                                           input.at("estimated").get<std::vector<double>>());
  if (!errors) { return {json{}, "refused"}; }
  return {{{"mape_eq15", errors->percent_of_estimate},
           {"mape_standard", errors->percent_of_measurement},
           {"rmse", errors->root_mean_square}},
          {}};
}

[[nodiscard]] auto overhead(const json& input) -> answer {
  std::vector<takt::application_overhead<exact>> all;
  std::vector<takt::application_overhead<takt::ticks>> whole;
  for (const auto& jobs : input.at("t")) {
    takt::ticks total = 0;
    for (const auto& job : jobs) {
      for (const auto& t : job) { total += t.get<takt::ticks>(); }
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
