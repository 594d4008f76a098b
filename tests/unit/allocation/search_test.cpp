// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <takt/allocation/search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/shares.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt::literals;
using namespace takt_tests;
using takt::analysis::rtgpu;

namespace {

[[nodiscard]] auto shares(const takt::allocation<table::max_tasks>& a) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (const auto& s : a.shares) { out.push_back(s.sms); }
  return out;
}

template <class A>
[[nodiscard]] auto search(A a, takt::search_method method) {
  return takt::search_plan(a, method);
}

/// Every plan whose shares add up to at most the budget, in order, by counting; nothing is shared with the search.
template <class Judge>
void every_plan(const example& e, std::size_t k, std::int32_t left, std::vector<std::int32_t>& sms,
                const Judge& judge) {
  if (k == e.tasks.size()) { return judge(sms); }
  if (!e.tasks.has_kernel(k)) {
    sms[e.tasks.tasks[k].id] = 0;
    return every_plan(e, k + 1, left, sms, judge);
  }
  for (std::int32_t g = 1; g <= left; ++g) {
    sms[e.tasks.tasks[k].id] = g;
    every_plan(e, k + 1, left - g, sms, judge);
  }
}

struct brute_force {
  std::vector<std::vector<std::int32_t>> feasible;
  int plans = 0;

  explicit brute_force(const example& e) {
    std::vector<std::int32_t> sms(e.tasks.size());
    every_plan(e, 0, e.platform.gpus[0].budget(), sms, [&](const std::vector<std::int32_t>& s) {
      takt::plan<table::max_tasks> p;
      for (const auto g : s) { p.shares.unchecked_push_back({0, g}); }
      rtgpu a(e.tasks, e.platform);
      ++plans;
      if (takt::analysis::evaluate_all(a, p) == e.tasks.size()) { feasible.push_back(s); }
    });
  }
};

}  // namespace

TEST_CASE("the search finds the first feasible plan of the worked examples" * takt_tests::traces("RTGPU-20")) {
  using list = std::vector<std::int32_t>;
  const auto first = [](const example& e) { return shares(search(rtgpu(e.tasks, e.platform), takt::exact_search)); };
  CHECK(first(example_1()) == list{1, 1});
  CHECK(first(example_2()) == list{2, 1});
  CHECK(first(example_3()) == list{1, 1, 1});
  CHECK(first(example_4()) == list{1, 0, 1});
  CHECK(first(example_5()) == list{1, 1, 1});
  CHECK(brute_force(example_1()).feasible.size() == 5);
  CHECK(brute_force(example_2()).feasible.size() == 2);
  CHECK(brute_force(example_3()).feasible.size() == 20);
}

TEST_CASE("every search agrees with counting through all plans" * takt_tests::traces("RTGPU-20 RTGPU-21 RTGPU-22")) {
  std::mt19937 engine{17};
  int feasible = 0;
  int infeasible = 0;
  for (int round = 0; round < 300; ++round) {
    const example e = draw_example(engine);
    const brute_force all(e);
    const auto exhaustive = search(rtgpu(e.tasks, e.platform), takt::exhaustive_search);
    const auto exact = search(rtgpu(e.tasks, e.platform), takt::exact_search);
    const auto greedy = search(rtgpu(e.tasks, e.platform), takt::greedy_search);
    CAPTURE(round);
    REQUIRE(exhaustive.feasible == !all.feasible.empty());
    REQUIRE(exact.feasible == exhaustive.feasible);
    REQUIRE(greedy.feasible == exhaustive.feasible);
    REQUIRE(exact.effort.evaluations <= exhaustive.effort.evaluations);
    REQUIRE(exhaustive.effort.plans <= static_cast<std::uint64_t>(all.plans));
    const auto budget = static_cast<std::uint64_t>(e.platform.gpus[0].budget());
    REQUIRE(greedy.effort.evaluations <= e.tasks.size() * budget);
    REQUIRE(exact.effort.evaluations <= e.tasks.size() * budget);
    if (all.feasible.empty()) {
      ++infeasible;
      continue;
    }
    ++feasible;
    REQUIRE(shares(exhaustive) == all.feasible.front());
    REQUIRE(shares(exact) == all.feasible.front());
    REQUIRE(shares(greedy) == all.feasible.front());
    for (const auto& other : all.feasible) {
      for (std::size_t i = 0; i < other.size(); ++i) { REQUIRE(greedy.shares[i].sms <= other[i]); }
    }
  }
  CHECK(feasible > 50);
  CHECK(infeasible > 50);
}

TEST_CASE("greedy is exact for a monotone analysis only, and says so" * takt_tests::traces("RTGPU-21")) {
  const example e = example_2();
  CHECK(rtgpu(e.tasks, e.platform).monotone());
  CHECK_FALSE(rtgpu(e.tasks, e.platform, takt::analysis::rtgpu_sharper).monotone());
  CHECK_FALSE(takt::analysis::self_suspension(e.tasks, e.platform).monotone());
}

