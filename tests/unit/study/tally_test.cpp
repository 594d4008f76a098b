// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include <takt/study/count_units.hpp>
#include <takt/study/counters.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::studies;

const extent size{.series = 3, .levels = {500, 2000}, .sets = 25, .columns = 2, .sets_per_unit = 10};

/// Its sets, and the sum of their numbers.
void count(const unit& u, std::span<std::int64_t> counts) {
  for (std::int64_t i = 0; i < u.sets; ++i) {
    ++counts[0];
    counts[1] += u.first_set + i;
  }
}

[[nodiscard]] auto all_units(const tally& c) -> std::vector<std::size_t> {
  std::vector<std::size_t> out(c.units());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

template <class Count>
void count_all(tally& c, std::vector<std::size_t> todo, unsigned jobs, const Count& how, bool stop = false) {
  takt::studies::detail::unit_dealer dealer{c, std::move(todo)};
  takt::studies::detail::count_units(
      c, jobs, how, [&] { return stop ? std::nullopt : dealer.next(); },
      [&c](std::size_t u, std::span<const std::int64_t> n) { c.add(u, n); });
}

}  // namespace

TEST_CASE("every set of every configuration and level is counted once, on any number of threads" *
          takt_tests::traces("RTGPU-50")) {
  for (const unsigned jobs : {1U, 2U, 7U}) {
    tally c{size};
    CHECK(c.units() == 3 * 2 * 3);
    count_all(c, all_units(c), jobs, count);
    CHECK(c.complete());
    for (std::size_t s = 0; s < size.series; ++s) {
      for (std::size_t l = 0; l < size.levels.size(); ++l) {
        CHECK(c.counts(s, l)[0] == 25);
        CHECK(c.counts(s, l)[1] == 25 * 24 / 2);
      }
    }
  }
}

TEST_CASE("units that are known are not added again, and the rest can follow in any order" *
          takt_tests::traces("RTGPU-50")) {
  tally c{size};
  const auto units = all_units(c);
  count_all(c, {units.rbegin(), units.rbegin() + 5}, 1, count);
  CHECK(c.known_units() == 5);
  CHECK(c.knows(units.back()));
  CHECK_FALSE(c.knows(0));
  CHECK_FALSE(c.complete());
  count_all(c, units, 2, count);
  CHECK(c.complete());
  CHECK(c.counts(2, 1)[0] == 25);
}

TEST_CASE("nothing begins once a stop is asked for, and what a worker throws is thrown on" *
          takt_tests::traces("RTGPU-50")) {
  tally c{size};
  count_all(c, all_units(c), 2, count, true);
  CHECK(c.known_units() == 0);
  const auto fails = [](const unit& u, std::span<std::int64_t>) {
    if (u.first_set == 10) { throw std::runtime_error{"no set"}; }
  };
  CHECK_THROWS_AS(count_all(c, all_units(c), 3, fails), std::runtime_error);
  CHECK_FALSE(c.complete());
}

TEST_CASE("a set is told by its level and number, in whatever unit it is, and judged once" *
          takt_tests::traces("RTGPU-50")) {
  std::set<std::uint64_t> seen;
  tally c{{.series = 1, .levels = {500, 2000}, .sets = 25, .columns = 1, .sets_per_unit = 7}};
  const auto judge = set_by_set([&seen](const unit& u, std::int64_t i, std::span<std::int64_t> counts) {
    CHECK(seen.insert(u.number(i)).second);
    counts[0] += static_cast<std::int64_t>(u.whole_level());
  });
  count_all(c, all_units(c), 1, judge);
  CHECK(seen.size() == 50);
  CHECK(c.counts(0, 0)[0] == 0);
  CHECK(c.counts(0, 1)[0] == 50);
}

TEST_CASE("runs that give all levels of a configuration are done once, however many workers ask" *
          takt_tests::traces("RTGPU-50")) {
  tally c{size};
  std::atomic<int> runs{0};
  const auto shared = once_per_series(
      size.series,
      [&runs](std::size_t series) {
        ++runs;
        return static_cast<std::int64_t>(series);
      },
      [](std::int64_t found, const unit& u, std::span<std::int64_t> counts) { counts[0] = found * u.level; });
  count_all(c, all_units(c), 4, shared);
  CHECK(runs == 3);
  CHECK(c.counts(2, 1)[0] == 3 * 2 * 2000);
}
