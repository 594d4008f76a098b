// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <takt/study/acceptance_study.hpp>
#include <takt/study/statistics.hpp>

#include "small_study.hpp"

namespace {

using namespace takt::studies;

struct number_set {
  std::int64_t drawn = 0;
  std::int64_t level = 0;
};

/// Numbers below 2000 that a method accepts where they are above the level and of its kind.
[[nodiscard]] auto numbers() -> acceptance_study<number_set> {
  acceptance_study<number_set> out;
  out.name = "numbers";
  out.title = "Numbers";
  out.generator = {"numbers",
                   "numbers",
                   {{"most", "2000", "of numbers", 1, 100'000}},
                   "level",
                   "0.5,1,1.5",
                   [](const settings& s) -> drawer<number_set> {
                     return [most = s.number("most"), seed = s.seed()](std::int64_t level, std::uint64_t number) {
                       takt::random_stream random{takt::random_stream{seed}.next() ^ number};
                       return std::make_unique<number_set>(number_set{random.below(most), level});
                     };
                   }};
  out.methods = [](const settings&) {
    return std::vector<acceptance_method<number_set>>{
        {"above", "above", [](const number_set& n) { return n.drawn > n.level; }},
        {"even", "above and even", [](const number_set& n) { return n.drawn > n.level && n.drawn % 2 == 0; }},
        {"odd", "above and odd", [](const number_set& n) { return n.drawn > n.level && n.drawn % 2 == 1; }}};
  };
  return out;
}

[[nodiscard]] auto run_numbers(const std::string& vary = "") -> result {
  const study what = numbers().as_study();
  settings used{what.parameters};
  used.set("vary", vary);
  return run(what, used);
}

}  // namespace

TEST_CASE("intervals are those that Wilson's formula gives by hand") {
  CHECK(takt::studies::detail::wilson(50, 100).least == doctest::Approx(0.40383).epsilon(1e-4));
  CHECK(takt::studies::detail::wilson(50, 100).most == doctest::Approx(0.59617).epsilon(1e-4));
  CHECK(takt::studies::detail::wilson(0, 10).least == doctest::Approx(0).epsilon(1e-9));
  CHECK(takt::studies::detail::wilson(0, 10).most == doctest::Approx(0.27754).epsilon(1e-4));
  CHECK(takt::studies::detail::wilson(0, 0).most == 1);
}

TEST_CASE("the exact test of McNemar is the binomial sum, for few sets and for many") {
  CHECK(takt::studies::detail::mcnemar(0, 0) == 1);
  CHECK(takt::studies::detail::mcnemar(3, 3) == 1);
  CHECK(takt::studies::detail::mcnemar(5, 0) == doctest::Approx(2.0 / 32));
  CHECK(takt::studies::detail::mcnemar(1, 9) == doctest::Approx(2.0 * (1 + 10) / 1024));
  CHECK(takt::studies::detail::mcnemar(9, 1) == takt::studies::detail::mcnemar(1, 9));
  CHECK(takt::studies::detail::mcnemar(4, 6) == doctest::Approx(2.0 * (1 + 10 + 45 + 120 + 210) / 1024));
  CHECK(takt::studies::detail::mcnemar(400'000, 402'000) == doctest::Approx(0.0255).epsilon(0.01));
  CHECK(takt::studies::detail::mcnemar(10'000, 0) == 0);
}

TEST_CASE("all methods judge the same sets, and each two are compared set by set") {
  const result r = run_numbers();
  for (std::size_t l = 0; l < 3; ++l) {
    const auto counts = r.counts.counts(0, l);
    CHECK(counts[0] == counts[1] + counts[2]);
    CHECK(counts[1] > 0);
  }
  const paired_counts first = paired(r, 0, 0, 1);
  CHECK(first.only_second == 0);
  std::int64_t odd = 0;
  std::int64_t even = 0;
  for (std::size_t l = 0; l < 3; ++l) {
    even += r.counts.counts(0, l)[1];
    odd += r.counts.counts(0, l)[2];
  }
  CHECK(first.only_first == odd);
  CHECK(paired(r, 0, 1, 2).only_first == even);
  CHECK(paired(r, 0, 2, 1).only_first == odd);
  CHECK(paired(r, 0, 2, 0).only_second == even);
}

TEST_CASE("curves are ranked by their shares, weighted by the levels") {
  const result r = run_numbers();
  const auto ranked = ranking(r, r.designed.panels[0]);
  CHECK(ranked[0].of.title == "above");
  double by_hand = 0;
  for (std::size_t l = 0; l < 3; ++l) {
    by_hand += 0.5 * static_cast<double>(l + 1) * static_cast<double>(r.counts.counts(0, l)[0]) / 100;
  }
  CHECK(ranked[0].weighted == doctest::Approx(by_hand / 3));
  CHECK(ranked[1].weighted >= ranked[2].weighted);
  const std::string csv = takt::test::csv_of(r);
  CHECK(csv.find("\ngenerator,level,sets,above,even,odd\nnumbers,0.5,100,") != std::string::npos);
  CHECK(csv.find("# generator numbers: 1. above, weighted ") != std::string::npos);
}

TEST_CASE("a parameter that varies gives a panel for each of its values") {
  const result r = run_numbers("most:3000,500");
  CHECK(r.designed.panels.size() == 2);
  CHECK(r.designed.panels[0].title == "most 3000");
  CHECK(r.designed.keys == std::vector<std::string>{"most"});
  CHECK(r.counts.counts(1, 0)[0] == 0);
  CHECK(r.counts.counts(0, 0)[0] > 0);
  for (const char* wrong : {"most", "least:1", "vary:1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(static_cast<void>(run_numbers(wrong)), doctest::Contains("names no parameter"), refusal);
  }
}