TEST_CASE("more SMs for a higher task can hurt a lower one (worked example E2)" * takt_tests::traces("RTGPU-20")) {
  const example e = example_2();
  const auto passes = [&e](std::int32_t low, std::int32_t high) {
    takt::plan<table::max_tasks> p;
    p.shares.unchecked_push_back({0, low});
    p.shares.unchecked_push_back({0, high});
    rtgpu a(e.tasks, e.platform);
    return takt::analysis::evaluate_all(a, p) == 2;
  };
  CHECK(passes(2, 1));
  CHECK_FALSE(passes(2, 2));
}

TEST_CASE("the pruned search visits no more than the exhaustive one, and a limit ends it honestly" *
          takt_tests::traces("RTGPU-22")) {
  const example e = example_3();
  rtgpu a(e.tasks, e.platform, takt::analysis::rtgpu_sharper);
  const auto limited = takt::search_plan(a, takt::exact_search, 2);
  CHECK_FALSE(limited.feasible);
  CHECK_FALSE(limited.effort.complete);
  CHECK(limited.effort.evaluations == 2);
  const auto whole = takt::search_plan(a, takt::exact_search);
  CHECK(whole.effort.complete);
}

TEST_CASE("several GPUs: a task's SMs lie on one of them" * takt_tests::traces("RTGPU-24")) {
  const auto heavy = [](std::string_view name) {
    return task_of{name, 100, 60, {{1, 1}, {1, 1}}, {}, {{{80, 80}, 0, 1, 1}}};
  };
  const std::vector<task_of> three{heavy("a"), heavy("b"), heavy("c")};
  const table t = table_of(three);
  takt::platform_record two = board(2, 1);
  two.gpus.unchecked_push_back({4, 1, 1, false});
  rtgpu a(t, two);
  const auto found = takt::search_plan(a, takt::exact_search);
  REQUIRE(found.feasible);
  std::int32_t used[2] = {0, 0};
  for (const auto& s : found.shares) {
    CHECK(s.sms == 2);
    used[s.gpu] += s.sms;
  }
  CHECK(used[0] == 2);
  CHECK(used[1] == 4);
  two.gpus[1].sms = 3;
  rtgpu b(t, two);
  CHECK_FALSE(takt::search_plan(b, takt::exact_search).feasible);
}

TEST_CASE("packing is exact where first fit fails, and shares are multiples of the granularity" *
          takt_tests::traces("RTGPU-24")) {
  // Two GPUs of four SMs: shares of 2, 3 and 2 fit as 2 + 2 and 3.
  const auto needs = [](std::string_view name, ticks deadline, ticks work) {
    return task_of{name, 200, deadline, {{1, 1}, {1, 1}}, {}, {{{work, work}, 0, 1, 1}}};
  };
  const table t = table_of({needs("a", 62, 120), needs("b", 66, 180), needs("c", 72, 120)});
  takt::platform_record p = board(4, 1);
  p.gpus.unchecked_push_back({4, 1, 1, false});
  rtgpu a(t, p);
  const auto found = takt::search_plan(a, takt::exact_search);
  REQUIRE(found.feasible);
  CHECK(found.shares[0].sms == 2);
  CHECK(found.shares[1].sms == 3);
  CHECK(found.shares[2].sms == 2);
  CHECK(found.shares[0].gpu == found.shares[2].gpu);
  takt::platform_record coarse = board(8, 1);
  coarse.gpus[0].granularity = 2;
  rtgpu b(t, coarse);
  const auto multiples = takt::search_plan(b, takt::exact_search);
  REQUIRE(multiples.feasible);
  for (const auto& s : multiples.shares) { CHECK(s.sms % 2 == 0); }
}

TEST_CASE("where kernels share all SMs there may be more tasks with kernels than SMs") {
  constexpr auto tasks = takt::task_set(
      takt::task("a", takt::period(100_ms), takt::cpu(1_ms), takt::kernel(takt::work(2_ms)), takt::cpu(1_ms)),
      takt::task("b", takt::period(200_ms), takt::cpu(1_ms), takt::kernel(takt::work(3_ms)), takt::cpu(1_ms)));
  constexpr auto locked = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                         takt::pool(takt::virtual_sms(1, 1), takt::serialized(takt::whole_gpu)));
  constexpr auto tokens = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                         takt::pool(takt::virtual_sms(1, 1), takt::locked(takt::k_fmlp_order, 1)));
  static_assert(takt::allocate_by<takt::published>(locked, tasks).feasible);
  static_assert(
      takt::analysis::analyze_by<takt::published>(tokens, tasks, takt::allocate_by<takt::published>(tokens, tasks))
          .schedulable());
  CHECK(takt::allocate_by<takt::published>(locked, tasks).feasible);
}
