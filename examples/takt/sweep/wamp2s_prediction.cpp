// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/prediction/corun/layered_network.hpp>

#include "../failure.hpp"
#include "wamp2s_errors.hpp"
#include "wamp2s_levels.hpp"
#include "wamp2s_networks.hpp"
#include "wamp2s_prediction_studies.hpp"

namespace takt::program::old_sweep {

namespace {

using generation::synthetic_airborne;
using generation::synthetic_benchmarks;

constexpr std::size_t lavamd = 4;
static_assert(synthetic_benchmarks[lavamd].name == "LM");

constexpr std::string_view synthetic = "synthetic platform (takt's own, not a measurement)";

/// A study of one row per level, which numbers something from 1 on.
[[nodiscard]] auto numbered_levels(const settings& s, std::size_t most) -> experiment {
  experiment e;
  e.measured = measure::thousandths;
  e.levels = whole_levels(s, 1, static_cast<std::int64_t>(most));
  e.sets = e.sets_per_unit = 1;
  return e;
}
[[nodiscard]] auto index_of(const unit& u) -> std::size_t { return static_cast<std::size_t>(u.level / 1000); }

constexpr double ticks_per_ms = 1000;

[[nodiscard]] auto fig9(const settings& s) -> experiment {
  constexpr std::size_t most_fits = 50;
  experiment e = numbered_levels(s, most_fits);
  e.title = fmt::format("WAMP2S (Yao et al. 2022), Fig. 9: training the network of lavaMD; {}", synthetic);
  e.level_title = "fit (from the second on after an epoch of gradient descent)";
  e.level_name = "fit";
  e.share_title = "error on the training samples (%)";
  e.keys = {"application"};
  e.columns = {"percent_of_estimate", "percent_of_measurement", "rmse_ms", "rules"};
  e.all_series = {{{"LM"}}};
  e.panels = {{.title = "lavaMD",
               .curves = {{.series = 0, .column = 0, .title = "mean error relative to the estimate", .colour = 0},
                          {.series = 0, .column = 1, .title = "relative to the measurement", .colour = 1}}}};
  network_setting setting = network_setting_of(s);
  setting.options.epochs = static_cast<std::size_t>(e.levels.back() / 1000) - 1;
  e.make_counter = [setting] {
    return [setting, known = std::make_shared<std::optional<trained_network>>()](const unit& u,
                                                                                 std::span<std::int64_t> counts) {
      if (!*known) { *known = network_of(synthetic_benchmarks, lavamd, setting); }
      const auto& epochs = (*known)->report.epochs;
      const error_metrics& errors = epochs[std::min(index_of(u), epochs.size()) - 1];
      counts[0] = to_thousandths(errors.percent_of_estimate);
      counts[1] = to_thousandths(errors.percent_of_measurement);
      counts[2] = to_thousandths(errors.root_mean_square / ticks_per_ms);
      counts[3] = static_cast<std::int64_t>((*known)->model.network.rules.size()) * 1000;
    };
  };
  return e;
}

[[nodiscard]] auto fig9_rules(const settings& s) -> experiment {
  const network_setting setting = network_setting_of(s);
  const auto known = std::make_shared<const trained_network>(network_of(synthetic_benchmarks, lavamd, setting));
  const auto& rules = known->model.network.rules;
  experiment e;
  e.measured = measure::thousandths;
  e.sets = e.sets_per_unit = 1;
  for (std::size_t j = 1; j <= rules.size(); ++j) { e.levels.push_back(static_cast<std::int64_t>(j) * 1000); }
  e.title = fmt::format("WAMP2S (Yao et al. 2022), Fig. 9: rules of the network of lavaMD; {}", synthetic);
  e.level_title = "rule, in the order in which they were founded";
  e.level_name = "rule";
  e.share_title = "centre and width in the own share, of its range";
  e.keys = {"application"};
  for (const std::string_view what : {"center", "width"}) {
    for (std::size_t i = 0; i < workload_indicators; ++i) {
      e.columns.push_back(fmt::format("{}_{}", what, name_of(static_cast<workload_indicator>(i))));
    }
    e.columns.push_back(fmt::format("{}_own_share", what));
  }
  e.columns.emplace_back("consequent_ms");
  e.all_series = {{{"LM"}}};
  constexpr std::size_t inputs = workload_indicators + 1;
  e.panels = {{.title = fmt::format("lavaMD: {} rules", rules.size()),
               .curves = {{.series = 0, .column = inputs - 1, .title = "centre", .colour = 0},
                          {.series = 0, .column = 2 * inputs - 1, .title = "width", .colour = 1}}}};
  e.make_counter = [known] {
    return [known](const unit& u, std::span<std::int64_t> counts) {
      const auto& rule = known->model.network.rules[index_of(u) - 1];
      for (std::size_t i = 0; i < inputs; ++i) {
        counts[i] = to_thousandths(rule.center[i]);
        counts[inputs + i] = to_thousandths(rule.width[i]);
      }
      counts[2 * inputs] = to_thousandths(exponential(known->model.target.from_unit(rule.weight)) / ticks_per_ms);
    };
  };
  return e;
}

/// The root mean square error in ms of a layered network after so many epochs on the samples of a fuzzy one.
[[nodiscard]] auto layered_error(const trained_network& known, const network_setting& setting,
                                 const std::vector<std::size_t>& widths, std::size_t epochs, double rate)
    -> std::pair<double, std::size_t> {
  random_stream random{setting.options.seed};
  std::vector<workload_sample> samples = known.samples;
  shuffle(std::span{samples}, random);
  const workload_network& units = known.model;
  layered_network net{widths, random};
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t i = 0; i < setting.options.training_samples; ++i) {
      const double target = units.target.to_unit(std::log(static_cast<double>(samples[i].time)));
      net.descend(units.to_units(samples[i].input), target, rate);
    }
  }
  double squares = 0;
  for (std::size_t i = setting.options.training_samples; i < samples.size(); ++i) {
    const double time = exponential(units.target.from_unit(net.output(units.to_units(samples[i].input))));
    const double error = (time - static_cast<double>(samples[i].time)) / ticks_per_ms;
    squares += error * error;
  }
  const auto tested = static_cast<double>(samples.size() - setting.options.training_samples);
  return {std::sqrt(squares / tested), net.products()};
}

