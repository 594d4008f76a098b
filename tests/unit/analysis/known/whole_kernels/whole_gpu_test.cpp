// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/best_levels.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>

#include "support/accelerator_examples.hpp"
#include "support/traces.hpp"

using namespace takt::analysis;
using namespace takt_examples;
using enum takt::preemption_cost_model;

namespace {

constexpr kernels four = set_of({{2, 10, 12, 1}, {3, 20, 30, 1}, {5, 36, 40, 2}, {6, 60, 60, 1}});

auto bounds_of(const takt::verdict<ticks, 8>& v) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& t : v.tasks) { out.push_back(t.bound.exists ? t.bound.value : -1); }
  return out;
}

void least_slack(const edf_verdict<ticks>& v, ticks at, ticks slack) {
  CHECK(v.schedulable());
  CHECK(v.at == at);
  CHECK(v.slack == slack);
}
void fails(const edf_verdict<ticks>& v, ticks at, ticks slack) {
  CHECK(v.reason == edf_reason::demand_exceeds_supply);
  CHECK(v.at == at);
  CHECK(v.slack == slack);
}

}  // namespace

TEST_CASE("EDF on a single stream, one by one and in batches" * takt_tests::traces("AP-12")) {
  least_slack(takt::analysis::detail::single_stream_edf(four), 10, 2);
  least_slack(takt::analysis::detail::single_stream_edf(four, activation_timing::batched), 10, 3);
  CHECK(takt::analysis::detail::single_stream_edf<edf_report::verdict_only>(four).schedulable());
  // A blocker one unit too long, and a set that only batched activation saves.
  fails(takt::analysis::detail::single_stream_edf(set_of({{2, 4, 10}, {3, 20, 20}})), 4, -1);
  least_slack(takt::analysis::detail::single_stream_edf(set_of({{2, 4, 10}, {3, 20, 20}}), activation_timing::batched),
              4, 0);
  CHECK(takt::analysis::detail::single_stream_edf(set_of({{3, 4, 4}, {3, 8, 8}})).reason ==
        edf_reason::load_exceeds_supply);
  CHECK(takt::analysis::detail::single_stream_edf(kernels{}).schedulable());
}

TEST_CASE("EDF on nested levels: least slack of the example in all cost models") {
  const ticks expected[4][3]{{2, 2, 2}, {2, 0, 0}, {3, 1, 1}, {6, 6, 4}};
  for (std::int32_t levels = 1; levels <= 4; ++levels) {
    least_slack(level_stack_edf(four, levels, ideal), 10, expected[levels - 1][0]);
    least_slack(level_stack_edf(four, levels, race), 10, expected[levels - 1][1]);
    least_slack(level_stack_edf(four, levels, overhead), 10, expected[levels - 1][2]);
  }
}

TEST_CASE("one level is the single stream") {
  for (const auto model : {ideal, race, overhead}) {
    const auto stack = level_stack_edf(four, 1, model);
    const auto stream = takt::analysis::detail::single_stream_edf(four);
    CHECK(stack.at == stream.at);
    CHECK(stack.slack == stream.slack);
  }
}

TEST_CASE("the printed Lemma 1 accepts sets whose jobs are late, the corrected one does not") {
  SUBCASE("the two last blockers are forgotten") {
    const kernels s = set_of({{1, 3, 10}, {4, 8, 20}, {6, 40, 40}});
    CHECK(as_published::level_stack_edf(s, 2).schedulable());
    for (const auto model : {ideal, race, overhead}) { fails(level_stack_edf(s, 2, model), 3, -2); }
  }
  SUBCASE("a charge per prefix misses a preemption inside it") {
    const kernels s = set_of({{1, 2, 12, 0}, {5, 6, 6, 1}});
    CHECK(as_published::level_stack_edf(s, 3).schedulable());
    CHECK(!level_stack_edf(s, 3, overhead).schedulable());
  }
  SUBCASE("where it refuses it says why") {
    CHECK(as_published::level_stack_edf(set_of({{6, 8, 8}, {5, 10, 10}}), 2).reason == edf_reason::load_exceeds_supply);
    CHECK(as_published::level_stack_edf(set_of({{3, 8, 8}, {5, 10, 10}}), 2).schedulable());
  }
  SUBCASE("the blocker itself waits for a wave") {
    const kernels s = set_of({{2, 12, 20, 1}, {2, 6, 8, 2}, {4, 19, 20, 2}});
    fails(level_stack_edf(s, 2, race), 6, -2);
  }
}

