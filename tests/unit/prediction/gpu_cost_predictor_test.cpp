// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include <takt/core/random.hpp>
#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/prediction/token_cost_counter.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

using takt::cost_predictor_settings;
using takt::holder_state;
using takt::rational;
using takt::sample_verdict;
using takt::ticks;

namespace {

using predictor = takt::gpu_cost_predictor<2, 3>;
using big = boost::multiprecision::cpp_rational;

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_PREDICTOR_RUNS", 40); }

/// The definition, sample lists and all, in fractions of any size.
class naive_predictor {
 public:
  explicit naive_predictor(const cost_predictor_settings& s) : settings_{s} {}

  auto observe(std::pair<std::size_t, std::size_t> key, ticks cost) -> bool {
    auto& h = histories_[key];
    if (h.window.empty() || h.accepted < settings_.warm_up || is_usual(h.window, cost)) {
      h.window.push_back(cost);
      if (h.window.size() > static_cast<std::size_t>(settings_.window)) { h.window.erase(h.window.begin()); }
      ++h.accepted;
      h.rejected.clear();
      return true;
    }
    h.rejected.push_back(cost);
    if (settings_.restart_after == 0 || h.rejected.size() < static_cast<std::size_t>(settings_.restart_after)) {
      return false;
    }
    h.window = std::exchange(h.rejected, {});
    return true;
  }
  [[nodiscard]] auto predict(std::pair<std::size_t, std::size_t> key) -> big { return average(histories_[key].window); }

 private:
  struct history {
    std::vector<ticks> window;
    std::vector<ticks> rejected;
    std::int64_t accepted = 0;
  };

  [[nodiscard]] auto is_usual(const std::vector<ticks>& window, ticks cost) const -> bool {
    const big off = big{cost} - average(window);
    return off * off <= big{settings_.sigmas * settings_.sigmas} * variance(window);
  }
  [[nodiscard]] static auto average(const std::vector<ticks>& window) -> big {
    big sum = 0;
    for (const ticks x : window) { sum += x; }
    return window.empty() ? big{0} : big{sum / static_cast<std::int64_t>(window.size())};
  }
  [[nodiscard]] static auto variance(const std::vector<ticks>& window) -> big {
    const big mean = average(window);
    big sum = 0;
    for (const ticks x : window) { sum += (big{x} - mean) * (big{x} - mean); }
    return sum / static_cast<std::int64_t>(window.size());
  }

  cost_predictor_settings settings_;
  std::map<std::pair<std::size_t, std::size_t>, history> histories_;
};

void feed(predictor& p, ticks cost, int times) {
  for (int i = 0; i < times; ++i) { REQUIRE(p.observe(0, 0, cost) == sample_verdict::accepted); }
}

}  // namespace

TEST_CASE("the worked samples: exactly two deviations are accepted, more is not" * takt_tests::traces("GSD-72")) {
  const auto p = std::make_unique<predictor>();
  feed(*p, 10, 5);
  feed(*p, 12, 5);
  CHECK(p->predict(0, 0) == rational{11});
  CHECK(p->observe(0, 0, 14) == sample_verdict::rejected);
  CHECK(p->observe(0, 0, 13) == sample_verdict::accepted);
  CHECK(p->predict(0, 0) == rational{123, 11});
  CHECK(p->predict(0, 0, 11) == rational{11});
  CHECK(p->predict(0, 0, 12) == rational{123, 11});
  CHECK(p->predict(0, 1) == rational{0});
  CHECK(p->predict(1, 0) == rational{0});
}

TEST_CASE("without variation everything else is rejected, unless rejected samples may start a new window" *
          takt_tests::traces("GSD-72")) {
  const auto stuck = std::make_unique<predictor>();
  feed(*stuck, 5, 10);
  for (int i = 0; i < 40; ++i) { CHECK(stuck->observe(0, 0, 6) == sample_verdict::rejected); }
  CHECK(stuck->predict(0, 0) == rational{5});

  const auto restarting = std::make_unique<predictor>(cost_predictor_settings{.restart_after = 3});
  feed(*restarting, 5, 10);
  CHECK(restarting->observe(0, 0, 6) == sample_verdict::rejected);
  CHECK(restarting->observe(0, 0, 7) == sample_verdict::rejected);
  CHECK(restarting->observe(0, 0, 5) == sample_verdict::accepted);
  CHECK(restarting->observe(0, 0, 6) == sample_verdict::rejected);
  CHECK(restarting->observe(0, 0, 7) == sample_verdict::rejected);
  CHECK(restarting->predict(0, 0) == rational{5});
  CHECK(restarting->observe(0, 0, 7) == sample_verdict::accepted);
  CHECK(restarting->predict(0, 0) == rational{20, 3});
}

