// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <takt/allocation/policies/judge_board.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/shares.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/takt.hpp>

#include "support/small_systems.hpp"

using namespace takt::literals;
using namespace takt_tests;
using takt::analysis::rtgpu;

namespace {

using plan_type = takt::plan<table::max_tasks>;

/// Largest bound by deadline, in billionths; -1 where some task does not pass.
[[nodiscard]] auto tightest(const example& e, const plan_type& p) -> std::int64_t {
  rtgpu a(e.tasks, e.platform);
  if (takt::analysis::evaluate_all(a, p) < e.tasks.size()) { return -1; }
  std::int64_t out = 0;
  for (std::size_t k = 0; k < e.tasks.size(); ++k) {
    out = std::max(out, a.bound(k).value * 1'000'000'000 / e.tasks.tasks[k].deadline);
  }
  return out;
}

/// Of all plans within the budget; -1 where none passes.
void every_plan(const example& e, std::size_t k, std::int32_t left, plan_type& p, std::int64_t& best) {
  if (k == e.tasks.size()) {
    const std::int64_t here = tightest(e, p);
    if (here >= 0 && (best < 0 || here < best)) { best = here; }
    return;
  }
  const auto id = e.tasks.tasks[k].id;
  p.shares[id] = {};
  if (!e.tasks.has_kernel(k)) { return every_plan(e, k + 1, left, p, best); }
  for (std::int32_t sms = 1; sms <= left; ++sms) {
    p.shares[id] = {0, sms};
    every_plan(e, k + 1, left - sms, p, best);
  }
}

[[nodiscard]] auto handed_out(const plan_type& p) -> std::int32_t {
  std::int32_t out = 0;
  for (const auto& s : p.shares) { out += s.sms; }
  return out;
}

}  // namespace

TEST_CASE(
    "spreading finds a proof where the default search does, and nearly always the largest least slack of all plans") {
  std::mt19937 engine{29};
  int proven = 0;
  int best_of_all = 0;
  int wider = 0;
  for (int round = 0; round < 300; ++round) {
    const example e = draw_example(engine);
    rtgpu first(e.tasks, e.platform);
    rtgpu second(e.tasks, e.platform);
    const auto cheap = takt::search_plan(first, takt::default_search);
    const auto spread = takt::search_plan(second, takt::spread_search);
    CAPTURE(round);
    REQUIRE(spread.feasible == cheap.feasible);
    if (!spread.feasible) { continue; }
    ++proven;
    REQUIRE(handed_out(spread) <= e.platform.gpus[0].budget());
    const std::int64_t before = tightest(e, cheap);
    const std::int64_t after = tightest(e, spread);
    REQUIRE(after >= 0);
    REQUIRE(after <= before);
    wider += after < before ? 1 : 0;
    plan_type p;
    p.shares.resize(e.tasks.size());
    std::int64_t best = -1;
    every_plan(e, 0, e.platform.gpus[0].budget(), p, best);
    REQUIRE(best >= 0);
    best_of_all += after == best ? 1 : 0;
  }
  CHECK(proven > 50);
  CHECK(wider > proven / 4);
  CHECK(best_of_all * 100 >= proven * 98);
}

TEST_CASE("spreading uses what the cheapest plan leaves, at compile time too") {
  static constexpr auto tasks =
      takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms),
                                takt::kernel(takt::work(40_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("lidar", takt::period(50_ms), takt::cpu(2_ms),
                                takt::kernel(takt::work(90_ms), takt::interleave(1)), takt::cpu(1_ms)));
  static constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                               takt::pool(takt::virtual_sms(8, 2), takt::federated));
  constexpr auto cheap = takt::allocate_by<takt::published>(board, tasks);
  constexpr auto spread = takt::allocate_by<takt::published>(board, tasks, takt::spread_search);
  constexpr auto before = takt::analysis::analyze_by<takt::published>(board, tasks, cheap);
  constexpr auto after = takt::analysis::analyze_by<takt::published>(board, tasks, spread);
  static_assert(before.schedulable() && after.schedulable());
  CHECK(cheap.shares[0].sms + cheap.shares[1].sms < 8);
  CHECK(spread.shares[0].sms + spread.shares[1].sms == 8);
  CHECK(takt::slack_permille(before) < takt::slack_permille(after));
}

TEST_CASE("spreading leaves chains without kernels as they are") {
  const auto tasks = takt::task_set(takt::task("a", takt::period(5_ms), takt::cpu(1_ms)));
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                    takt::pool(takt::virtual_sms(8, 2), takt::federated));
  const auto found = takt::allocate_by<takt::published>(board, tasks, takt::spread_search);
  CHECK(found.feasible);
  CHECK(found.shares[0].sms == 0);
}
