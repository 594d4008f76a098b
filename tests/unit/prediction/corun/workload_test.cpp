// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <takt/prediction/corun/indicators.hpp>
#include <takt/prediction/corun/sample_recorder.hpp>
#include <takt/prediction/corun/training_samples.hpp>
#include <takt/prediction/corun/training_workloads.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;

constexpr std::size_t at(workload_indicator i) { return static_cast<std::size_t>(i); }
constexpr std::size_t at(raw_event e) { return static_cast<std::size_t>(e); }

}  // namespace

TEST_CASE("the load of the others, scaled by their shares, and the own share make twelve inputs" *
          takt_tests::traces("WAMP-10")) {
  static_assert(std::tuple_size_v<workload_input<>> == 12);
  std::array<workload_profile<>, 3> profiles{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < workload_indicators; ++i) { profiles[k][i] = static_cast<double>(100 * (k + 1) + i); }
  }
  const std::array<std::int32_t, 3> shares{20, 50, 30};
  const auto x = input_of<11>(profiles, shares, 1);
  for (std::size_t i = 0; i < workload_indicators; ++i) {
    const double expected = profiles[0][i] * 20 / 100 + profiles[2][i] * 30 / 100;
    CHECK(x[i] == doctest::Approx(expected).epsilon(1e-12));
  }
  CHECK(x[11] == 50);
  const std::array<std::int32_t, 3> alone{0, 100, 0};
  const auto y = input_of<11>(profiles, alone, 1);
  CHECK(std::all_of(y.begin(), y.end() - 1, [](double v) { return v == 0; }));
}

TEST_CASE("another number of indicators is another type" * takt_tests::traces("WAMP-10")) {
  const std::array<workload_profile<2>, 2> profiles{{{1, 2}, {30, 40}}};
  const std::array<std::int32_t, 2> shares{60, 10};
  CHECK(input_of<2>(profiles, shares, 0) == workload_input<2>{3, 4, 60});
}

TEST_CASE("counters of sub-partitions add up to one indicator, the others have one of their own" *
          takt_tests::traces("WAMP-11")) {
  std::array<std::uint64_t, raw_events> counts{};
  for (std::size_t e = 0; e < raw_events; ++e) { counts[e] = std::uint64_t{1} << e; }
  const auto profile = to_profile(counts, 4);
  const auto events = [](raw_event a, raw_event b) {
    return static_cast<double>((std::uint64_t{1} << at(a)) + (std::uint64_t{1} << at(b))) / 4;
  };
  using enum raw_event;
  CHECK(profile[at(workload_indicator::l2_reads)] ==
        events(l2_subp0_total_read_sector_queries, l2_subp1_total_read_sector_queries));
  CHECK(profile[at(workload_indicator::l2_writes)] ==
        events(l2_subp0_total_write_sector_queries, l2_subp1_total_write_sector_queries));
  CHECK(profile[at(workload_indicator::texture_loads)] == events(tex0_cache_sector_queries, tex1_cache_sector_queries));
  CHECK(profile[at(workload_indicator::instructions)] == 1.0 / 4);
  CHECK(profile[at(workload_indicator::shared_store_conflicts)] ==
        static_cast<double>(std::uint64_t{1} << at(shared_st_bank_conflict)) / 4);
  CHECK(std::accumulate(profile.begin(), profile.end(), 0.0) == static_cast<double>((1U << raw_events) - 1) / 4);
}

TEST_CASE("every event and indicator has a name of its own" * takt_tests::traces("WAMP-11")) {
  std::set<std::string_view> names;
  for (std::size_t e = 0; e < raw_events; ++e) { names.insert(name_of(static_cast<raw_event>(e))); }
  CHECK(names.size() == raw_events);
  names.clear();
  for (std::size_t i = 0; i < workload_indicators; ++i) { names.insert(name_of(static_cast<workload_indicator>(i))); }
  CHECK(names.size() == workload_indicators);
  CHECK(name_of(workload_indicator::l2_reads) == "l2_read");
}

TEST_CASE("a run under a constant load gives a sample, one under a changing load does not" *
          takt_tests::traces("WAMP-12")) {
  sample_recorder<int> recorder;
  const auto input_at = [&recorder](ticks now) { return recorder.finished(now).value_or(co_run_sample<int>{}).input; };
  REQUIRE(recorder.started(7, 100));
  const auto sample = recorder.finished(350).value_or(co_run_sample<int>{});
  CHECK(sample.input == 7);
  CHECK(sample.time == 250);

  REQUIRE(recorder.started(8, 400));
  recorder.load_changed();
  CHECK_FALSE(recorder.finished(500).has_value());
  CHECK(recorder.dropped() == 1);

  recorder.load_changed();
  REQUIRE(recorder.started(9, 600));
  CHECK(input_at(601) == 9);
}