TEST_CASE("predictions equal those of a list of samples in fractions of any size" * takt_tests::traces("GSD-72")) {
  takt::random_stream random{72};
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    const cost_predictor_settings settings{
        .window = static_cast<std::int32_t>(random.between(1, 20)),
        .warm_up = static_cast<std::int32_t>(random.between(0, 12)),
        .sigmas = static_cast<std::int32_t>(random.between(0, predictor::most_sigmas)),
        .restart_after = 0};
    cost_predictor_settings restarting = settings;
    restarting.restart_after = static_cast<std::int32_t>(random.between(0, settings.window));
    const auto p = std::make_unique<predictor>(restarting);
    naive_predictor naive{restarting};
    const ticks middle = random.chance(1, 3) ? predictor::longest_sample / 3 : random.between(50, 1'000'000);
    // Small, as large as the samples, or such that squares differ by about 2^64.
    const std::array<ticks, 3> spreads{3, middle / random.between(1, 40), ticks{1} << random.between(24, 32)};
    const ticks spread = std::min(middle, spreads[static_cast<std::size_t>(random.below(3))]);
    for (int i = 0; i < 120; ++i) {
      const std::pair<std::size_t, std::size_t> key{static_cast<std::size_t>(random.below(2)),
                                                    static_cast<std::size_t>(random.below(2))};
      const ticks level = i > 80 ? middle + middle / 4 : middle;
      const ticks cost = level - spread + random.between(0, 2 * spread);
      const bool accepted = p->observe(key.first, key.second, cost) == sample_verdict::accepted;
      REQUIRE(accepted == naive.observe(key, cost));
      const rational prediction = p->predict(key.first, key.second);
      REQUIRE(big{prediction.numerator(), prediction.denominator()} == naive.predict(key));
    }
  }
}

TEST_CASE("samples and settings without a meaning are refused and change nothing" * takt_tests::traces("GSD-72")) {
  const auto p = std::make_unique<predictor>();
  feed(*p, 9, 1);
  CHECK(p->observe(0, 0, -1) == sample_verdict::refused);
  CHECK(p->observe(0, 0, predictor::longest_sample + 1) == sample_verdict::refused);
  CHECK(p->observe(2, 0, 1) == sample_verdict::refused);
  CHECK(p->observe(0, 3, 1) == sample_verdict::refused);
  CHECK(p->predict(2, 0) == rational{0});
  CHECK(p->predict(0, 3) == rational{0});
  CHECK(p->predict(0, 0) == rational{9});
  feed(*p, predictor::longest_sample, 9);
  CHECK(p->predict(0, 0) == rational{9 * predictor::longest_sample + 9, 10});

  for (const cost_predictor_settings& wrong :
       {cost_predictor_settings{.window = 0}, cost_predictor_settings{.window = 21},
        cost_predictor_settings{.warm_up = -1}, cost_predictor_settings{.sigmas = 9},
        cost_predictor_settings{.sigmas = -1}, cost_predictor_settings{.window = 4, .restart_after = 5},
        cost_predictor_settings{.restart_after = -1}}) {
    const auto refuses = std::make_unique<predictor>(wrong);
    CHECK_FALSE(refuses->valid());
    CHECK(refuses->observe(0, 0, 1) == sample_verdict::refused);
  }
}

TEST_CASE("a token section costs its time on CPUs and on engines, not preemption or waiting for engines" *
          takt_tests::traces("GSD-73")) {
  takt::token_cost_counter counter;
  counter.granted(100);
  CHECK(counter.enter(holder_state::waits_for_engine, 103));
  CHECK(counter.enter(holder_state::on_engine, 110));
  CHECK(counter.enter(holder_state::preempted, 130));
  CHECK(counter.enter(holder_state::executing, 137));
  CHECK(counter.enter(holder_state::on_engine, 138));
  CHECK(counter.enter(holder_state::executing, 148));
  ticks cost = 0;
  REQUIRE(counter.released(150, cost));
  CHECK(cost == 3 + 20 + 1 + 10 + 2);
  CHECK_FALSE(counter.holds_token());

  counter.granted(200, holder_state::preempted);
  REQUIRE(counter.released(260, cost));
  CHECK(cost == 0);
}

TEST_CASE("the cost of random token sections is the sum of what was executed" * takt_tests::traces("GSD-73")) {
  takt::random_stream random{73};
  for (int round = 0; round < 500; ++round) {
    takt::token_cost_counter counter;
    ticks now = random.below(1'000);
    ticks expected = 0;
    counter.granted(now);
    auto state = holder_state::executing;
    for (auto left = random.below(12); left > 0; --left) {
      const ticks passed = random.below(30);
      const bool counts = state == holder_state::executing || state == holder_state::on_engine;
      expected += counts ? passed : 0;
      now += passed;
      state = static_cast<holder_state>(random.below(4));
      REQUIRE(counter.enter(state, now));
    }
    ticks cost = -1;
    REQUIRE(counter.released(now, cost));
    REQUIRE(cost == expected);
  }
}

TEST_CASE("a counter without a token, or against time, refuses and changes nothing" * takt_tests::traces("GSD-73")) {
  takt::token_cost_counter counter;
  ticks cost = -1;
  CHECK_FALSE(counter.enter(holder_state::executing, 1));
  CHECK_FALSE(counter.released(1, cost));
  counter.granted(10);
  CHECK_FALSE(counter.enter(holder_state::preempted, 9));
  CHECK_FALSE(counter.released(9, cost));
  CHECK(cost == -1);
  REQUIRE(counter.released(14, cost));
  CHECK(cost == 4);
  counter.granted(std::numeric_limits<ticks>::min());
  CHECK_FALSE(counter.released(std::numeric_limits<ticks>::max(), cost));
}
