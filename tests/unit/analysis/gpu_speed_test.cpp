// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/kernels.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/runtime.hpp>
#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>
#include <takt/systems/rtgpu/report/summarize.hpp>
#include <takt/takt.hpp>

#include "support/environment.hpp"
#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;
using takt::duration;
using takt::gpu_speed;
using takt::rational;
using namespace takt::literals;

namespace {

using analysis_of = takt::analysis::rtgpu<table>;

constexpr auto two_gpus = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                         takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                         takt::pool(takt::virtual_sms(2, 2), takt::federated),
                                         takt::pool(takt::virtual_sms(2, 2).at_speed(3, 2), takt::federated));

/// Plans by hand for two GPUs.
auto shares(std::initializer_list<takt::sm_share> each) -> takt::plan<8> {
  takt::plan<8> out;
  for (const auto& s : each) { out.shares.unchecked_push_back(s); }
  return out;
}

auto runs() -> std::uint64_t { return takt_tests::from_environment("TAKT_SPEED_RUNS", 60); }

}  // namespace

TEST_CASE("a kernel takes the time of its work and overhead divided by the speed, rounded outwards" *
          takt_tests::traces("RTGPU-25")) {
  takt::interval<ticks> whole;
  REQUIRE(takt::divisible_work_bounds<ticks>({20, 30}, 2, 3, 2, {2, {1, 1}}, whole));
  CHECK(whole == takt::interval<ticks>{10, 24});
  REQUIRE(takt::divisible_work_bounds<ticks>({20, 30}, 2, 3, 2, {2, {2, 2}}, whole));
  CHECK(whole == takt::interval<ticks>{10, 24});
  REQUIRE(takt::divisible_work_bounds<ticks>({20, 30}, 2, 3, 2, {2, {2, 1}}, whole));
  CHECK(whole == takt::interval<ticks>{5, 12});
  takt::random_stream random{25};
  for (int i = 0; i < 2'000; ++i) {
    const ticks lower = random.between(0, 1'000);
    const takt::interval<ticks> work{lower, lower + random.between(0, 1'000)};
    const std::int64_t below = random.between(1, 9);
    const std::int64_t above = below + random.between(0, 9);
    const ticks overhead = random.between(0, work.upper);
    const auto n = static_cast<std::int32_t>(random.between(1, 20));
    const gpu_speed speed{static_cast<std::int32_t>(random.between(1, 12)),
                          static_cast<std::int32_t>(random.between(1, 12))};
    const rational factor{speed.numerator, speed.denominator};
    takt::interval<rational> divided;
    REQUIRE(takt::divisible_work_bounds<rational>({rational{work.lower} / factor, rational{work.upper} / factor},
                                                  rational{overhead} / factor, above, below, n, divided));
    takt::interval<rational> exact;
    REQUIRE(takt::divisible_work_bounds<rational>({rational{work.lower}, rational{work.upper}}, rational{overhead},
                                                  above, below, {n, speed}, exact));
    CHECK(exact.lower == divided.lower);
    CHECK(exact.upper == divided.upper);
    REQUIRE(takt::divisible_work_bounds<ticks>(work, overhead, above, below, {n, speed}, whole));
    CHECK(whole.lower == exact.lower.floor());
    CHECK(whole.upper == exact.upper.ceil());
  }
}

TEST_CASE("measured times scale by the same speed" * takt_tests::traces("RTGPU-25")) {
  takt::interval<ticks> out;
  REQUIRE(takt::detail::times_at_speed<ticks>({10, 20}, {3, 2}, out));
  CHECK(out == takt::interval<ticks>{6, 14});
  REQUIRE(takt::detail::times_at_speed<ticks>({10, 20}, {1, 3}, out));
  CHECK(out == takt::interval<ticks>{30, 60});
  static constexpr auto set = takt::task_set(takt::task(
      "measured", takt::period(100_ns), takt::cpu(1_ns),
      takt::kernel(takt::measured(takt::interval<duration>{10_ns, 20_ns}, takt::interval<duration>{6_ns, 11_ns})),
      takt::cpu(1_ns)));
  constexpr auto on = [](std::int32_t gpu) {
    takt::plan<1> p;
    p.shares.unchecked_push_back({gpu, 1});
    return takt::analysis::analyze_by<takt::published>(two_gpus, set, p).tasks[0].bound.value;
  };
  static_assert(on(0) == 1 + 11 + 1);
  static_assert(on(1) == 1 + 8 + 1);
}

TEST_CASE("a speed of zero, below zero or beyond its range is refused" * takt_tests::traces("RTGPU-25")) {
  for (const gpu_speed wrong : {gpu_speed{0, 0}, gpu_speed{0, 1}, gpu_speed{1, 0}, gpu_speed{-1, 2}, gpu_speed{-1, -2},
                                gpu_speed{takt::max_speed_part + 1, 1}, gpu_speed{1, takt::max_speed_part + 1}}) {
    takt::interval<ticks> out;
    CHECK_FALSE(takt::divisible_work_bounds<ticks>({20, 30}, 2, 3, 2, {2, wrong}, out));
    CHECK_FALSE(takt::detail::times_at_speed<ticks>({20, 30}, wrong, out));
    const auto board_at = takt::platform(
        takt::pool(takt::virtual_sms(2, 2).at_speed(wrong.numerator, wrong.denominator), takt::federated));
    CHECK(board_at.validate().fault == takt::model_fault::platform_size_out_of_range);
    auto e = example_1();
    e.platform.gpus[0].speed = wrong;
    CHECK(analysis_of::fits(e.tasks, e.platform).fault == takt::model_fault::platform_size_out_of_range);
    const auto with_cpu = takt::platform(
        takt::pool(takt::processors(1), takt::fixed_priority),
        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
        takt::pool(takt::virtual_sms(2, 2).at_speed(wrong.numerator, wrong.denominator), takt::federated));
    CHECK(takt::runtime::run(with_cpu, e.tasks, takt::dedicate(1, 1)).error.fault ==
          takt::model_fault::platform_size_out_of_range);
    using takt::kernel_location;
    CHECK(
        takt::simulation::layout<table>{e.tasks, e.platform, takt::dedicate(1, 1), kernel_location::own_share}.error());
  }
  CHECK(gpu_speed{3, 2} == gpu_speed{6, 4});
  CHECK(gpu_speed{3, 2} != gpu_speed{2, 3});
}

TEST_CASE("times that overflow on a slow GPU are refused at the door" * takt_tests::traces("RTGPU-25")) {
  const auto fault = [](ticks work, const gpu_speed& speed) {
    takt::platform_record p = board(1, 1);
    p.gpus[0].speed = speed;
    return analysis_of::fits(table_of({{"a", 1'000'000, 1'000'000, {{1, 1}, {1, 1}}, {}, {{{work, work}, 0, 1, 1}}}}),
                             p)
        .fault;
  };
  constexpr ticks large = INT64_MAX / 100'000;
  CHECK(fault(large, {1, 1}) == takt::model_fault::none);
  CHECK(fault(large, {10'000, 1}) == takt::model_fault::none);
  CHECK(fault(large, {1, 10'000}) == takt::model_fault::time_overflow);
  CHECK(fault(INT64_MAX / 100, {10'000, 9'999}) == takt::model_fault::time_overflow);
}

TEST_CASE("every analysis of dedicated SMs sees the speed of the GPU that a share is on" *
          takt_tests::traces("RTGPU-25")) {
  auto e = example_1();
  e.platform.gpus.unchecked_push_back({4, 2, 1, false, {2, 1}});
  const auto judged = [](auto a) {
    takt::analysis::evaluate_all(a, shares({{1, 1}, {0, 1}}));
    return a.bound(0).value;
  };
  auto halved = example_1();
  halved.tasks.segments[2].time = {10, 15};
  halved.tasks.segments[2].overhead = 1;
  const auto reference = [](auto a) {
    takt::analysis::evaluate_all(a, shares({{0, 1}, {0, 1}}));
    return a.bound(0).value;
  };
  REQUIRE(halved.tasks.segments[2].where == takt::stage::kernel);
  CHECK(judged(analysis_of{e.tasks, e.platform}) == reference(analysis_of{halved.tasks, halved.platform}));
  using takt::analysis::busy_waiting_rta;
  using takt::analysis::self_suspension;
  CHECK(judged(busy_waiting_rta<table>{e.tasks, e.platform}) ==
        reference(busy_waiting_rta<table>{halved.tasks, halved.platform}));
  const takt::analysis::enhanced_mpcp<table> unused{e.tasks, e.platform};
  CHECK(unused.fits(e.tasks, e.platform).fault == takt::model_fault::one_core_and_gpu_only);
  takt::platform_record fast = board(4, 2);
  fast.gpus[0].speed = {2, 1};
  const auto locked = [](const table& tasks, const takt::platform_record& p) {
    takt::analysis::enhanced_mpcp<table> a{tasks, p};
    a.evaluate(0);
    return a.chains().accelerator(0);
  };
  CHECK(locked(e.tasks, fast) == locked(halved.tasks, board(4, 2)));
  takt::analysis::self_suspension<table> at_speed{e.tasks, e.platform};
  at_speed.assign(0, {1, 1});
  CHECK(at_speed.chains().longest(0) == 2 + 12 + 2);
}

TEST_CASE("the search puts a task where the GPU is fast enough for it" * takt_tests::traces("RTGPU-25")) {
  // Alone on two SMs of speed 1 the kernel takes 40, of speed 2 it takes 20.
  const auto one = [](std::string_view name, ticks deadline) {
    return task_of{name, 100, deadline, {{1, 1}, {1, 1}}, {}, {{{80, 80}, 0, 1, 1}}};
  };
  const table urgent = table_of({one("urgent", 25), one("patient", 60)});
  takt::platform_record p = board(2, 1);
  p.gpus.unchecked_push_back({2, 1, 1, false, {2, 1}});
  analysis_of a(urgent, p);
  const auto found = takt::search_plan(a, takt::exact_search);
  REQUIRE(found.feasible);
  CHECK(found.shares[0] == takt::sm_share{1, 2});
  CHECK(found.shares[1] == takt::sm_share{0, 2});
  p.gpus[1].speed = {1, 1};
  analysis_of equal(urgent, p);
  CHECK_FALSE(takt::search_plan(equal, takt::exact_search).feasible);
  p.gpus[0].speed = {2, 1};
  analysis_of swapped(urgent, p);
  CHECK(takt::search_plan(swapped, takt::exact_search).shares[0] == takt::sm_share{0, 2});
  // On the slow GPU alone the job takes 42 at best: a proof, and none on a faster one.
  const table alone = table_of({one("urgent", 25)});
  takt::platform_record slow = board(2, 1);
  const auto misses = takt::analysis::find_proven_misses(alone, slow);
  REQUIRE(misses.size() == 1);
  CHECK(misses[0].value == 42);
  slow.gpus[0].speed = {2, 1};
  CHECK(takt::analysis::find_proven_misses(alone, slow).empty());
}

TEST_CASE("demand above a GPU is proven at its own speed" * takt_tests::traces("RTGPU-25")) {
  const table t = table_of({{"a", 100, 100, {{1, 1}, {1, 1}}, {}, {{{120, 120}, 20, 1, 1}}},
                            {"b", 100, 100, {{1, 1}, {1, 1}}, {}, {{{120, 120}, 20, 1, 1}}}});
  const auto overloaded = [&t](const gpu_speed& speed) {
    takt::platform_record p = board(2, 1);
    p.gpus[0].speed = speed;
    for (const auto& m : takt::analysis::find_proven_misses(t, p)) {
      if (m.reason == takt::miss_reason::gpu_overloaded) { return true; }
    }
    return false;
  };
  CHECK_FALSE(overloaded({1, 1}));
  CHECK(overloaded({9, 10}));
  CHECK_FALSE(overloaded({99, 100}));
}

TEST_CASE("simulated responses on two GPUs of different speed stay within the bounds" *
          takt_tests::traces("RTGPU-25")) {
  takt::random_stream random{2025};
  std::uint64_t compared = 0;
  for (std::uint64_t run = 0; run < runs(); ++run) {
    const auto some = [&random](ticks least, ticks most) {
      const ticks lower = random.between(least, most);
      return range{lower, random.between(lower, most)};
    };
    const auto chain = [&](std::string_view name, ticks period) {
      const ticks upper = random.between(10, 60);
      return task_of{name,
                     period,
                     period,
                     {some(1, 4), some(1, 4)},
                     {some(1, 3), some(1, 3)},
                     {{{random.between(1, upper), upper}, random.between(0, 9), 3, 2}}};
    };
    const table t = table_of({chain("a", 90), chain("b", 130), chain("c", 170)});
    takt::platform_record p = board(3, 2);
    p.gpus.unchecked_push_back(
        {2,
         2,
         1,
         false,
         {static_cast<std::int32_t>(random.between(1, 5)), static_cast<std::int32_t>(random.between(1, 5))}});
    analysis_of a(t, p);
    const auto found = takt::search_plan(a, takt::exact_search);
    if (!found.feasible) { continue; }
    // The last plan that the search judged is the one it found.
    const auto typed = takt::platform(
        takt::pool(takt::processors(1), takt::fixed_priority),
        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
        takt::pool(takt::virtual_sms(3, 2), takt::federated),
        takt::pool(takt::virtual_sms(2, 2).at_speed(p.gpus[1].speed.numerator, p.gpus[1].speed.denominator),
                   takt::federated));
    for (const auto pattern : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
      const auto seen =
          takt::simulate(typed, t, found, {.horizon = duration{20'000}, .releases = pattern, .seed = run + 1});
      REQUIRE(seen.status() == takt::observation_status::no_miss);
      for (std::size_t k = 0; k < t.size(); ++k) {
        CHECK(seen.tasks[t.tasks[k].id].worst_response <= a.bound(k).value);
      }
      ++compared;
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("the kernel of a simulated or timed job lasts as long as its GPU is fast" * takt_tests::traces("RTGPU-25")) {
  const table t = table_of({{"a", 1'000, 1'000, {{1, 1}, {1, 1}}, {}, {{{80, 80}, 0, 1, 1}}}});
  constexpr auto on_fast = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                          takt::pool(takt::virtual_sms(1, 1).at_speed(4), takt::federated));
  CHECK(takt::simulate(on_fast, t, takt::dedicate(1), {.horizon = 1_us}).tasks[0].worst_response == 1 + 20 + 1);
  const table slow = table_of({{"a", 30'000'000, 30'000'000, {{1, 1}, {1, 1}}, {}, {{{80'000, 80'000}, 0, 1, 1}}}});
  takt::trace seen;
  const takt::runtime::run_options how{
      .length = 100_ms, .real_time = false, .pin_to_cores = false, .lock_memory = false};
  CHECK(takt::runtime::run(on_fast, slow, takt::dedicate(1), how, seen).tasks[0].released == 4);
  int kernels = 0;
  for (const takt::slice& s : seen.slices() | takt::views::slices_on(takt::stage::kernel)) {
    CHECK(s.end - s.start == 20'000);
    ++kernels;
  }
  CHECK(kernels > 0);
  const auto record = on_fast.record();
  const takt::runtime::emulated_device device{record};
  CHECK(device.serves(record));
  takt::platform_record other = record;
  other.gpus[0].speed = {};
  CHECK_FALSE(device.serves(other));
}

TEST_CASE("a verdict names a speed that is not 1" * takt_tests::traces("RTGPU-25")) {
  const auto written = [](const takt::virtual_sms_resource& gpu) {
    const auto platform =
        takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), takt::pool(gpu, takt::federated));
    const auto tasks = takt::task_set(takt::task("a", takt::period(takt::duration{1000}), takt::cpu(takt::duration{1}),
                                                 takt::kernel(takt::work(takt::duration{8}), takt::interleave(1)),
                                                 takt::cpu(takt::duration{1})));
    std::ostringstream out;
    takt::report::write_verdict_json(
        out, takt::report::summarize(platform, tasks,
                                     takt::analysis::analyze_by<takt::published>(platform, tasks, takt::dedicate(1))));
    return out.str();
  };
  CHECK(written(takt::virtual_sms(2, 1)).find("speed") == std::string::npos);
  CHECK(written(takt::virtual_sms(2, 1).at_speed(3, 2)).find("\"speed\":\"3/2\"") != std::string::npos);
}
