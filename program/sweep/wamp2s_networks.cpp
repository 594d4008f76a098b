// SPDX-License-Identifier: Apache-2.0
// Yao et al. 2022: networks of the synthetic applications, trained and tested (Fig. 9 to 11 and the errors of Fig. 16),
// and how wrong the remaining time is by them while a drawn load changes (Fig. 12 and 13 without a scheduler).
#include <algorithm>
#include <array>

#include <takt/prediction/corun/layered_training.hpp>
#include <takt/prediction/corun/train_application.hpp>
#include <takt/systems/shares/figures/changing_load.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>

#include "../failure.hpp"
#include "wamp2s_errors.hpp"

namespace takt::program::sweep {

namespace {

using generation::synthetic_airborne;
using generation::synthetic_benchmarks;

constexpr std::size_t most_rules = 192;
constexpr std::size_t inputs = workload_indicators + 1;
constexpr std::size_t lavamd = 4;
static_assert(synthetic_benchmarks[lavamd].name == "LM");

constexpr double ticks_per_ms = 1000;

/// How networks are trained.
struct network_setting {
  std::int64_t samples;
  training_options<inputs> options;

  explicit network_setting(const settings& s) : samples{s.number("samples")} {
    const auto fraction = [&s](std::string_view name) {
      if (s.ratio(name).first < 1) { throw input_error{std::string{name}, "is not above 0", "such as 0.6"}; }
      return s.real(name);
    };
    options.training_samples = s.number<std::size_t>("training");
    if (s.number("training") >= samples) {
      throw input_error{"training", "leaves no sample for the test", fmt::format("at most {}", samples - 1)};
    }
    options.seed = s.seed();
    options.structure.first_width.fill(fraction("width"));
    options.structure.first_width.back() = fraction("share-width");
    options.structure.growth_threshold = fraction("growth");
    if (options.structure.growth_threshold >= 1) {
      throw input_error{"growth", "is not below 1", "a firing strength such as 0.6"};
    }
    options.rates.center = options.rates.width = 0.05;
  }
};

[[nodiscard]] auto parameters(std::vector<parameter> own) -> std::vector<parameter> {
  return with({{"seed", "1", "of everything that is drawn"},
               {"samples", "4000", "timed workloads per application", 2, 100'000},
               {"training", "3000", "of the samples; the others are for the test", 1, 99'999},
               {"width", "0.8", "first width of a rule in the indicators, of their range"},
               {"share-width", "0.04", "first width of a rule in the own share, of its range"},
               {"growth", "0.6", "firing strength up to which a sample founds a rule"}},
              std::move(own));
}

using trained_network = trained_application<inputs, most_rules>;

template <std::size_t Count>
using applications = std::array<generation::synthetic_application, Count>;

/// The network of one application, from times beside every subset of the others. Throws `environment_error` when it
/// cannot be trained.
template <std::size_t Count>
[[nodiscard]] auto network_of(const applications<Count>& set, std::size_t self, const network_setting& s)
    -> trained_network {
  trained_network out = train_application<most_rules>(
      generation::synthetic_profiles(set), self, s.samples, s.options,
      [&set, self](const auto& shares) { return generation::synthetic_co_run_time(set, self, shares); });
  if (!out.report) {
    throw environment_error{fmt::format("a network cannot be trained: {}", name_of(out.report.status))};
  }
  if (out.report.rules_wanted) {
    throw environment_error{fmt::format("a network needs more than {} rules; use greater widths", most_rules)};
  }
  return out;
}

/// Fills in a study of one series and one panel whose curves are the columns of these numbers.
void fill_alone(experiment& e, std::string_view cell, std::string panel_title,
                const std::vector<std::pair<std::size_t, std::string_view>>& curves) {
  e.add_series(cell);
  e.add_panel(std::move(panel_title));
  int colour = 0;
  for (const auto& [column, title] : curves) { e.draw(column, title, colour++); }
}

void number_levels(experiment& e, std::size_t count) {
  for (std::size_t j = 1; j <= count; ++j) { e.levels.push_back(static_cast<std::int64_t>(j) * 1000); }
}

// Fig. 9 to 11.

[[nodiscard]] auto lavamd_network(const network_setting& s) {
  return [s](std::size_t /*series*/) { return network_of(synthetic_benchmarks, lavamd, s); };
}

/// Errors, and the number of rules.
void write_errors(const error_metrics& errors, const trained_network& known, row counts) {
  counts[0] = to_thousandths(errors.percent_of_estimate);
  counts[1] = to_thousandths(errors.percent_of_measurement);
  counts[2] = to_thousandths(errors.root_mean_square / ticks_per_ms);
  counts[3] = static_cast<std::int64_t>(known.model.network.rules.size()) * 1000;
}

void fig9(const settings& s, experiment& e) {
  network_setting setting{s};
  setting.options.epochs = static_cast<std::size_t>(e.levels.back() / 1000) - 1;
  fill_alone(e, "LM", "lavaMD", {{0, "mean error relative to the estimate"}, {1, "relative to the measurement"}});
  e.count = once_per_series(e.series.size(), lavamd_network(setting),
                            [](const trained_network& known, const unit& u, row counts) {
                              const auto& epochs = known.report.epochs;
                              write_errors(epochs[std::min(u.whole_level(), epochs.size()) - 1], known, counts);
                            });
}

void fig9_rules(const settings& s, experiment& e) {
  const auto model = network_of(synthetic_benchmarks, lavamd, network_setting{s}).model;
  const std::size_t rules = model.network.rules.size();
  number_levels(e, rules);
  fill_alone(e, "LM", fmt::format("lavaMD: {} rules", rules), {{inputs - 1, "centre"}, {2 * inputs - 1, "width"}});
  e.count = [model](const unit& u, row counts) {
    const auto& rule = model.network.rules[u.whole_level() - 1];
    std::ranges::transform(rule.center, counts.begin(), to_thousandths);
    std::ranges::transform(rule.width, counts.begin() + inputs, to_thousandths);
    counts.back() = to_thousandths(exponential(model.target.from_unit(rule.weight)) / ticks_per_ms);
  };
}

[[nodiscard]] auto rule_columns() -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const std::string_view what : {"center", "width"}) {
    for (std::size_t i = 0; i < workload_indicators; ++i) {
      out.push_back(fmt::format("{}_{}", what, name_of(static_cast<workload_indicator>(i))));
    }
    out.push_back(fmt::format("{}_own_share", what));
  }
  out.emplace_back("consequent_ms");
  return out;
}

void fig10(const settings& s, experiment& e) {
  const network_setting setting{s};
  fill_alone(e, "LM", "lavaMD", {{0, "fuzzy network"}, {1, "BPNN 12-8-8-1"}, {2, "DNN 12-14x10-1"}});
  e.count = once_per_series(
      e.series.size(), lavamd_network(setting),
      [setting, rate = s.real("rate")](const trained_network& known, const unit& u, row counts) {
        std::vector<layered_report> kinds{{known.report.test.root_mean_square, known.model.network.products()}};
        for (const auto& widths : {std::vector<std::size_t>{12, 8, 8}, {12, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14}}) {
          kinds.push_back(train_layered(known.samples, setting.options.training_samples, setting.options.seed,
                                        known.model, {widths, u.whole_level(), rate}));
        }
        for (std::size_t k = 0; k < kinds.size(); ++k) {
          counts[k] = to_thousandths(kinds[k].root_mean_square / ticks_per_ms);
          counts[kinds.size() + k] = static_cast<std::int64_t>(kinds[k].products) * 1000;
        }
      });
}

[[nodiscard]] auto titled(int figure, std::string_view what) -> std::string {
  return fmt::format("WAMP2S (Yao et al. 2022), Fig. {}: {}; synthetic platform (takt's own, not a measurement)",
                     figure, what);
}

/// The error per application of a set under loads that stay.
template <const auto& Set>
[[nodiscard]] auto errors_of_set(std::string_view name, std::string_view about, int figure, std::string_view cell)
    -> study {
  std::string names;
  for (std::size_t k = 0; k < Set.size(); ++k) {
    names += fmt::format("{}{} {}", k == 0 ? "" : ", ", k + 1, Set[k].name);
  }
  return {std::string{name}, std::string{about},
          layout(titled(figure, "error of the execution time under a stable load"), "application",
                 fmt::format("application: {}", names), "mean error of the test (%)", {"set"},
                 {"percent_of_estimate", "percent_of_measurement", "rmse_ms", "rules", "extrapolated"},
                 measure::thousandths),
          parameters({{"levels", fmt::format("1..{}/1", Set.size()), "applications", 1000, 1000 * Set.size(), 1000}}),
          [cell](const settings& s, experiment& e) {
            fill_alone(e, cell, "network of each application",
                       {{0, "relative to the estimate (Eq. 15)"}, {1, "relative to the measurement"}});
            e.count = [setting = network_setting{s}](const unit& u, row counts) {
              const trained_network known = network_of(Set, u.whole_level() - 1, setting);
              write_errors(known.report.test, known, counts);
              counts[4] = static_cast<std::int64_t>(known.report.extrapolated) * 1000;
            };
          }};
}

// Fig. 12 and 13.

constexpr std::size_t most_changes = 31;
using job_errors = inline_vector<progress_error, most_changes + 1>;

struct load_setting {
  network_setting networks;
  std::int64_t jobs;
  std::size_t changes;

