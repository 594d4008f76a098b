// SPDX-License-Identifier: Apache-2.0
#include "wamp2s_networks.hpp"

#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "../failure.hpp"

namespace takt::program::old_sweep {

auto network_parameters(std::vector<parameter> own) -> std::vector<parameter> {
  std::vector<parameter> out{
      {"seed", "1", "of everything that is drawn"},
      {"samples", "4000", "timed workloads per application"},
      {"training", "3000", "of the samples; the others are for the test"},
      {"width", "0.8", "first width of a rule in the indicators, of their range"},
      {"share-width", "0.04", "first width of a rule in the own share, of its range"},
      {"growth", "0.6", "firing strength up to which a sample founds a rule"},
  };
  std::ranges::move(own, std::back_inserter(out));
  return out;
}

auto network_setting_of(const settings& s) -> network_setting {
  const auto fraction = [&s](std::string_view name) {
    const auto [numerator, denominator] = s.ratio(name);
    if (numerator < 1) { throw input_error{std::string{name}, "is not above 0", "such as 0.6"}; }
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  };
  network_setting out;
  out.samples = s.number("samples", 2, 100'000);
  out.options.training_samples = static_cast<std::size_t>(s.number("training", 1, out.samples - 1));
  out.options.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  out.options.structure.first_width.fill(fraction("width"));
  out.options.structure.first_width.back() = fraction("share-width");
  out.options.structure.growth_threshold = fraction("growth");
  if (out.options.structure.growth_threshold >= 1) {
    throw input_error{"growth", "is not below 1", "a firing strength such as 0.6"};
  }
  out.options.rates.center = 0.05;
  out.options.rates.width = 0.05;
  return out;
}

void train_network(const network_setting& s, trained_network& out) {
  out.report = train<workload_indicators + 1>(out.samples, s.options, out.model);
  if (!out.report) {
    throw environment_error{fmt::format("a network cannot be trained: {}", name_of(out.report.status))};
  }
  if (out.report.rules_wanted) {
    throw environment_error{fmt::format("a network needs more than {} rules; use greater widths", most_rules)};
  }
}

}  // namespace takt::program::old_sweep
