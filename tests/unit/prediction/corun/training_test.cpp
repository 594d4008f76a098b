// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/prediction/corun/error_metrics.hpp>
#include <takt/prediction/corun/layered_network.hpp>
#include <takt/prediction/corun/layered_training.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>
#include <takt/prediction/corun/train_application.hpp>
#include <takt/prediction/corun/training_csv.hpp>

#include "support/traces.hpp"
#include "synthetic_training.hpp"

namespace {

using namespace takt;
using generation::synthetic_benchmarks;

using takt::test::applications;
using takt::test::samples_of;
using takt::test::usual_options;
using sample = co_run_sample<workload_input<>>;
using model = co_run_model<12, 128>;

auto number_of(std::string_view name) -> std::size_t {
  std::size_t k = 0;
  while (synthetic_benchmarks[k].name != name) { ++k; }
  return k;
}

/// One input, y = x^2 + 1 in a hundred samples.
auto parabola() -> std::vector<co_run_sample<std::array<double, 1>>> {
  std::vector<co_run_sample<std::array<double, 1>>> out;
  for (int i = 0; i < 100; ++i) { out.push_back({{static_cast<double>(i)}, ticks{i} * i + 1}); }
  return out;
}

auto numbers_of(const std::string& line) -> std::vector<double> {
  std::vector<double> out;
  std::istringstream cells{line};
  for (std::string cell; std::getline(cells, cell, ',');) { out.push_back(std::stod(cell)); }
  return out;
}

auto parabola_options() -> training_options<1> {
  training_options<1> o;
  o.structure.first_width = {0.1};
  o.training_samples = 80;
  o.scale = target_scale::linear;
  return o;
}

}  // namespace

TEST_CASE("a network per synthetic application, trained on 3000 of 4000 samples, errs by at most 2.58 %" *
          takt_tests::traces("WAMP-21 WAMP-40")) {
  for (std::size_t self = 0; self < applications; ++self) {
    CAPTURE(synthetic_benchmarks[self].name);
    const auto samples = samples_of(self);
    REQUIRE(samples.size() == 4000);
    model trained;
    const auto report = train<12>(samples, usual_options(), trained);
    REQUIRE(report.status == training_status::trained);
    CHECK(trained.network.rules.size() >= 20);
    CHECK(trained.network.rules.size() <= 80);
    CHECK_FALSE(report.rules_wanted);
    CHECK(report.test.percent_of_estimate <= 2.58);
    CHECK(report.test.percent_of_measurement <= 2.58);
    CHECK(report.test.percent_of_estimate > 0);
  }
}

TEST_CASE("lavaMD's stand-in needs about as many rules as published, 55" * takt_tests::traces("WAMP-21")) {
  auto o = usual_options();
  o.training_samples = 1500;
  model trained;
  const auto report = train<12>(samples_of(number_of("LM")), o, trained);
  REQUIRE(report.status == training_status::trained);
  CHECK(trained.network.rules.size() >= 50);
  CHECK(trained.network.rules.size() <= 60);
}

TEST_CASE("the printed first width makes a rule of nearly every sample" * takt_tests::traces("WAMP-21")) {
  auto o = usual_options();
  o.structure.first_width.fill(0.01);
  o.training_samples = 300;
  co_run_model<12, 400> trained;
  const auto report = train<12>(samples_of(number_of("LM"), 400), o, trained);
  CHECK(trained.network.rules.size() > 290);
  CHECK(report.test.percent_of_measurement > 2.58);
}

TEST_CASE("gradient descent improves on the first fit, and the best epoch is kept" *
          takt_tests::traces("WAMP-20 WAMP-38")) {
  auto o = usual_options();
  o.training_samples = 800;
  o.epochs = 3;
  o.rates.center = 0.05;
  o.rates.width = 0.05;
  model trained;
  const auto report = train<12>(samples_of(number_of("LM"), 1000), o, trained);
  REQUIRE(report.epochs.size() == 4);
  double least = report.epochs[0].root_mean_square;
  for (const error_metrics& e : report.epochs) { least = std::min(least, e.root_mean_square); }
  CHECK(report.training.root_mean_square == least);
  CHECK(least < 0.9 * report.epochs[0].root_mean_square);
  model again;
  CHECK(train<12>(samples_of(number_of("LM"), 1000), o, again).training.root_mean_square == least);
  CHECK(to_text(again) == to_text(trained));
}

TEST_CASE("affine consequents err less than constant ones with the same rules" * takt_tests::traces("WAMP-20")) {
  auto o = usual_options();
  o.training_samples = 800;
  o.structure.growth_threshold = 0.2;
  model constant;
  model affine;
  const auto samples = samples_of(number_of("LC"), 1000);
  const auto without = train<12>(samples, o, constant);
  o.form = consequent_form::affine;
  const auto with = train<12>(samples, o, affine);
  CHECK(constant.network.rules.size() == affine.network.rules.size());
  CHECK(with.test.percent_of_measurement < without.test.percent_of_measurement / 2);
}

