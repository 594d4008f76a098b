// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>

#include <takt/analysis/judge.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/enhanced_mpcp.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;
using takt::rational;

namespace {

using exact_table = takt::task_table<rational, 8, 64, 64>;

/// The same tasks on exact fractions.
[[nodiscard]] auto exactly(const table& t) -> exact_table {
  exact_table out;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const auto& task = t.tasks[k];
    out.add_task(task.name, rational{task.period}, rational{task.deadline});
    for (std::size_t j = 0; j < task.segment_count; ++j) {
      const auto& s = t.segment(k, j);
      out.add_segment({.where = s.where,
                       .time = {rational{s.time.lower}, rational{s.time.upper}},
                       .overhead = rational{s.overhead},
                       .interleave_numerator = s.interleave_numerator,
                       .interleave_denominator = s.interleave_denominator});
    }
  }
  takt::prioritize(out);
  return out;
}

template <class A, std::size_t N>
[[nodiscard]] auto evaluated(A a, const std::array<std::int32_t, N>& sms) -> A {
  takt::plan<8> p;
  for (const auto g : sms) { p.shares.unchecked_push_back({0, g}); }
  (void)takt::analysis::evaluate_all(a, p);
  return a;
}

}  // namespace

TEST_CASE("self-suspension over one serialised accelerator (worked examples E1, E4)" * takt_tests::traces("RTGPU-35")) {
  const example e1 = example_1();
  const auto a = evaluated(takt::analysis::self_suspension(e1.tasks, e1.platform), std::array{1, 1});
  CHECK_FALSE(a.meets(0));

  const example e4 = example_4();
  const exact_table t = exactly(e4.tasks);
  const auto b = evaluated(takt::analysis::self_suspension(t, e4.platform), std::array{1, 0, 1});
  CHECK(b.element_response(0, 1).value == rational{2479, 100});
  CHECK(b.bound(0).value == rational{2979, 100});
  CHECK(b.bound(1).value == rational{15});
  CHECK(b.element_response(2, 1).value == rational{3577, 100});
  CHECK(b.element_response(2, 3).value == rational{3699, 100});
  CHECK(b.bound(2).value == rational{3894, 25});
  CHECK_FALSE(b.meets(2));
}

TEST_CASE("busy waiting: claim on the core, one outstanding copy per lower task (worked examples)" *
          takt_tests::traces("RTGPU-36")) {
  const example e1 = example_1();
  const auto a = evaluated(takt::analysis::busy_waiting_rta(e1.tasks, e1.platform), std::array{1, 1});
  CHECK(a.claim(0) == 35);
  CHECK(a.blocking(0) == 4);
  CHECK(a.bound(0).value == 39);
  CHECK(a.claim(1) == 80);
  CHECK(a.blocking(1) == 0);
  CHECK_FALSE(a.meets(1));

  const example e3 = example_3();
  const auto b = evaluated(takt::analysis::busy_waiting_rta(e3.tasks, e3.platform), std::array{1, 1, 1});
  CHECK(b.blocking(0) == 5 + 6);
  CHECK(b.bound(0).value == 68);

  const example e4 = example_4();
  const exact_table t = exactly(e4.tasks);
  const auto c = evaluated(takt::analysis::busy_waiting_rta(t, e4.platform), std::array{1, 0, 1});
  CHECK(c.bound(0).value == rational{86, 5});
  CHECK(c.bound(1).value == rational{121, 5});
  CHECK(c.claim(2) == rational{874, 25});
  CHECK_FALSE(c.meets(2));
}

TEST_CASE("enhanced MPCP: the GPU with its bus as one lock on all SMs (worked examples)" *
          takt_tests::traces("RTGPU-37")) {
  const example e1 = example_1();
  const auto fault_on = [&](const takt::platform_record& sizes) {
    return takt::analysis::enhanced_mpcp<table>::fits(e1.tasks, sizes).fault;
  };
  CHECK(fault_on(e1.platform) == takt::model_fault::none);
  auto two_cores = e1.platform;
  two_cores.cores = 2;
  CHECK(fault_on(two_cores) == takt::model_fault::one_core_and_gpu_only);
  auto two_gpus = e1.platform;
  two_gpus.gpus.unchecked_push_back(two_gpus.gpus[0]);
  CHECK(fault_on(two_gpus) == takt::model_fault::one_core_and_gpu_only);
  const auto a = evaluated(takt::analysis::enhanced_mpcp(e1.tasks, e1.platform), std::array{1, 1});
  CHECK(a.bound(0).value == 37);
  CHECK(a.bound(1).value == 98);

  const example e2 = example_2();
  const auto b = evaluated(takt::analysis::enhanced_mpcp(e2.tasks, e2.platform), std::array{2, 1});
  CHECK(b.bound(0).value == 28);
  CHECK(b.bound(1).value == 58);

  const example e4 = example_4();
  const exact_table t = exactly(e4.tasks);
  const auto c = evaluated(takt::analysis::enhanced_mpcp(t, e4.platform), std::array{1, 0, 1});
  CHECK(c.bound(0).value == rational{4579, 300});
  CHECK(c.bound(1).value == rational{12});
  CHECK(c.bound(2).value == rational{4489, 75});

  const example e5 = example_5();
  const auto d = evaluated(takt::analysis::enhanced_mpcp(e5.tasks, e5.platform), std::array{1, 1, 1});
  CHECK(d.bound(0).value == 44);
  CHECK(d.bound(1).value == 79);
  CHECK(d.bound(2).value == 107);
}