TEST_CASE("exact responses on a single stream look at every job of the busy period" * takt_tests::traces("AP-X01")) {
  CHECK(bounds_of(single_stream_fixed_priority(four, rank(four))) == std::vector<ticks>{8, 11, 16, 16});
  CHECK(single_stream_fixed_priority(four, rank(four)).schedulable());
  // Davis et al. 2007: the second job of the lowest task is its worst.
  const kernels can = set_of({{10, 25, 25}, {10, 33, 35}, {10, 33, 35}});
  const auto verdict = single_stream_fixed_priority(can, rank_as_given<8>(3));
  CHECK(bounds_of(verdict) == std::vector<ticks>{20, 30, 35});
  CHECK(verdict.status == takt::verdict_status::not_proven);
  CHECK(verdict.tasks[1].meets);
  CHECK(!verdict.tasks[2].meets);
  const kernels overloaded = set_of({{3, 4, 4}, {3, 8, 8}, {1, 9, 9}});
  CHECK(bounds_of(single_stream_fixed_priority(overloaded, rank(overloaded))) == std::vector<ticks>{6, -1, -1});
}

TEST_CASE("response bounds on nested levels under fixed priorities" * takt_tests::traces("AP-X02")) {
  const auto bounds = [](std::int32_t levels, takt::preemption_cost_model model) {
    return bounds_of(level_stack_fixed_priority(four, rank(four), levels, model));
  };
  using list = std::vector<ticks>;
  CHECK(bounds(1, ideal) == list{8, 11, 18, 18});
  CHECK(bounds(2, ideal) == list{8, 11, 11, 18});
  CHECK(bounds(2, race) == list{10, 19, 19, 29});
  CHECK(bounds(2, overhead) == list{10, 19, 19, 29});
  CHECK(bounds(3, ideal) == list{7, 7, 11, 18});
  CHECK(bounds(3, race) == list{9, 9, 19, 29});
  CHECK(bounds(3, overhead) == list{9, 10, 19, 29});
  CHECK(bounds(4, ideal) == list{4, 7, 11, 18});
  CHECK(bounds(4, race) == list{4, 9, 19, 29});
  CHECK(bounds(4, overhead) == list{6, 10, 19, 29});
}

TEST_CASE("ranks follow deadlines, periods, given priorities or the given order") {
  kernels s = set_of({{1, 9, 9}, {1, 4, 12}, {1, 4, 8}});
  using order = std::vector<std::size_t>;
  const auto ranks = [](const auto& r) { return order(r.begin(), r.end()); };
  CHECK(ranks(rank(s)) == order{1, 2, 0});
  CHECK(ranks(rank(s, takt::by_period{})) == order{2, 0, 1});
  CHECK(ranks(rank_as_given<8>(3)) == order{0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) { s.tasks[i].priority = static_cast<std::int32_t>(7 - i); }
  CHECK(ranks(rank(s)) == order{2, 1, 0});
}

TEST_CASE("more levels are not always better, and best_levels finds the best") {
  // With one level no wave is lost; with two, each job of t1 is charged one.
  const kernels waves = set_of({{2, 6, 6, 0}, {3, 24, 24, 3}, {3, 24, 24, 3}});
  CHECK(level_stack_edf(waves, 1, overhead).schedulable());
  CHECK(!level_stack_edf(waves, 2, overhead).schedulable());
  const auto one = best_levels(waves, {.cores = 1, .preemption_levels = 4}, overhead);
  CHECK(one.levels == 1);
  CHECK(one.verdict.schedulable());
  const auto all = best_levels(four, {.cores = 1, .preemption_levels = 4}, ideal);
  CHECK(all.levels == 4);
  CHECK(all.verdict.slack == 6);
  const auto none = best_levels(set_of({{3, 4, 4}, {3, 8, 8}}), {.cores = 1, .preemption_levels = 2});
  CHECK(none.levels == 0);
  CHECK(none.verdict.reason == edf_reason::load_exceeds_supply);
}

TEST_CASE("gang jobs one after the other: the whole example needs more than one processor") {
  CHECK(takt::analysis::detail::gang_serial_edf(table_1).reason == edf_reason::load_exceeds_supply);
  CHECK(takt::analysis::detail::gang_serial_edf(set_of({{3, 10, 10, 0, 0}, {4, 12, 12, 0, gang}, {1, 10, 10, 0, 1}}))
            .schedulable());
}
