// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <vector>

#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;

namespace {

[[nodiscard]] constexpr auto one_core(std::int32_t sms, std::int32_t virtual_per_sm = 2, std::int32_t cores = 1,
                                      std::int32_t engines = 1) {
  return takt::platform(takt::pool(takt::processors(cores), takt::fixed_priority),
                        takt::pool(takt::copy_engines(engines), takt::nonpreemptive(takt::fixed_priority)),
                        takt::pool(takt::virtual_sms(sms, virtual_per_sm), takt::federated));
}

template <class Platform, class... Variant>
[[nodiscard]] auto analyze_with(const Platform& p, const table& t, const std::vector<std::int32_t>& sms,
                                const Variant&... variant) {
  takt::plan<table::max_tasks> plan;
  for (const auto g : sms) { plan.shares.unchecked_push_back({0, g}); }
  return takt::analysis::analyze_by<takt::published>(p, t, plan, variant...);
}

}  // namespace

TEST_CASE("a set is schedulable when each bound is within its deadline, judged in priority order" *
          takt_tests::traces("RTGPU-19")) {
  const example e = example_1();
  const auto good = analyze_with(one_core(4), e.tasks, {1, 1}, takt::analysis::rtgpu_published);
  CHECK(good.schedulable());
  CHECK(good.tasks[0].name == "A");
  CHECK(good.tasks[0].bound.value == 43);
  CHECK(good.tasks[1].bound.value == 100);
  CHECK(good.tasks[1].deadline == 100);

  const example anomaly = example_2();
  const auto bad = analyze_with(one_core(4), anomaly.tasks, {2, 2}, takt::analysis::rtgpu_published);
  CHECK(bad.status == takt::verdict_status::not_proven);
  CHECK(bad.first_unproven() == 0);
  CHECK(bad.tasks[1].meets);
  CHECK(bad.tasks[0].bound.value == 62);

  const auto cut = analyze_with(
      one_core(4), table_of({{"high", 10, 3, {{4, 4}}, {}, {}}, {"low", 90, 90, {{1, 1}}, {}, {}}}), {0, 0});
  CHECK(cut.status == takt::verdict_status::unschedulable);
  CHECK_FALSE(cut.tasks[1].evaluated);
}

TEST_CASE("the edge, response equal to deadline, is schedulable" * takt_tests::traces("RTGPU-19")) {
  const auto at_edge = [](ticks deadline) {
    return analyze_with(one_core(1), table_of({{"a", 10, 3, {{2, 2}}, {}, {}}, {"b", 20, deadline, {{3, 3}}, {}, {}}}),
                        {0, 0})
        .status;
  };
  CHECK(at_edge(5) == takt::verdict_status::schedulable);
  CHECK(at_edge(4) == takt::verdict_status::unschedulable);
}

TEST_CASE("times that leave 64 bits are an overflow, never a verdict") {
  constexpr ticks huge = std::numeric_limits<ticks>::max();
  const auto status = [](const task_of& t) {
    return analyze_with(one_core(1), table_of({t}), {t.kernels.empty() ? 0 : 1}).status;
  };
  CHECK(status({"a", huge, huge, {{1, 1}}, {}, {}}) == takt::verdict_status::overflow);
  CHECK(status({"a", huge / 64, huge / 64, {{1, 1}}, {}, {}}) == takt::verdict_status::schedulable);
  CHECK(status({"a", 1000, 1000, {{0, huge}}, {}, {}}) == takt::verdict_status::overflow);
  CHECK(status({"a", 1000, 1000, {{1, 1}, {1, 1}}, {}, {{{0, huge / 2}, 0, 9, 5}}}) == takt::verdict_status::overflow);
}

TEST_CASE("plans that do not fit the platform are an invalid model") {
  const example e = example_1();
  CHECK(analyze_with(one_core(4), e.tasks, {4, 1}).error.fault == takt::model_fault::plan_does_not_fit);
  CHECK(analyze_with(one_core(4), e.tasks, {0, 1}).error.fault == takt::model_fault::plan_does_not_fit);
  CHECK(analyze_with(one_core(4), e.tasks, {1}).error.fault == takt::model_fault::plan_does_not_fit);
  CHECK(analyze_with(one_core(4), e.tasks, {1, 1}).error.fault == takt::model_fault::none);
}

