// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/judge.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/task_table.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>

namespace {

using takt::term;
using takt::term_kind;
using takt::ticks;

template <class Number>
using table_of = takt::task_table<Number, 6, 64, 8>;

constexpr std::array<std::string_view, 6> names{"a", "b", "c", "d", "e", "f"};

struct random_system {
  takt::platform_record platform;
  table_of<ticks> table;
  takt::plan<6> plan;
};

/// Small times, so that every formula gets to win; a load that is sometimes too high.
auto draw(std::mt19937_64& engine, std::int32_t cores) -> random_system {
  const auto pick = [&engine](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
  };
  random_system out;
  out.platform.cores = cores;
  out.platform.copy_engines = static_cast<std::int32_t>(pick(1, 2));
  out.platform.gpus.unchecked_push_back({16, 2, 1, false});
  const std::int64_t tasks = pick(2, 6);
  const std::int64_t longest = pick(50, 700);
  for (std::int64_t i = 0; i < tasks; ++i) {
    const std::int64_t period = pick(20, longest);
    const std::int64_t deadline = pick(period / 2, period);
    const auto core = static_cast<std::int32_t>(pick(0, cores - 1));
    out.table.add_task(names[static_cast<std::size_t>(i)], period, deadline, takt::no_priority, core);
    const auto add = [&](takt::stage where, std::int64_t low, std::int64_t high, takt::copy_direction d = {}) {
      const std::int64_t upper = pick(low, high);
      out.table.add_segment({.where = where, .direction = d, .time = {pick(0, upper), upper}});
    };
    const std::int64_t kernels = pick(0, 3);
    add(takt::stage::cpu, 1, kernels > 0 ? 12 : 40);
    for (std::int64_t k = 0; k < kernels; ++k) {
      if (pick(0, 3) > 0) { add(takt::stage::copy, 0, 6, takt::to_device); }
      const std::int64_t upper = pick(4, 40);
      out.table.add_segment({.where = takt::stage::kernel,
                             .time = {pick(0, upper), upper},
                             .overhead = pick(0, 3),
                             .interleave_numerator = pick(5, 9),
                             .interleave_denominator = 5});
      if (pick(0, 3) > 0) { add(takt::stage::copy, 0, 6, takt::to_host); }
      add(takt::stage::cpu, 0, 8);
    }
    out.plan.shares.unchecked_push_back({0, kernels > 0 ? static_cast<std::int32_t>(pick(1, 2)) : 0});
  }
  takt::prioritize(out.table);
  return out;
}

/// Evaluates a system and compares every sum of terms with its bound.
template <class A, class Check>
void check_terms(A a, const random_system& system, std::size_t& bounds, std::size_t& demands, Check check) {
  using number = typename A::number;
  const std::size_t passed = takt::analysis::evaluate_all(a, system.plan);
  const auto& table = a.table();
  for (std::size_t k = 0; k < table.size() && k <= passed; ++k) {
    number sum(0);
    bool own_first = true;
    bool others = false;
    const auto add = [&](const term<number>& t) {
      REQUIRE(t.time > number(0));
      const bool own = t.what == term_kind::cpu || t.what == term_kind::copy || t.what == term_kind::gpu;
      REQUIRE(own == (t.by == table.tasks[k].id));
      own_first = own_first && !(own && others);
      others = others || !own;
      sum = sum + t.time;
    };
    if (a.bound(k).exists) {
      a.for_each_term(k, add);
      REQUIRE(sum == a.bound(k).value);
      check(a, k);
      ++bounds;
    } else {
      a.for_each_demand(k, add);
      REQUIRE(sum > table.tasks[k].deadline);
      ++demands;
    }
    REQUIRE(own_first);
  }
}

constexpr auto ignore = [](const auto&, std::size_t) {};

TEST_CASE("terms of every rtgpu variant add up to the bound, whichever formula wins") {
  std::mt19937_64 engine{2021};
  std::size_t bounds = 0;
  std::size_t demands = 0;
  std::array<std::size_t, 5> won{};
  const auto count_winner = [&won](const auto& a, std::size_t k) {
    const auto& b = a.bounds(k);
    const std::array formulas{b.segmentwise, b.cpu_joint, b.all_joint, b.copy_joint, b.classical};
    std::size_t i = 0;
    while (!formulas[i].exists() || formulas[i].value != b.best.value) { ++i; }
    ++won[i];
  };
  for (int n = 0; n < 12000; ++n) {
    const auto system = draw(engine, n % 2 + 1);
    for (const auto& variant : {takt::analysis::rtgpu_published, takt::analysis::rtgpu_sharper,
                                takt::analysis::rtgpu_best, takt::analysis::as_published::rtgpu_algorithm_2}) {
      check_terms(takt::analysis::rtgpu(system.table, system.platform, variant), system, bounds, demands, count_winner);
    }
  }
  for (const std::size_t n : won) { CHECK(n > 5); }
  CHECK(bounds > 10'000);
  CHECK(demands > 100);
}

TEST_CASE("terms of the baselines add up to the bound") {
  std::mt19937_64 engine{7};
  std::array<std::size_t, 3> bounds{};
  std::array<std::size_t, 3> demands{};
  for (int n = 0; n < 4000; ++n) {
    const auto system = draw(engine, 1);
    check_terms(takt::analysis::self_suspension(system.table, system.platform), system, bounds[0], demands[0], ignore);
    check_terms(takt::analysis::busy_waiting_rta(system.table, system.platform), system, bounds[1], demands[1], ignore);
    check_terms(takt::analysis::enhanced_mpcp(system.table, system.platform), system, bounds[2], demands[2], ignore);
  }
  for (const std::size_t n : bounds) { CHECK(n > 1000); }
  for (const std::size_t n : demands) { CHECK(n > 100); }
}

TEST_CASE("terms of two tasks, by hand") {
  table_of<ticks> table;
  table.add_task("low", 100, 90);
  table.add_segment({.where = takt::stage::cpu, .time = {5, 5}});
  table.add_segment({.where = takt::stage::copy, .time = {7, 7}});
  table.add_segment({.where = takt::stage::kernel, .time = {10, 10}});
  table.add_segment({.where = takt::stage::cpu, .time = {2, 2}});
  table.add_task("high", 50, 50);
  table.add_segment({.where = takt::stage::cpu, .time = {3, 3}});
  table.add_segment({.where = takt::stage::copy, .time = {4, 4}});
  table.add_segment({.where = takt::stage::kernel, .time = {6, 6}});
  table.add_segment({.where = takt::stage::cpu, .time = {1, 1}});
  takt::prioritize(table);
  takt::platform_record platform{.cores = 1, .copy_engines = 1, .gpus = {}};
  platform.gpus.unchecked_push_back({2, 1, 1, false});
  takt::analysis::rtgpu a(table, platform);
  REQUIRE(takt::analysis::evaluate_all(a, takt::dedicate(1, 1)) == 2);

  std::vector<term<ticks>> terms;
  const auto collect = [&terms](const term<ticks>& t) { terms.push_back(t); };
  a.for_each_term(0, collect);
  REQUIRE(terms.size() == 4);
  CHECK(terms[0].what == term_kind::cpu);
  CHECK(terms[0].by == 1);
  CHECK(terms[0].time == 4);
  CHECK(terms[1].what == term_kind::copy);
  CHECK(terms[1].time == 4);
  CHECK(terms[2].what == term_kind::gpu);
  CHECK(terms[2].time == 6);
  CHECK(terms[3].what == term_kind::copy_blocking);
  CHECK(terms[3].by == 0);
  CHECK(terms[3].time == 7);
}

/// Sum of the terms of a task alone: 3 + 2 on the CPU and (13 * 9/5 - 1) / 2 + 1 for its kernel.
template <class Number>
constexpr auto sum_alone() -> Number {
  takt::task_table<Number, 1, 3> table;
  table.add_task("a", 40, 40);
  table.add_segment({.where = takt::stage::cpu, .time = {2, 3}});
  table.add_segment({.where = takt::stage::kernel,
                     .time = {10, 13},
                     .overhead = 1,
                     .interleave_numerator = 9,
                     .interleave_denominator = 5});
  table.add_segment({.where = takt::stage::cpu, .time = {1, 2}});
  takt::platform_record platform{.cores = 1, .copy_engines = 0, .gpus = {}};
  platform.gpus.unchecked_push_back({3, 2, 1, false});
  takt::analysis::rtgpu a(table, platform);
  Number total = 0;
  if (takt::analysis::evaluate_all(a, takt::dedicate(1)) != 1) { return total; }
  a.for_each_term(0, [&total](const auto& t) { total = total + t.time; });
  return total;
}

TEST_CASE("terms work in constant expressions and are exact on rationals") {
  static_assert(sum_alone<ticks>() == 18);
  CHECK(sum_alone<takt::rational>() == takt::rational{86, 5});
}

}  // namespace
