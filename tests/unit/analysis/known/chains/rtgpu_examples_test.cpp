// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <takt/analysis/judge.hpp>
#include <takt/model/task_set.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;
using takt::analysis::rtgpu;

namespace {

template <class A>
[[nodiscard]] auto responses(const A& a, std::size_t k, takt::stage where) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (std::size_t j = 0; j < a.table().tasks[k].segment_count; ++j) {
    if (a.table().segment(k, j).where == where) { out.push_back(a.segment_response(k, j).value); }
  }
  return out;
}

/// Evaluates a whole example under a plan given in the order of the tasks; all tasks must pass.
template <class A>
void evaluate(A& a, const std::vector<std::int32_t>& sms) {
  takt::plan<table::max_tasks> p;
  for (const auto g : sms) { p.shares.unchecked_push_back({0, g}); }
  REQUIRE(takt::analysis::evaluate_all(a, p) == a.table().size());
}

using list = std::vector<ticks>;

}  // namespace

TEST_CASE("two tasks with two copies per kernel (worked example E1)" * takt_tests::traces("RTGPU-18")) {
  const example e = example_1();
  rtgpu a(e.tasks, e.platform);
  evaluate(a, {1, 1});
  CHECK(a.blocking(0) == 4);
  CHECK(responses(a, 0, takt::stage::kernel) == list{24});
  CHECK(responses(a, 0, takt::stage::copy) == list{6, 6});
  CHECK(responses(a, 0, takt::stage::cpu) == list{3, 4});
  CHECK(a.bounds(0).segmentwise.value == 43);
  CHECK(a.bounds(0).cpu_joint.value == 43);
  CHECK(responses(a, 1, takt::stage::copy) == list{5, 5, 4, 6});
  CHECK(responses(a, 1, takt::stage::cpu) == list{9, 8, 6});
  CHECK(a.bounds(1).segmentwise.value == 100);
  CHECK_FALSE(a.bounds(1).cpu_joint.exists());
  CHECK(a.bound(1).value == 100);
}

TEST_CASE("a copy waits for one lower copy and for higher ones (worked examples)" * takt_tests::traces("RTGPU-15")) {
  SUBCASE("blocked by the longest lower copy, 0 for the lowest task") {
    const example e = example_1();
    const rtgpu a(e.tasks, e.platform);
    CHECK(a.blocking(0) == 4);
    CHECK(a.blocking(1) == 0);
  }
  SUBCASE("a least fixed point that contains the blocking") {
    const example e = example_2();
    rtgpu a(e.tasks, e.platform);
    evaluate(a, {2, 1});
    CHECK(responses(a, 0, takt::stage::copy) == list{8, 10});
    CHECK(responses(a, 1, takt::stage::copy) == list{12, 11});
  }
}

TEST_CASE("the copy engine sees a chain of copies with gaps, and lower copies block" * takt_tests::traces("RTGPU-13")) {
  const example e = example_3();
  rtgpu a(e.tasks, e.platform);
  evaluate(a, {1, 1, 1});
  CHECK(a.blocking(0) == 6);
  CHECK(a.blocking(1) == 6);
  CHECK(responses(a, 0, takt::stage::copy) == list{10, 9});
  CHECK(responses(a, 1, takt::stage::copy) == list{15});
  CHECK(responses(a, 2, takt::stage::copy) == list{15, 15});
}

TEST_CASE("a CPU segment is preempted by higher tasks and never blocked" * takt_tests::traces("RTGPU-17")) {
  const example e = example_3();
  rtgpu a(e.tasks, e.platform);
  evaluate(a, {1, 1, 1});
  CHECK(responses(a, 0, takt::stage::cpu) == list{4, 3, 2});
  CHECK(responses(a, 1, takt::stage::cpu) == list{10, 10});
  CHECK(responses(a, 2, takt::stage::cpu) == list{27, 26, 28});
}