TEST_CASE("wrong models are invalid for every composition, before anything is computed from them") {
  const task_of broken{"a", 100, 100, {{1, 1}, {1, 1}}, {}, {{{5, 5}, 0, 1, 0}}};
  const auto cpu = takt::pool(takt::processors(1), takt::fixed_priority);
  const auto fault = [&broken](const auto& p) { return analyze_with(p, table_of({broken}), {1}).error.fault; };
  const auto sms = takt::virtual_sms(2, 2);
  CHECK(fault(takt::platform(cpu, takt::pool(sms, takt::federated))) == takt::model_fault::interleave_below_one);
  CHECK(fault(takt::platform(cpu, takt::pool(sms, takt::serialized(takt::federated)))) ==
        takt::model_fault::interleave_below_one);
  CHECK(fault(takt::platform(cpu, takt::pool(sms, takt::serialized(takt::whole_gpu)))) ==
        takt::model_fault::interleave_below_one);
  CHECK(fault(takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(takt::fixed_priority)),
                             takt::pool(sms, takt::federated))) == takt::model_fault::interleave_below_one);
  CHECK(fault(takt::platform(cpu)) != takt::model_fault::none);
}

TEST_CASE("pinned tasks meet interference from their own core and from all on the shared engine" *
          takt_tests::traces("RTGPU-51")) {
  const auto on_cores = [](std::int32_t low_core) {
    return table_of({{"high", 20, 20, {{4, 4}, {1, 1}}, {{2, 2}}, {{{6, 6}, 0, 1, 1}}, 0},
                     {"low", 60, 60, {{5, 5}, {1, 1}}, {{3, 3}}, {{{6, 6}, 0, 1, 1}}, low_core}});
  };
  const auto same = analyze_with(one_core(2, 1, 2), on_cores(0), {1, 1}, takt::analysis::rtgpu_published);
  const auto apart = analyze_with(one_core(2, 1, 2), on_cores(1), {1, 1}, takt::analysis::rtgpu_published);
  REQUIRE(same.schedulable());
  REQUIRE(apart.schedulable());
  CHECK(apart.tasks[1].bound.value < same.tasks[1].bound.value);
  // Alone on its core, but its copy still waits for the higher one: 5 + (3 + 2) + 6 + 1.
  CHECK(apart.tasks[1].bound.value == 17);
  CHECK(analyze_with(one_core(2, 1, 1), on_cores(1), {1, 1}).error.fault == takt::model_fault::core_out_of_range);
}

TEST_CASE("with an engine per direction, copies meet only copies of their own direction" *
          takt_tests::traces("RTGPU-51")) {
  const table t = table_of({{"high", 40, 40, {{1, 1}, {1, 1}}, {{5, 5}, {2, 2}}, {{{6, 6}, 0, 1, 1}}},
                            {"low", 90, 90, {{1, 1}, {1, 1}}, {{3, 3}, {4, 4}}, {{{6, 6}, 0, 1, 1}}}});
  takt::analysis::rtgpu one(t, board(2, 1));
  takt::analysis::rtgpu two(t, board(2, 1, false, 1, 2));
  for (auto* a : {&one, &two}) {
    for (const std::size_t k : {0U, 1U}) {
      a->assign(k, {0, 1});
      REQUIRE(a->evaluate(k));
    }
  }
  CHECK(one.blocking(0, 0) == 4);
  CHECK(two.blocking(0, 0) == 3);
  CHECK(two.blocking(0, 1) == 4);
  CHECK(two.segment_response(1, 1).value == 3 + 5);
  CHECK(two.segment_response(1, 3).value == 4 + 2);
  CHECK(one.segment_response(1, 3).value > 6);
}

TEST_CASE("classical response-time analysis decides sets without a GPU part exactly") {
  // Joseph and Pandya 1986; the set of Lehoczky, Sha and Ding 1989: C = 40, 40, 100 with T = 100, 150, 350.
  const table t = table_of({{"1", 100, 100, {{40, 40}}, {}, {}},
                            {"2", 150, 150, {{40, 40}}, {}, {}},
                            {"3", 350, 350, {{100, 100}}, {}, {}}});
  const auto v = analyze_with(one_core(1), t, {0, 0, 0});
  CHECK(v.schedulable());
  CHECK(v.tasks[0].bound.value == 40);
  CHECK(v.tasks[1].bound.value == 80);
  CHECK(v.tasks[2].bound.value == 300);
  const auto published = analyze_with(one_core(1), t, {0, 0, 0}, takt::analysis::rtgpu_published);
  CHECK_FALSE(published.schedulable());
}