  explicit load_setting(const settings& s)
      : networks{s}, jobs{s.number("jobs")}, changes{s.number<std::size_t>("changes")} {}
};

/// The errors of each job of an application, whose estimates its network makes.
template <std::size_t Count>
[[nodiscard]] auto errors_of(const applications<Count>& set, std::size_t self, const load_setting& s)
    -> std::vector<job_errors> {
  const trained_network known = network_of(set, self, s.networks);
  const auto profiles = generation::synthetic_profiles(set);
  random_stream random{s.networks.options.seed + self};
  std::vector<job_errors> out;
  generation::loaded_job<Count, most_changes + 1> job;
  for (std::int64_t n = 0; n < s.jobs; ++n) {
    const bool drawn = generation::draw_loaded_job(set, self, s.changes, random, job);
    const auto errors = estimate_errors<most_changes + 1>(known.model, profiles, self, job);
    if (!drawn || !errors) { throw environment_error{"a network has no estimate for a load of this study"}; }
    out.push_back(*errors);
  }
  return out;
}

[[nodiscard]] auto load_parameters(const parameter& own) -> std::vector<parameter> {
  return parameters({own,
                     {"jobs", "400", "of each application", 1, 100'000},
                     {"changes", "5", "of the load in each job", 1, most_changes}});
}

void fig12(const settings& s, experiment& e) {
  const load_setting setting{s};
  e.sets = e.sets_per_unit = setting.jobs;
  number_levels(e, setting.changes + 1);
  e.add_panel(fmt::format("{} changes of load", setting.changes));
  std::vector<std::size_t> chosen;
  for (const std::int64_t number : s.numbers("applications")) {
    const auto colour = static_cast<int>(chosen.size());
    chosen.push_back(static_cast<std::size_t>(number - 1));
    const std::string_view name = synthetic_benchmarks[chosen.back()].name;
    e.add_series(name);
    e.draw(0, name, colour);
  }
  const auto find = [setting, chosen](std::size_t series) {
    mean_errors out(setting.changes + 1);
    for (const job_errors& errors : errors_of(synthetic_benchmarks, chosen[series], setting)) {
      for (std::size_t j = 0; j < errors.size(); ++j) { out[j].add(errors[j].error); }
    }
    return out;
  };
  e.count = once_per_series(e.series.size(), find, [](const mean_errors& means, const unit& u, row counts) {
    write(means[u.whole_level() - 1], counts);
  });
}

/// Of all jobs of all applications of a set.
template <std::size_t Count>
[[nodiscard]] auto all_errors_of(const applications<Count>& set, const load_setting& s) -> std::vector<progress_error> {
  std::vector<progress_error> out;
  for (std::size_t self = 0; self < Count; ++self) {
    for (const job_errors& errors : errors_of(set, self, s)) { out.insert(out.end(), errors.begin(), errors.end()); }
  }
  return out;
}

void fig13(const settings& s, experiment& e) {
  const load_setting setting{s};
  e.sets = e.sets_per_unit = setting.jobs;
  for (std::int64_t level = progress_bin; level <= 1000; level += progress_bin) { e.levels.push_back(level); }
  e.add_panel("all applications");
  e.add_series("benchmarks");
  e.draw(0, "applications of Table 3", 0);
  e.add_series("airborne");
  e.draw(0, "airborne set", 1);
  using calibration = std::pair<mean_errors, double>;
  const auto find = [setting, bound = s.real("bound") / 100](std::size_t series) {
    const auto samples =
        series == 0 ? all_errors_of(synthetic_benchmarks, setting) : all_errors_of(synthetic_airborne, setting);
    calibration out{mean_errors(progress_bins), pick_threshold(samples, bound).value_or(1)};
    for (const progress_error& one : samples) { add_by_progress(out.first, one); }
    return out;
  };
  e.count = once_per_series(e.series.size(), find, [](const calibration& c, const unit& u, row counts) {
    write(c.first[static_cast<std::size_t>(u.level / progress_bin - 1)], counts);
    counts[2] = to_thousandths(100 * c.second);
  });
}

}  // namespace

auto wamp2s_network_studies() -> std::vector<study> {
  return {
      {"wamp2s-fig9", "training error of lavaMD's network per epoch",
       layout(titled(9, "training the network of lavaMD"), "fit",
              "fit (from the second on after an epoch of gradient descent)", "error on the training samples (%)",
              {"application"}, {"percent_of_estimate", "percent_of_measurement", "rmse_ms", "rules"},
              measure::thousandths),
       parameters({{"levels", "1..8/1", "fits, with an epoch of gradient descent between two", 1000, 50'000, 1000}}),
       fig9},
      {"wamp2s-fig9-rules", "centres, widths and consequents of lavaMD's network",
       layout(titled(9, "rules of the network of lavaMD"), "rule", "rule, in the order in which they were founded",
              "centre and width in the own share, of its range", {"application"}, rule_columns(), measure::thousandths),
       parameters({}), fig9_rules},
      {"wamp2s-fig10", "fuzzy, shallow and deep network: error and cost",
       layout(titled(10, "three kinds of network for lavaMD"), "epochs",
              "epochs of the layered networks (the fuzzy one is fitted once)",
              "root mean square error of the test (ms)", {"application"},
              {"rmse_fuzzy", "rmse_bpnn", "rmse_dnn", "products_fuzzy", "products_bpnn", "products_dnn"},
              measure::thousandths),
       parameters({{"levels", "1,2,5,10,20,50,100", "epochs of the layered networks", 1000, 100'000, 1000},
                   {"rate", "0.05", "of their gradient descent"}}),
       fig10},
      errors_of_set<synthetic_benchmarks>("wamp2s-fig11",
                                          "error per application of Table 3 under a stable load, by both definitions",
                                          11, "benchmarks"),
      errors_of_set<synthetic_airborne>(
          "wamp2s-fig16-error", "error per application of the airborne set under a stable load, by both definitions",
          16, "airborne"),
      {"wamp2s-fig12-networks", "error of the networks' remaining time at each change of a drawn load",
       layout(
           "WAMP2S (Yao et al. 2022), Fig. 12 with networks under drawn loads: error of the remaining time; synthetic platform",
           "estimate", "estimate (the first at the start, the others at a change)",
           "mean error, of the response time (%)", {"application"}, {"error_percent", "estimates"},
           measure::thousandths),
       load_parameters({"applications", "5,8", "of Table 3, by their number", 1, synthetic_benchmarks.size()}), fig12},
      {"wamp2s-fig13-networks",
       "error of the networks' remaining time by progress, and the progress beyond which it stays small",
       layout(
           "WAMP2S (Yao et al. 2022), Fig. 13 with networks under drawn loads: error of the remaining time by progress; synthetic platform",
           "progress", "progress of the job (upper end of the bin)", "mean error, of the response time (%)", {"set"},
           {"error_percent", "estimates", "threshold_percent"}, measure::thousandths),
       load_parameters({"bound", "1", "in percent, for the threshold"}), fig13},
  };
}

}  // namespace takt::program::sweep