TEST_CASE("events out of order are refused and do not spoil later samples" * takt_tests::traces("WAMP-12")) {
  sample_recorder<int> recorder;
  const auto input_at = [&recorder](ticks now) { return recorder.finished(now).value_or(co_run_sample<int>{}).input; };
  CHECK_FALSE(recorder.finished(10).has_value());
  CHECK(recorder.dropped() == 0);
  REQUIRE(recorder.started(1, 10));
  CHECK_FALSE(recorder.started(2, 11));
  CHECK(input_at(15) == 1);
  REQUIRE(recorder.started(3, 20));
  CHECK_FALSE(recorder.finished(19).has_value());
  REQUIRE(recorder.started(4, INT64_MIN));
  CHECK_FALSE(recorder.finished(INT64_MAX).has_value());
  REQUIRE(recorder.started(5, 30));
  recorder.aborted();
  CHECK(recorder.dropped() == 3);
  CHECK_FALSE(recorder.finished(40).has_value());
  REQUIRE(recorder.started(6, 50));
  CHECK(recorder.finished(60).value_or(co_run_sample<int>{}).time == 10);
}

TEST_CASE("every subset of the others is enumerated, each with valid and different vectors of shares" *
          takt_tests::traces("WAMP-13")) {
  constexpr std::size_t applications = 5;
  constexpr std::int64_t vectors = 6;
  for (std::size_t self = 0; self < applications; ++self) {
    const training_workloads<8> workloads{applications, self, vectors, 42};
    CHECK(workloads.size() == 16 * vectors);
    std::map<std::uint32_t, std::set<std::array<std::int32_t, 8>>> seen;
    for (std::int64_t i = 0; i < workloads.size(); ++i) {
      const auto shares = workloads[i];
      CHECK(shares == workloads[i]);
      std::uint32_t subset = 0;
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 8; ++k) {
        CHECK(shares[k] >= 0);
        if (shares[k] > 0 && k != self) { subset |= 1U << k; }
        sum += shares[k];
      }
      CHECK(shares[self] >= 1);
      CHECK(sum <= 100);
      CHECK(subset < (1U << applications));
      seen[subset].insert(shares);
    }
    CHECK(seen.size() == 16);
    for (const auto& [subset, different] : seen) { CHECK(different.size() == vectors); }
  }
}

TEST_CASE("own shares spread from 1 to what the others leave, and the others' vectors are even" *
          takt_tests::traces("WAMP-13")) {
  const training_workloads<3> workloads{3, 0, 100, 1};
  std::set<std::int32_t> alone;
  for (std::int64_t i = 0; i < 100; ++i) { alone.insert(workloads[i][0]); }
  CHECK(alone.size() == 100);
  // Two others with at least 1 each in a rest of 3: (1,1), (1,2), (2,1), equally likely; deviation 25 in 2000.
  std::map<std::array<std::int32_t, 3>, int> seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const training_workloads<3> drawn{3, 0, 98, seed};
    ++seen[drawn[3 * 98 + 96]];
  }
  CHECK(seen.size() == 3);
  for (const auto& [shares, times] : seen) {
    CHECK(shares[0] == 97);
    CHECK(std::abs(times - 667) < 100);
  }
}

TEST_CASE("the largest set of co-runners leaves each a share, and an only application runs alone" *
          takt_tests::traces("WAMP-13")) {
  const training_workloads<32> crowd{32, 31, 1, 3};
  const auto shares = crowd[crowd.size() - 1];
  CHECK(std::count_if(shares.begin(), shares.end(), [](std::int32_t s) { return s > 0; }) == 32);
  CHECK(std::accumulate(shares.begin(), shares.end(), 0) <= 100);
  const training_workloads<1> lonely{1, 0, 4, 3};
  CHECK(lonely.size() == 4);
  CHECK(lonely[3][0] > 75);
}

TEST_CASE("samples are the timed workloads in a drawn order, all of them if there are not enough" *
          takt_tests::traces("WAMP-13")) {
  const std::array<workload_profile<1>, 2> profiles{{{5}, {7}}};
  const training_workloads<2> workloads{2, 1, 10, 3};
  const auto time_of = [](const auto& shares) { return ticks{1000} * shares[1] + shares[0]; };
  const auto all = collect_samples<2, 1>(workloads, 1, profiles, 1000, 8, time_of);
  const auto some = collect_samples<2, 1>(workloads, 1, profiles, 7, 8, time_of);
  CHECK(all.size() == 20);
  REQUIRE(some.size() == 7);
  std::multiset<ticks> expected;
  std::multiset<ticks> found;
  for (std::int64_t i = 0; i < workloads.size(); ++i) { expected.insert(time_of(workloads[i])); }
  for (const auto& s : all) {
    found.insert(s.time);
    const ticks own = s.time / 1000;
    CHECK(s.input[1] == static_cast<double>(own));
    CHECK(s.input[0] == doctest::Approx(5.0 * static_cast<double>(s.time % 1000) / 100));
  }
  CHECK(found == expected);
  CHECK(some[6].time == all[6].time);
}
