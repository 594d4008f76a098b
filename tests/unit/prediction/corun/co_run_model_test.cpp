// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <takt/prediction/corun/co_run_model.hpp>
#include <takt/prediction/corun/model_text.hpp>
#include <takt/prediction/corun/random_draws.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using model = co_run_model<2, 4>;
using point = std::array<double, 2>;

constexpr auto small_model(double weight) -> model {
  model m;
  fuzzy_rule<2> r;
  r.center = {0.5, 0};
  r.width = {0.1, 0.1};
  r.weight = weight;
  m.network.rules.unchecked_push_back(r);
  m.inputs = {value_range{10, 30}, value_range{7, 7}};
  m.target = {2, 4};
  return m;
}

auto random_model() -> model {
  random_stream random{9};
  model m = small_model(0);
  m.network.rules.clear();
  for (int j = 0; j < 3; ++j) {
    fuzzy_rule<2> r;
    for (std::size_t i = 0; i < 2; ++i) {
      r.center[i] = takt::detail::draw_unit(random);
      r.width[i] = takt::detail::draw_unit(random);
      r.slope[i] = takt::detail::draw_unit(random) * 1e-7;
    }
    r.weight = -takt::detail::draw_unit(random);
    r.importance = takt::detail::draw_unit(random);
    m.network.rules.unchecked_push_back(r);
  }
  return m;
}

/// The text with a line replaced, and a checksum that fits again.
auto with_line(std::string text, std::string_view before, std::string_view after) -> std::string {
  text.replace(text.find(before), before.size(), after);
  text.erase(text.rfind("checksum "));
  return text + "checksum " + std::to_string(takt::detail::text_checksum(text)) + "\n";
}

}  // namespace

TEST_CASE("inputs and target are mapped by their ranges, a constant column to 0" * takt_tests::traces("WAMP-22")) {
  constexpr model m = small_model(0.5);
  CHECK(m.to_units({10, 7}) == point{0, 0});
  CHECK(m.to_units({30, 7}) == point{1, 0});
  CHECK(m.to_units({20, 99}) == point{0.5, 0});
  CHECK(m.estimate({20, 7}).time == doctest::Approx(std::exp(3.0)).epsilon(1e-12));
  model linear = m;
  linear.scale = target_scale::linear;
  CHECK(linear.estimate({20, 7}).time == doctest::Approx(3).epsilon(1e-12));
  static_assert(small_model(0.5).estimate({20, 7}).time > 20.08);
}

TEST_CASE("what lies outside the ranges is flagged and not clamped" * takt_tests::traces("WAMP-22")) {
  constexpr model m = small_model(0.5);
  CHECK(m.estimate({30, 7}).status == estimate_status::estimated);
  CHECK(m.estimate({30.5, 7}).status == estimate_status::extrapolated);
  CHECK(m.estimate({20, 7.001}).status == estimate_status::extrapolated);
  CHECK(m.to_units({50, 7})[0] == 2);
  CHECK(m.to_units({-10, 7})[0] == -1);
}

TEST_CASE("ranges are those of the columns" * takt_tests::traces("WAMP-22")) {
  const std::array<point, 3> rows{{{1, 5}, {-2, 5}, {0.5, 5}}};
  const auto ranges = ranges_of<2>(rows);
  CHECK(ranges[0] == value_range{-2, 1});
  CHECK(ranges[1] == value_range{5, 5});
}

TEST_CASE("there is no estimate without rules, for inputs that are no numbers, or of no positive time" *
          takt_tests::traces("WAMP-17")) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  model m = small_model(0.5);
  CHECK_FALSE(m.estimate({infinity, 7}));
  CHECK_FALSE(m.estimate({20, std::numeric_limits<double>::quiet_NaN()}));
  m.scale = target_scale::linear;
  m.network.rules[0].weight = -2;
  CHECK_FALSE(m.estimate({20, 7}));
  m = small_model(1000);
  CHECK_FALSE(m.estimate({20, 7}));
  m.network.rules.clear();
  CHECK_FALSE(m.estimate({20, 7}));
}

TEST_CASE("a model reads back from its text to the bit" * takt_tests::traces("WAMP-17")) {
  const model written = random_model();
  const std::string text = to_text(written);
  model copy;
  REQUIRE(read_model(text, copy) == model_text_status::read);
  CHECK(to_text(copy) == text);
  CHECK(copy.inputs == written.inputs);
  CHECK(copy.target == written.target);
  for (std::size_t j = 0; j < written.network.rules.size(); ++j) {
    CHECK(copy.network.rules[j].width == written.network.rules[j].width);
    CHECK(copy.network.rules[j].slope == written.network.rules[j].slope);
    CHECK(copy.network.rules[j].weight == written.network.rules[j].weight);
  }
}

TEST_CASE("every change of a character and every cut is refused, and leaves the model as it was" *
          takt_tests::traces("WAMP-17")) {
  const std::string text = to_text(random_model());
  model kept = small_model(0.25);
  const std::string before = to_text(kept);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '1' ? '2' : '1';
    CHECK(read_model(other, kept) != model_text_status::read);
    if (i + 1 < text.size()) { CHECK(read_model(text.substr(0, i), kept) != model_text_status::read); }
  }
  CHECK(read_model(text + "x", kept) != model_text_status::read);
  CHECK(to_text(kept) == before);
}

TEST_CASE("a text is refused for what is wrong with it" * takt_tests::traces("WAMP-17")) {
  const std::string text = to_text(random_model());
  model m;
  CHECK(read_model("", m) == model_text_status::not_a_model);
  CHECK(read_model("takt-co-run-model 2\n", m) == model_text_status::other_version);
  CHECK(read_model("takt-co-run-model 1\n", m) == model_text_status::damaged);
  CHECK(read_model(with_line(text, "inputs 2", "inputs 3"), m) == model_text_status::other_number_of_inputs);
  CHECK(read_model(with_line(text, "rules 3", "rules 5"), m) == model_text_status::too_many_rules);
  CHECK(read_model(with_line(text, "rules 3", "rules 4"), m) == model_text_status::malformed);
  CHECK(read_model(with_line(text, "rules 3", "rules 2"), m) == model_text_status::malformed);
  CHECK(read_model(with_line(text, "rules 3", "rules -3"), m) == model_text_status::malformed);
  CHECK(read_model(with_line(text, "scale logarithmic", "scale other"), m) == model_text_status::malformed);
  CHECK(read_model(with_line(text, "input 10 30", "input 10 3x"), m) == model_text_status::malformed);
  CHECK(read_model(with_line(text, "input 10 30", "input 30 10"), m) == model_text_status::value_out_of_range);
  CHECK(read_model(with_line(text, "input 10 30", "input 10 inf"), m) == model_text_status::value_out_of_range);
  CHECK(read_model(with_line(text, "width ", "width -"), m) == model_text_status::value_out_of_range);
  co_run_model<2, 2> small;
  CHECK(read_model(text, small) == model_text_status::too_many_rules);
  co_run_model<3, 4> wide;
  CHECK(read_model(text, wide) == model_text_status::other_number_of_inputs);
  for (int s = 0; s <= static_cast<int>(model_text_status::value_out_of_range); ++s) {
    CHECK_FALSE(name_of(static_cast<model_text_status>(s)).empty());
  }
}