[[nodiscard]] auto fig10(const settings& s) -> experiment {
  constexpr std::size_t most_epochs = 100;
  experiment e = numbered_levels(s, most_epochs);
  e.title = fmt::format("WAMP2S (Yao et al. 2022), Fig. 10: three kinds of network for lavaMD; {}", synthetic);
  e.level_title = "epochs of the layered networks (the fuzzy one is fitted once)";
  e.level_name = "epochs";
  e.share_title = "root mean square error of the test (ms)";
  e.keys = {"application"};
  e.columns = {"rmse_fuzzy", "rmse_bpnn", "rmse_dnn", "products_fuzzy", "products_bpnn", "products_dnn"};
  e.all_series = {{{"LM"}}};
  e.panels = {{.title = "lavaMD",
               .curves = {{.series = 0, .column = 0, .title = "fuzzy network", .colour = 0},
                          {.series = 0, .column = 1, .title = "BPNN 12-8-8-1", .colour = 1},
                          {.series = 0, .column = 2, .title = "DNN 12-14x10-1", .colour = 2}}}};
  const network_setting setting = network_setting_of(s);
  const auto [numerator, denominator] = s.ratio("rate");
  const double rate = static_cast<double>(numerator) / static_cast<double>(denominator);
  e.make_counter = [setting, rate] {
    return [setting, rate, known = std::make_shared<std::optional<trained_network>>()](const unit& u,
                                                                                       std::span<std::int64_t> counts) {
      if (!*known) { *known = network_of(synthetic_benchmarks, lavamd, setting); }
      std::vector<std::size_t> deep(11, 14);
      deep[0] = 12;
      const auto bpnn = layered_error(**known, setting, {12, 8, 8}, index_of(u), rate);
      const auto dnn = layered_error(**known, setting, deep, index_of(u), rate);
      counts[0] = to_thousandths((*known)->report.test.root_mean_square / ticks_per_ms);
      counts[1] = to_thousandths(bpnn.first);
      counts[2] = to_thousandths(dnn.first);
      counts[3] = static_cast<std::int64_t>((*known)->model.network.products()) * 1000;
      counts[4] = static_cast<std::int64_t>(bpnn.second) * 1000;
      counts[5] = static_cast<std::int64_t>(dnn.second) * 1000;
    };
  };
  return e;
}