TEST_CASE("training writes its errors per epoch and the parameters of its rules as CSV" *
          takt_tests::traces("WAMP-38")) {
  auto o = parabola_options();
  o.epochs = 2;
  co_run_model<1, 16> trained;
  const auto report = train<1>(parabola(), o, trained);
  REQUIRE(report.status == training_status::trained);
  std::ostringstream epochs;
  write_epochs_csv(epochs, report);
  std::istringstream lines{epochs.str()};
  std::string line;
  std::getline(lines, line);
  CHECK(line == "epoch,percent_of_estimate,percent_of_measurement,root_mean_square");
  for (std::size_t e = 0; e < 3; ++e) {
    REQUIRE(std::getline(lines, line));
    CHECK(std::stoul(line) == e);
    const auto& errors = report.epochs[e];
    CHECK(numbers_of(line) == std::vector<double>{static_cast<double>(e), errors.percent_of_estimate,
                                                  errors.percent_of_measurement, errors.root_mean_square});
  }
  CHECK_FALSE(std::getline(lines, line));

  std::ostringstream rules;
  write_rules_csv(rules, trained.network);
  const std::string text = rules.str();
  CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == trained.network.rules.size() + 1);
  CHECK(text.starts_with("rule,weight,importance,input,center,width,slope\n0,"));

  fuzzy_network<2, 4> known;
  known.rules.unchecked_push_back(
      {.center = {0.25, 0.5}, .width = {2, 3}, .slope = {5, 7}, .weight = 11, .importance = 13});
  known.rules.unchecked_push_back(
      {.center = {-1, -2}, .width = {17, 19}, .slope = {-3, -4}, .weight = 23, .importance = 29});
  std::ostringstream two;
  write_rules_csv(two, known);
  std::istringstream rows{two.str()};
  REQUIRE(std::getline(rows, line));
  const std::vector<std::vector<double>> expected{
      {0, 11, 13, 0, 0.25, 2, 5}, {0, 11, 13, 1, 0.5, 3, 7}, {1, 23, 29, 0, -1, 17, -3}, {1, 23, 29, 1, -2, 19, -4}};
  for (const auto& row : expected) {
    REQUIRE(std::getline(rows, line));
    CHECK(numbers_of(line) == row);
  }
  CHECK_FALSE(std::getline(rows, line));
}

TEST_CASE("training refuses what it cannot learn from and leaves the model as it was" * takt_tests::traces("WAMP-21")) {
  co_run_model<1, 16> kept;
  const auto status_of = [&kept](auto samples, const training_options<1>& o) {
    const auto report = train<1>(samples, o, kept);
    CHECK(kept.network.rules.empty());
    return report.status;
  };
  auto o = parabola_options();
  o.training_samples = 100;
  CHECK(status_of(parabola(), o) == training_status::too_few_samples);
  o = parabola_options();
  auto samples = parabola();
  samples[5].time = 0;
  CHECK(status_of(samples, o) == training_status::bad_sample);
  samples = parabola();
  samples[5].input[0] = std::numeric_limits<double>::infinity();
  CHECK(status_of(samples, o) == training_status::bad_sample);
  o.structure.first_width = {0};
  CHECK(status_of(parabola(), o) == training_status::bad_option);
  o = parabola_options();
  o.structure.growth_threshold = 1;
  CHECK(status_of(parabola(), o) == training_status::bad_option);
  o = parabola_options();
  o.form = consequent_form::affine;
  o.ridge = 0;
  for (auto& s : samples = parabola()) { s.input[0] = 3; }
  CHECK(status_of(samples, o) == training_status::not_determined);
}

TEST_CASE("a constant column and a constant target train to that constant" * takt_tests::traces("WAMP-22")) {
  auto samples = parabola();
  for (auto& s : samples) { s = {{3}, 77}; }
  co_run_model<1, 16> trained;
  const auto report = train<1>(samples, parabola_options(), trained);
  REQUIRE(report.status == training_status::trained);
  CHECK(trained.network.rules.size() == 1);
  CHECK(trained.estimate({3}).time == doctest::Approx(77));
  CHECK(trained.estimate({4}).status == estimate_status::extrapolated);
  CHECK(report.extrapolated == 0);
}

