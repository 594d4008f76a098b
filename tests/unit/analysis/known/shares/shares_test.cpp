// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/core/random.hpp>
#include <takt/model/platform.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/shares/analysis/necessary_shares.hpp>
#include <takt/systems/shares/analysis/preemptive_whole_gpu.hpp>

#include "support/traces.hpp"
#include "unit/rules/shares/share_host.hpp"
#include "vectors/exact_number.hpp"

namespace {

using namespace takt_tests;
using namespace takt::literals;
using takt::rational;
using takt::verdict_status;
using takt_vectors::exact;
namespace an = takt::analysis;

constexpr auto three_contending = [] {
  auto t = applications<3>({{{261, 1000, 1000, 10, 500}, {356, 1500, 1500, 9, 300}, {448, 2000, 2000, 6, 100}}});
  t.contention.set(0, 1, 60'000);
  t.contention.set(0, 2, 45'000);
  t.contention.set(1, 0, 60'000);
  t.contention.set(1, 2, 88'000);
  t.contention.set(2, 0, 45'000);
  t.contention.set(2, 1, 88'000);
  return t;
}();

constexpr auto by_shares = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));
constexpr auto as_runtime = takt::platform(takt::pool(takt::gpu_shares(), takt::shares(takt::wamp2s_text)));

}  // namespace

TEST_CASE("the sufficient test finds the least lasting shares of the worked examples" * takt_tests::traces("WAMP-51")) {
  constexpr auto test = an::sufficient_shares(three_contending, takt::contention_predictor(three_contending));
  CHECK(test.tasks[0].need == 16);
  CHECK(test.tasks[1].need == 20);
  CHECK(test.tasks[2].need == 23);
  CHECK(test.sum == 59);
  CHECK(test.sufficient);

  auto stale = applications<2>({{{100, 400, 400, 1}, {300, 600, 600, 100}}});
  stale.contention.set(0, 1, 1'000'000);
  const auto tight = an::sufficient_shares(stale, takt::contention_predictor(stale));
  CHECK(tight.tasks[0].need == 40);
  CHECK(tight.tasks[1].need == 50);

  const auto lone = applications<1>({{{100, 100, 100, 1}}});
  CHECK(an::sufficient_shares(lone, takt::contention_predictor(lone)).sufficient);
  const auto biased = an::sufficient_shares(lone, takt::contention_predictor<1>(lone, 10'000));
  CHECK(biased.tasks[0].need == takt::no_share_suffices);
  CHECK_FALSE(biased.sufficient);
  auto strict = takt::wamp2s_robust;
  strict.fit = takt::sum_test::below;
  CHECK_FALSE(an::sufficient_shares(lone, takt::contention_predictor(lone), strict).sufficient);
}

TEST_CASE("the necessary test compares share-time areas exactly, and lets utilisation exceed 1" *
          takt_tests::traces("WAMP-52")) {
  constexpr auto load = an::load_of(three_contending);
  CHECK(load.area == rational{300'289, 600'000});
  CHECK(load.utilization == rational{2167, 3000});
  CHECK(load.density == load.utilization);
  CHECK(an::necessary_shares(three_contending).area == an::area_result::fits);

  // Half of the work does not scale, so small shares are cheap: both fit though U = 3 / 2.
  const auto cheap = applications<2>({{{75, 100, 100, 1, 500}, {75, 100, 100, 2, 500}}});
  CHECK(an::load_of(cheap).utilization == rational{3, 2});
  CHECK_FALSE(an::necessary_shares(cheap).refuted());

  // Areas of exactly 1, and of a little more.
  const auto full = applications<2>({{{50, 100, 100, 1}, {50, 100, 100, 2}}});
  CHECK(an::load_of(full).area == rational{1});
  CHECK_FALSE(an::necessary_shares(full).refuted());
  auto over = full;
  over.tasks[0].alone = takt::wcet_row::scaling(51);
  CHECK(an::necessary_shares(over).area == an::area_result::exceeds);
  CHECK(an::necessary_shares(over).refuted());

  auto long_job = full;
  long_job.tasks[1].deadline = 49;
  CHECK(an::necessary_shares(long_job).too_long == 1);
}

TEST_CASE("areas that overflow fractions are compared all the same, and never wrongly" *
          takt_tests::traces("WAMP-52")) {
  takt::random_stream random{52};
  int overflowed = 0;
  int refuted = 0;
  for (int round = 0; round < 200; ++round) {
    std::array<app, 4> apps{};
    for (std::size_t i = 0; i < apps.size(); ++i) {
      const ticks wcet = random.between(1'000'000, ticks{1} << 40);
      const ticks period = 2 * wcet + wcet / 64 * random.between(0, 256);
      apps[i] = {wcet, period, period, static_cast<std::int32_t>(i)};
    }
    const auto table = applications<4>(apps);
    const bool exceeds = exact(1) < an::load_of<exact>(table).area;
    const auto answer = an::necessary_shares(table).area;
    if (answer != an::area_result::unknown) { CHECK((answer == an::area_result::exceeds) == exceeds); }
    CHECK(answer != an::area_result::unknown);
    overflowed += an::load_of(table).area.overflowed() ? 1 : 0;
    refuted += exceeds ? 1 : 0;
  }
  CHECK(overflowed > 150);
  CHECK(refuted > 20);
  CHECK(refuted < 180);
}

TEST_CASE("what the necessary test refutes misses under every preset" * takt_tests::traces("WAMP-52")) {
  takt::random_stream random{520};
  int refuted = 0;
  for (int round = 0; round < 200; ++round) {
    const ticks first = random.between(40, 90);
    const ticks second = random.between(20, 90);
    const auto table = applications<2>({{{first, 100, 100, 2}, {second, 100, 100, 1}}});
    if (!an::necessary_shares(table).refuted()) { continue; }
    ++refuted;
    std::vector<release_at> releases;
    for (ticks at = 0; at < 1000; at += 100) {
      releases.push_back({0, at});
      releases.push_back({1, at});
    }
    for (const auto& rules : {takt::wamp2s_literal, takt::wamp2s_text, takt::wamp2s_robust}) {
      CHECK(run_shares(table, releases, 1000, rules).misses() > 0);
    }
  }
  CHECK(refuted > 50);
}

TEST_CASE("response times with the whole GPU for one job at a time" * takt_tests::traces("WAMP-54")) {
  const auto table = applications<4>({{{10, 40, 40, 1}, {5, 20, 20, 9}, {12, 60, 14, 4}, {1, 1000, 1000, 3}}});
  const auto verdict = an::preemptive_whole_gpu(table);
  CHECK(verdict.status == verdict_status::not_proven);
  CHECK(verdict.tasks[1].bound.value == 5);
  CHECK_FALSE(verdict.tasks[2].bound.exists);
  CHECK(verdict.tasks[3].bound.value == 18);
  CHECK(verdict.tasks[0].bound.value == 33);
  CHECK(verdict.first_unproven() == 2);
  CHECK(an::preemptive_whole_gpu(takt::application_set<1>{}).status == verdict_status::invalid_model);
}

TEST_CASE("a platform of shares picks both tests" * takt_tests::traces("WAMP-51 WAMP-52")) {
  const auto verdict = takt::analysis::analyze_by<takt::published>(by_shares, three_contending);
  CHECK(verdict.schedulable());
  CHECK(verdict.plan.percents[0] + verdict.plan.percents[1] + verdict.plan.percents[2] == 59);
  CHECK(verdict.plan.percents[2] == 23);
  CHECK(verdict.first_unproven() == takt::no_index);

  const auto described = takt::analysis::analyze_by<takt::published>(as_runtime, three_contending);
  CHECK(described.status == verdict_status::not_proven);
  CHECK(described.first_unproven() == 0);

  auto crowded = applications<3>({{{30, 100, 100, 3}, {80, 100, 100, 2}, {1, 100, 100, 1}}});
  const auto refuted = takt::analysis::analyze_by<takt::published>(by_shares, crowded);
  CHECK(refuted.status == verdict_status::unschedulable);
  CHECK(refuted.tasks[0].meets);
  CHECK(refuted.first_unproven() == 1);
  CHECK_FALSE(refuted.tasks[2].evaluated);

  crowded.tasks[1].alone = takt::wcet_row::scaling(60, 900);
  crowded.contention.set(1, 0, 3'000'000);
  crowded.contention.set(1, 2, 500'000);
  CHECK(takt::analysis::analyze_by<takt::published>(by_shares, crowded).status == verdict_status::not_proven);

  crowded.tasks[1].priority = 3;
  const auto wrong = takt::analysis::analyze_by<takt::published>(by_shares, crowded);
  CHECK(wrong.status == verdict_status::invalid_model);
  CHECK(wrong.error == takt::model_error{.fault = takt::model_fault::duplicate_priority, .task = 1});
  crowded.tasks[1].priority = 2;
  crowded.tasks[1].period = crowded.tasks[1].deadline = std::numeric_limits<ticks>::max() / 2;
  CHECK(takt::analysis::analyze_by<takt::published>(by_shares, crowded).status == verdict_status::overflow);
}

TEST_CASE("applications need their memory at the same time" * takt_tests::traces("WAMP-01 WAMP-51")) {
  auto table = applications<2>({{{10, 100, 100, 2}, {10, 100, 100, 1}}});
  table.tasks[0].memory = takt::memory_units{3};
  table.tasks[1].memory = takt::memory_units{2};
  const auto with = [&](std::int32_t units) {
    return takt::analysis::analyze_by<takt::published>(
        takt::platform(takt::pool(takt::gpu_shares(takt::memory_units{units}), takt::shares())), table);
  };
  CHECK(with(5).schedulable());
  CHECK(with(4).error == takt::model_error{.fault = takt::model_fault::memory_exceeded, .task = 1});
  CHECK(with(0).error.fault == takt::model_fault::platform_size_out_of_range);
  CHECK(takt::analysis::analyze_by<takt::published>(by_shares, table).schedulable());
}

TEST_CASE("those above the first without proof keep theirs, whatever those below it do" *
          takt_tests::traces("WAMP-51")) {
  takt::random_stream random{510};
  int looked_at = 0;
  for (int round = 0; round < 150; ++round) {
    std::array<app, 3> apps{};
    for (std::size_t i = 0; i < apps.size(); ++i) {
      const ticks wcet = random.between(10, 60);
      const ticks period = wcet * random.between(2, 6);
      apps[i] = {wcet, period, period, static_cast<std::int32_t>(random.between(0, 9) * 3 + static_cast<ticks>(i))};
    }
    auto table = applications<3>(apps);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        table.contention.set(i, k, static_cast<std::uint32_t>(random.below(300'000)));
      }
    }
    const auto verdict = takt::analysis::analyze_by<takt::published>(by_shares, table);
    if (verdict.schedulable()) { continue; }
    std::vector<release_at> releases;
    for (std::size_t i = 0; i < 3; ++i) {
      for (ticks at = random.below(50); at < 3000;
           at += apps[i].period + (random.chance(1, 3) ? random.below(40) : 0)) {
        releases.push_back({i, at});
      }
    }
    std::sort(releases.begin(), releases.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    const auto run = run_shares(table, releases, 3000, takt::wamp2s_robust);
    for (const auto& j : run.jobs) {
      if (verdict.tasks[j.task].meets) {
        CHECK_FALSE(j.missed);
        ++looked_at;
      }
    }
  }
  CHECK(looked_at > 500);
}
