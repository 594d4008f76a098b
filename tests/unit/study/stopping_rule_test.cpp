// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <takt/core/random.hpp>

#include "small_study.hpp"

namespace {

using namespace takt::studies;
using takt::test::csv_of;
using takt::test::scratch_folder;

/// The small study with 400 sets per point, which end early.
[[nodiscard]] auto long_study() -> study {
  study out = takt::test::small_study();
  out.parameters = with(std::move(out.parameters), stopping_parameters());
  out.parameters = with(std::move(out.parameters), {{"sets", "400", ""}, {"interval", "150", ""}});
  return out;
}

[[nodiscard]] auto run_long(const run_options& o) -> result {
  const study what = long_study();
  return run(what, settings{what.parameters}, o);
}

/// As many, once another process has done some of it.
constexpr std::int64_t sets_at_most = 400;

}  // namespace

TEST_CASE("a point has seen enough exactly when the 95 % interval of each share is narrow") {
  for (const std::int64_t permille : {50, 100, 200}) {
    const stopping_rule rule{permille, 1, {0}};
    for (std::int64_t n = 1; n < 2000; n += 37) {
      for (std::int64_t a = 0; a <= n; a += 1 + n / 9) {
        const takt::studies::detail::share_interval i = takt::studies::detail::wilson(a, n);
        const double width = 1000 * (i.most - i.least);
        // Bounds that are cut at 0 and 1 make an interval narrower.
        if (a == 0 || a == n || std::abs(width - static_cast<double>(permille)) < 1e-6) { continue; }
        CAPTURE(n);
        CAPTURE(a);
        CHECK(rule.enough(n, std::vector{a}) == (width < static_cast<double>(permille)));
      }
    }
  }
  CHECK_FALSE(stopping_rule{.interval_permille = 1000, .least_sets = 60, .columns = {}}.enough(59, {}));
  CHECK_FALSE(stopping_rule{}.enough(1'000'000, std::vector<std::int64_t>{0}));
  CHECK_FALSE(stopping_rule{100, 1, {0, 1}}.enough(300, std::vector<std::int64_t>{0, 150}));
}

TEST_CASE("points end early where curves are flat, at the same set for any number of threads") {
  const result one = run_long({.jobs = 1});
  CHECK(one.counts.complete());
  std::vector<std::int64_t> sets;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t l = 0; l < 3; ++l) { sets.push_back(one.counts.sets(s, l)); }
  }
  CHECK(std::ranges::max(sets) < sets_at_most);
  CHECK(std::ranges::min(sets) >= 50);
  CHECK(std::ranges::min(sets) < std::ranges::max(sets));
  for (const unsigned jobs : {2U, 5U}) { CHECK(csv_of(run_long({.jobs = jobs})) == csv_of(one)); }
}

TEST_CASE("where a point ends does not depend on the order in which its blocks come in, nor on what lies behind") {
  const study what = long_study();
  const settings used{what.parameters};
  experiment e = what.design(used);
  const tally sizes{e.size()};
  std::vector<std::size_t> order(sizes.units());
  std::iota(order.begin(), order.end(), 0);
  takt::random_stream random{3};
  const std::string whole = csv_of(run_long({.jobs = 1}));
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      std::swap(order[i], order[static_cast<std::size_t>(random.below(static_cast<takt::ticks>(i) + 1))]);
    }
    result r{what.name, used, e, sizes};
    for (const std::size_t u : order) {
      std::vector<std::int64_t> counts(sizes.columns());
      e.count(sizes.unit_at(u), counts);
      r.counts.add(u, counts);
    }
    CHECK(r.counts.complete());
    CHECK(csv_of(r) == whole);
  }
}

TEST_CASE("shards of a study whose points end early are whole points, and put together the whole") {
  const std::string whole = csv_of(run_long({.jobs = 1}));
  const scratch_folder folder{"early"};
  for (std::size_t i = 7; i > 1; --i) {
    CHECK_FALSE(run_long({.part = {i, 7}, .folder = folder.name()}).counts.complete());
  }
  CHECK(csv_of(run_long({.part = {1, 7}, .folder = folder.name()})) == whole);
}

TEST_CASE("an interval is refused where a study does not count sets") {
  study what = long_study();
  what.shown.measured = measure::thousandths;
  CHECK_THROWS_WITH_AS(static_cast<void>(what.design(settings{what.parameters})), doctest::Contains("does not count"),
                       refusal);
}