TEST_CASE("the layered networks have the published sizes, and their gradient agrees with finite differences" *
          takt_tests::traces("WAMP-39")) {
  random_stream random{1};
  const std::vector<std::size_t> shallow{12, 8, 8};
  const std::vector<std::size_t> deep{12, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14};
  CHECK(takt::detail::layered_network{shallow, random}.products() == 168);
  CHECK(takt::detail::layered_network{deep, random}.products() == 1946);

  const std::array x{0.3, -0.7};
  constexpr double target = 0.4;
  takt::detail::layered_network net{std::vector<std::size_t>{2, 3, 3}, random};
  CHECK(net.parameters() == 9 + 12 + 4);
  const auto half_square = [&](std::size_t parameter, double step) {
    takt::detail::layered_network moved = net;
    moved.parameter(parameter) += step;
    const double error = moved.output(x) - target;
    return error * error / 2;
  };
  takt::detail::layered_network stepped = net;
  CHECK(stepped.descend(x, target, 1) == net.output(x));
  for (std::size_t p = 0; p < net.parameters(); ++p) {
    const double derivative = (half_square(p, 1e-6) - half_square(p, -1e-6)) / 2e-6;
    CHECK(std::abs(net.parameter(p) - stepped.parameter(p) - derivative) < 1e-8);
  }
}

TEST_CASE("the fuzzy network beats the small layered one at a cost of the same order" * takt_tests::traces("WAMP-39")) {
  const auto samples = samples_of(number_of("LM"));
  model fuzzy;
  const auto report = train<12>(samples, usual_options(), fuzzy);
  REQUIRE(report.status == training_status::trained);
  random_stream random{1};
  takt::detail::layered_network shallow{std::vector<std::size_t>{12, 8, 8}, random};
  const std::span<const sample> training{samples.data(), 3000};
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (const sample& s : training) {
      shallow.descend(fuzzy.to_units(s.input), fuzzy.target.to_unit(std::log(static_cast<double>(s.time))), 0.05);
    }
  }
  std::vector<double> measured;
  std::vector<double> estimated;
  for (const sample& s : std::span{samples}.subspan(3000)) {
    measured.push_back(static_cast<double>(s.time));
    estimated.push_back(exponential(fuzzy.target.from_unit(shallow.output(fuzzy.to_units(s.input)))));
  }
  const auto errors = takt::detail::measure_errors(measured, estimated).value_or(error_metrics{});
  CHECK(report.test.root_mean_square < errors.root_mean_square / 2);
  CHECK(fuzzy.network.products() < 16 * shallow.products());
}

TEST_CASE("a layered network learns the samples of a fuzzy one: more epochs err less, in more products if deeper" *
          takt_tests::traces("WAMP-39")) {
  const auto samples = samples_of(4, 600);
  auto o = usual_options();
  o.training_samples = 400;
  co_run_model<workload_indicators + 1, 192> model;
  REQUIRE(train<workload_indicators + 1>(samples, o, model));
  const auto error_after = [&](std::size_t epochs, std::vector<std::size_t> widths) {
    return train_layered(samples, o.training_samples, o.seed, model, {std::move(widths), epochs, 0.05});
  };
  const layered_report first = error_after(1, {12, 8, 8});
  const layered_report later = error_after(30, {12, 8, 8});
  CHECK(later.root_mean_square < first.root_mean_square);
  CHECK(first.products == 12 * 8 + 8 * 8 + 8);
  CHECK(error_after(1, {12, 8, 8}).root_mean_square == first.root_mean_square);
  CHECK(error_after(1, {12, 14, 14}).products > first.products);
}

TEST_CASE("a mean of relative errors is in percent, and 0 of none" * takt_tests::traces("WAMP-41")) {
  mean_error m;
  CHECK(m.percent() == 0);
  CHECK(m.count() == 0);
  m.add(0.1);
  m.add(0.3);
  CHECK(m.percent() == doctest::Approx(20));
  CHECK(m.count() == 2);
}

TEST_CASE("an application is trained in one call, and its estimates of whole jobs are off by little" *
          takt_tests::traces("WAMP-21")) {
  constexpr std::size_t self = 2;
  const auto profiles = generation::synthetic_profiles(generation::synthetic_airborne);
  const auto time_of = [](const std::array<std::int32_t, 5>& shares) {
    return generation::synthetic_co_run_time(generation::synthetic_airborne, self, shares);
  };
  auto o = usual_options();
  o.training_samples = 600;
  const auto known = train_application<192>(profiles, self, 800, o, time_of);
  REQUIRE(known.report);
  CHECK(known.samples.size() == 800);
  struct stretch {
    std::array<std::int32_t, 5> shares{};
    ticks length = 0;
  };
  const std::array<std::int32_t, 5> alone{0, 0, 80, 0, 0};
  const std::array<std::int32_t, 5> beside{20, 20, 40, 10, 10};
  const std::array<stretch, 2> job{{{alone, time_of(alone) / 2}, {beside, time_of(beside) / 2}}};
  const auto errors = estimate_errors<4>(known.model, profiles, self, job);
  REQUIRE(errors);
  REQUIRE(errors->size() == 2);
  CHECK((*errors)[0].progress == 0);
  CHECK((*errors)[1].progress == doctest::Approx(0.5).epsilon(0.1));
  CHECK((*errors)[1].error < 0.05);
  CHECK_FALSE(estimate_errors<4>(co_run_model<workload_indicators + 1, 192>{}, profiles, self, job));
}
