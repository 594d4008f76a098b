// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <random>

#include <takt/allocation/search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include "support/traces.hpp"

namespace {

using takt::ticks;
using takt::analysis::rtgpu_best;
using takt::analysis::share_choice;
using takt::generation::rtgpu_options;

constexpr std::size_t tasks = 20;
using table = takt::task_table<ticks, tasks, tasks * 17>;
using analysis_of = takt::analysis::rtgpu<table>;

[[nodiscard]] auto drawn(const rtgpu_options& o, std::uint64_t index) -> table {
  table out;
  REQUIRE(takt::generation::generate(o, 1, index, out) == takt::model_fault::none);
  takt::prioritize(out);
  return out;
}

struct tally {
  int feasible = 0;
  int refuted = 0;
  int not_complete = 0;
  int exact_not_complete = 0;
};

/// What exact search decides in this many task analyses.
constexpr std::uint64_t exact_evaluations = 4'000;

void compare_with_exact(const rtgpu_options& o, std::uint64_t index, tally& count) {
  CAPTURE(o.utilization_permille);
  CAPTURE(index);
  const table t = drawn(o, index);
  const auto platform = takt::generation::platform_of(o);
  const auto a = std::make_unique<analysis_of>(t, platform, rtgpu_best);
  const auto found = takt::search_plan(*a, takt::default_search, takt::default_evaluations);
  REQUIRE(found.effort.evaluations <= takt::default_evaluations);
  REQUIRE((found.effort.complete || found.effort.evaluations == takt::default_evaluations));
  if (found.feasible) {
    const auto untouched = std::make_unique<analysis_of>(t, platform, rtgpu_best);
    REQUIRE(takt::analysis::evaluate_all(*untouched, found) == tasks);
  }
  const auto exact = takt::search_plan(*a, takt::exact_search, exact_evaluations);
  if (exact.effort.complete && found.effort.complete) { REQUIRE(found.feasible == exact.feasible); }
  count.exact_not_complete += exact.effort.complete ? 0 : 1;
  ++(found.feasible ? count.feasible : found.effort.complete ? count.refuted : count.not_complete);
}

}  // namespace

TEST_CASE("the default search decides nearly every set of twenty tasks, and never against exact search" *
          takt_tests::traces("RTGPU-20")) {
  tally count;
  for (const std::int32_t level : {800, 900, 1000, 1100, 1200, 1300, 1400}) {
    rtgpu_options o{.tasks = static_cast<std::int32_t>(tasks), .subtasks = 2, .utilization_permille = level, .sms = 64};
    for (std::uint64_t i = 0; i < 29; ++i) { compare_with_exact(o, i, count); }
    o.sms = 132;
    o.lower_percent = 50;
    for (std::uint64_t i = 0; i < 5; ++i) { compare_with_exact(o, i, count); }
    o.subtasks = 5;
    for (std::uint64_t i = 0; i < 2; ++i) { compare_with_exact(o, i, count); }
  }
  CHECK(count.feasible > 100);
  CHECK(count.refuted > 90);
  CHECK(count.not_complete <= 2);
  CHECK(count.exact_not_complete > 90);
}

TEST_CASE("a relaxed bound is never above the bound under a plan that it stands for, with twenty tasks") {
  std::mt19937 engine{3};
  const auto between = [&engine](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(engine() % static_cast<std::uint32_t>(high - low + 1));
  };
  int compared = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    CAPTURE(i);
    const rtgpu_options o{.tasks = static_cast<std::int32_t>(tasks),
                          .subtasks = i % 2 == 0 ? 2 : 5,
                          .utilization_permille = 900,
                          .sms = 64,
                          .lower_percent = between(0, 100)};
    const table t = drawn(o, i);
    const auto exact = std::make_unique<analysis_of>(t, takt::generation::platform_of(o), rtgpu_best);
    const auto relaxed = std::make_unique<decltype(exact->relaxation())>(exact->relaxation());
    for (std::size_t k = 0; k < tasks; ++k) {
      const std::int32_t sms = between(1, 1 + between(0, 20));
      exact->assign(k, {0, sms});
      relaxed->assign(k, {share_choice::bit(0), between(1, sms), between(sms, 64)});
    }
    for (std::size_t k = 0; k < tasks && exact->evaluate(k); ++k) {
      REQUIRE(relaxed->evaluate(k));
      REQUIRE(relaxed->bound(k).value <= exact->bound(k).value);
      ++compared;
    }
  }
  CHECK(compared > 500);
}