TEST_CASE("one copy per kernel (worked example E3)" * takt_tests::traces("RTGPU-2")) {
  const example e = example_3();
  rtgpu a(e.tasks, e.platform);
  evaluate(a, {1, 1, 1});
  CHECK(a.bound(0).value == 69);
  CHECK(a.bounds(1).segmentwise.value == 95);
  CHECK(a.bounds(1).cpu_joint.value == 105);
  CHECK(a.bound(2).value == 225);
}

TEST_CASE("copies of length zero neither ask for the engine nor block (worked examples E4, E5)" *
          takt_tests::traces("RTGPU-3")) {
  SUBCASE("no copies at all, with a task that has no kernel") {
    const example e = example_4();
    rtgpu a(e.tasks, e.platform);
    evaluate(a, {1, 0, 1});
    CHECK(a.blocking(0) == 0);
    CHECK(responses(a, 1, takt::stage::cpu) == list{15});
  }
  SUBCASE("a copy of length zero among others") {
    const example e = example_5();
    rtgpu a(e.tasks, e.platform);
    evaluate(a, {1, 1, 1});
    CHECK(responses(a, 1, takt::stage::copy) == list{8, 0});
    CHECK(responses(a, 2, takt::stage::copy) == list{8, 7});
    CHECK(a.bound(1).value == 62);
  }
}

TEST_CASE("shares count whole SMs when isolated and virtual SMs when shared" * takt_tests::traces("RTGPU-12")) {
  const example isolated = example_1();
  CHECK(isolated.platform.gpus[0].budget() == 4);
  CHECK(isolated.platform.gpus[0].virtual_sms(1) == 2);
  const example shared = example_5();
  CHECK(shared.platform.gpus[0].budget() == 4);
  CHECK(shared.platform.gpus[0].virtual_sms(1) == 1);
  rtgpu a(shared.tasks, shared.platform);
  evaluate(a, {1, 1, 1});
  CHECK(responses(a, 2, takt::stage::kernel) == list{75});

  const takt::kernel_segment<takt::divisible_work> k =
      takt::kernel(takt::work(takt::duration{10}), {}, takt::self_interleave(3, 2));
  table t;
  t.add_task("a", 100, 100);
  t.add_segment({.where = takt::stage::cpu, .time = {1, 1}});
  takt::detail::append(t, k);
  t.add_segment({.where = takt::stage::cpu, .time = {1, 1}});
  CHECK(rtgpu<table>::fits(t, board(1, 2)).fault == takt::model_fault::none);
  CHECK(rtgpu<table>::fits(t, board(1, 2, true)).fault == takt::model_fault::interleave_among_own_blocks_only);
}

TEST_CASE("the sharper analysis on the worked examples E1, E2, E3, E5" * takt_tests::traces("RTGPU-48")) {
  const auto sharper = [](const example& e, const std::vector<std::int32_t>& plan, const list& bounds) {
    rtgpu a(e.tasks, e.platform, takt::analysis::rtgpu_sharper);
    evaluate(a, plan);
    for (std::size_t k = 0; k < bounds.size(); ++k) { CHECK(a.bound(k).value == bounds[k]); }
    return a;
  };
  const auto e1 = example_1();
  const auto a1 = sharper(e1, {1, 1}, {41, 100});
  CHECK(responses(a1, 0, takt::stage::copy) == list{5, 5});
  const auto e2 = example_2();
  const auto a2 = sharper(e2, {2, 1}, {28, 47});
  CHECK(a2.bounds(1).segmentwise.value == 47);
  CHECK(a2.bounds(1).cpu_joint.value == 48);
  CHECK(a2.bounds(1).all_joint.value == 58);
  CHECK(a2.bounds(1).copy_joint.value == 55);
  const auto e3 = example_3();
  (void)sharper(e3, {1, 1, 1}, {67, 94, 201});
  const auto e5 = example_5();
  (void)sharper(e5, {1, 1, 1}, {43, 61, 109});
}