/// The error per application of a set under loads that stay.
template <const auto& Set>
[[nodiscard]] auto errors_of_set(const settings& s) -> experiment {
  experiment e = numbered_levels(s, Set.size());
  std::string names;
  for (std::size_t k = 0; k < Set.size(); ++k) {
    names += fmt::format("{}{} {}", k == 0 ? "" : ", ", k + 1, Set[k].name);
  }
  e.title = fmt::format("WAMP2S (Yao et al. 2022), Fig. {}: error of the execution time under a stable load; {}",
                        Set.size() == synthetic_airborne.size() ? "16" : "11", synthetic);
  e.level_title = fmt::format("application: {}", names);
  e.level_name = "application";
  e.share_title = "mean error of the test (%)";
  e.keys = {"set"};
  e.columns = {"percent_of_estimate", "percent_of_measurement", "rmse_ms", "rules", "extrapolated"};
  e.all_series = {{{Set.size() == synthetic_airborne.size() ? "airborne" : "benchmarks"}}};
  e.panels = {{.title = "network of each application",
               .curves = {{.series = 0, .column = 0, .title = "relative to the estimate (Eq. 15)", .colour = 0},
                          {.series = 0, .column = 1, .title = "relative to the measurement", .colour = 1}}}};
  const network_setting setting = network_setting_of(s);
  e.make_counter = [setting] {
    return [setting](const unit& u, std::span<std::int64_t> counts) {
      const trained_network known = network_of(Set, index_of(u) - 1, setting);
      counts[0] = to_thousandths(known.report.test.percent_of_estimate);
      counts[1] = to_thousandths(known.report.test.percent_of_measurement);
      counts[2] = to_thousandths(known.report.test.root_mean_square / ticks_per_ms);
      counts[3] = static_cast<std::int64_t>(known.model.network.rules.size()) * 1000;
      counts[4] = static_cast<std::int64_t>(known.report.extrapolated) * 1000;
    };
  };
  return e;
}

}  // namespace

auto wamp2s_network_studies() -> std::vector<study> {
  return {
      {"wamp2s-fig9", "training error of lavaMD's network per epoch",
       network_parameters({{"levels", "1..8/1", "fits, with an epoch of gradient descent between two"}}), fig9},
      {"wamp2s-fig9-rules", "centres, widths and consequents of lavaMD's network", network_parameters({}), fig9_rules},
      {"wamp2s-fig10", "fuzzy, shallow and deep network: error and cost",
       network_parameters({{"levels", "1,2,5,10,20,50,100", "epochs of the layered networks"},
                           {"rate", "0.05", "of their gradient descent"}}),
       fig10},
      {"wamp2s-fig11", "error per application of Table 3 under a stable load, by both definitions",
       network_parameters({{"levels", "1..10/1", "applications"}}), errors_of_set<synthetic_benchmarks>},
      {"wamp2s-fig16-error", "error per application of the airborne set under a stable load, by both definitions",
       network_parameters({{"levels", "1..5/1", "applications"}}), errors_of_set<synthetic_airborne>},
  };
}

}  // namespace takt::program::old_sweep