TEST_CASE("the sharper analysis is never above the published one for the same plan, nor the best above it" *
          takt_tests::traces("RTGPU-48")) {
  std::mt19937 engine{23};
  const auto draw = [&engine](ticks low, ticks high) {
    return low + static_cast<ticks>(engine() % static_cast<unsigned long>(high - low + 1));
  };
  int strictly = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<task_of> tasks;
    static constexpr std::string_view names[] = {"a", "b", "c"};
    for (const auto name : names) {
      task_of t{name, draw(60, 300), 0, {}, {}, {}};
      t.deadline = t.period;
      const auto m = draw(1, 3);
      for (ticks j = 0; j < m; ++j) { t.cpu.push_back({draw(0, 3), draw(3, 8)}); }
      for (ticks j = 0; j < 2 * m - 2; ++j) { t.copies.push_back({draw(0, 2), draw(2, 5)}); }
      for (ticks j = 0; j < m - 1; ++j) { t.kernels.push_back({{draw(0, 10), draw(10, 30)}, 1, 8, 5}); }
      tasks.push_back(t);
    }
    const table t = table_of(tasks);
    takt::analysis::rtgpu published(t, board(3, 2));
    takt::analysis::rtgpu sharper(t, board(3, 2), takt::analysis::rtgpu_sharper);
    takt::analysis::rtgpu best(t, board(3, 2), takt::analysis::rtgpu_best);
    for (std::size_t k = 0; k < t.size(); ++k) {
      for (auto* a : {&published, &sharper, &best}) { a->assign(k, {0, t.has_kernel(k) ? 1 : 0}); }
      const bool ok = published.evaluate(k);
      const bool sharp_ok = sharper.evaluate(k);
      const bool best_ok = best.evaluate(k);
      REQUIRE((!ok || sharp_ok));
      REQUIRE((!sharp_ok || best_ok));
      if (!ok) { break; }
      REQUIRE(sharper.bound(k).value <= published.bound(k).value);
      REQUIRE(best.bound(k).value <= sharper.bound(k).value);
      strictly += sharper.bound(k).value < published.bound(k).value ? 1 : 0;
    }
  }
  CHECK(strictly > 50);
}

TEST_CASE("proven misses name every reason, and silence is no promise") {
  const auto misses = [](const table& t, const takt::platform_record& p) {
    std::vector<takt::miss_reason> reasons;
    for (const auto& m : takt::analysis::find_proven_misses(t, p)) { reasons.push_back(m.reason); }
    return reasons;
  };
  using enum takt::miss_reason;
  using reasons = std::vector<takt::miss_reason>;
  CHECK(misses(table_of({{"a", 20, 10, {{11, 11}}, {}, {}}}), board(1, 1)) == reasons{own_time});
  CHECK(misses(table_of({{"a", 10, 10, {{6, 6}}, {}, {}}, {"b", 20, 20, {{9, 9}}, {}, {}}}), board(1, 1)) ==
        reasons{synchronous_release, core_overloaded});
  const task_of gpu{"g", 100, 100, {{1, 1}, {1, 1}}, {{60, 60}, {1, 1}}, {{{30, 30}, 0, 1, 1}}};
  task_of twin = gpu;
  twin.name = "h";
  CHECK(misses(table_of({gpu, twin}), board(1, 1)) == reasons{copy_engine_overloaded, more_gpu_tasks_than_sms});
  CHECK(misses(table_of({gpu}), board(1, 1)).empty());
  const task_of big{"b", 100, 100, {{1, 1}, {1, 1}}, {}, {{{150, 150}, 0, 1, 1}}};
  task_of other = big;
  other.name = "c";
  CHECK(misses(table_of({big, other}), board(2, 1)) == reasons{own_time, own_time, gpu_overloaded});
}

TEST_CASE("exchanging a pool's rule exchanges the analysis") {
  const example e = example_5();
  const auto engines = takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority));
  const auto sms = takt::virtual_sms(1, 4);
  const auto busy = takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(takt::fixed_priority)), engines,
                                   takt::pool(sms, takt::federated_virtual));
  const auto serial = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engines,
                                     takt::pool(sms, takt::serialized(takt::federated_virtual)));
  const auto locked = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engines,
                                     takt::pool(sms, takt::serialized(takt::whole_gpu)));
  CHECK(analyze_with(busy, e.tasks, {1, 1, 1}).method == "busy-waiting");
  CHECK(analyze_with(busy, e.tasks, {1, 1, 1}).tasks[0].bound.value == 43);
  CHECK(analyze_with(serial, e.tasks, {1, 1, 1}).method == "self-suspension");
  CHECK(analyze_with(locked, e.tasks, {1, 1, 1}).method == "enhanced-mpcp");
  CHECK(analyze_with(locked, e.tasks, {1, 1, 1}).tasks[1].bound.value == 79);
}
