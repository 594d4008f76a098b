// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>

#include <takt/generation.hpp>
#include <takt/model/accelerator_fault.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;
using generation::accelerator_set_options;
using takt::model_fault;
using table = task_rows<accelerator_task<ticks>, 16>;

constexpr auto list(std::initializer_list<ticks> units) -> generation::period_choices {
  generation::period_choices out;
  for (const ticks u : units) { (void)out.try_push_back(u * 1000); }
  return out;
}

constexpr auto usual() -> accelerator_set_options {
  accelerator_set_options o;
  o.periods = list({10, 12, 15, 20, 24, 30, 40, 60});
  return o;
}

}  // namespace

TEST_CASE("every way to divide a sum into parts is equally likely, which is what UUniFast draws" *
          takt_tests::traces("AP-27")) {
  // 8 into 3 positive parts: 21 ways, 1000 draws each, standard deviation 31.
  constexpr int draws = 21'000;
  random_stream random{1};
  std::map<std::array<ticks, 3>, int> seen;
  for (int i = 0; i < draws; ++i) {
    inline_vector<ticks, 4> parts;
    REQUIRE(generation::uunifast(random, 8, 3, parts));
    REQUIRE(parts.size() == 3);
    REQUIRE(parts[0] + parts[1] + parts[2] == 8);
    ++seen[{parts[0], parts[1], parts[2]}];
  }
  CHECK(seen.size() == 21);
  double deviation = 0;
  for (const auto& [parts, times] : seen) {
    for (const ticks p : parts) { CHECK(p > 0); }
    deviation += (times - 1000.0) * (times - 1000.0) / 1000.0;
  }
  CHECK(deviation < 45.3);  // chi-squared with 20 degrees of freedom exceeds it in 1 of 1000 cases
}

TEST_CASE("parts have the mean and the tail of a uniform point on the simplex" * takt_tests::traces("AP-27")) {
  random_stream random{2};
  std::array<ticks, 4> sums{};
  int above_half = 0;
  for (int i = 0; i < 20'000; ++i) {
    inline_vector<ticks, 4> parts;
    REQUIRE(generation::uunifast(random, 1000, 4, parts));
    for (std::size_t p = 0; p < 4; ++p) {
      sums[p] += parts[p];
      above_half += parts[p] > 500 ? 1 : 0;
    }
  }
  for (const ticks s : sums) { CHECK(s == doctest::Approx(20'000 * 250.0).epsilon(0.01)); }
  // One part of n exceeds half of the whole with probability (1/2)^(n-1).
  CHECK(above_half == doctest::Approx(20'000 * 4 / 8.0).epsilon(0.03));
}

TEST_CASE(
    "groups are pinned core by core and gang, with their utilisations exactly, periods from the list and "
    "deadlines in their range" *
    takt_tests::traces("AP-27")) {
  const accelerator_set_options o = usual();
  std::map<ticks, int> periods;
  ticks least = 1000;
  ticks most = 0;
  for (std::uint64_t index = 0; index < 300; ++index) {
    table t;
    REQUIRE(generation::generate(o, 7, index, t) == model_fault::none);
    REQUIRE(t.size() == 9);
    CHECK_FALSE(validate(t, {.cores = 2, .preemption_levels = 2}));
    std::map<std::int32_t, ticks> permille;
    for (const auto& k : t.tasks) {
      CHECK((k.width == kernel_width::all_cores) == (k.core == unassigned_core));
      CHECK(k.wcet * 1000 % k.period == 0);
      permille[k.core] += k.wcet * 1000 / k.period;
      ++periods[k.period];
      const ticks share = k.deadline * 1000 / k.period;
      least = share < least ? share : least;
      most = share > most ? share : most;
      CHECK(k.preemption_cost == 0);
    }
    CHECK(permille == std::map<std::int32_t, ticks>{{unassigned_core, 200}, {0, 200}, {1, 200}});
  }
  CHECK(periods.size() == o.periods.size());
  for (const auto& [period, times] : periods) { CHECK(times == doctest::Approx(2700 / 8.0).epsilon(0.2)); }
  CHECK(least == 750);
  CHECK(most >= 999);
}

TEST_CASE("implicit deadlines, waves and groups without tasks are options" * takt_tests::traces("AP-27")) {
  accelerator_set_options o = usual();
  o.least_deadline_percent = 100;
  o.wave_percent = 10;
  o.tasks_per_core = 0;
  o.gang_tasks = 5;
  table t;
  REQUIRE(generation::generate(o, 1, 0, t) == model_fault::none);
  CHECK(t.size() == 5);
  for (const auto& k : t.tasks) {
    CHECK(k.deadline == k.period);
    CHECK(k.preemption_cost == (k.wcet + 9) / 10);
    CHECK(k.width == kernel_width::all_cores);
  }
}

TEST_CASE("a set is a constant, the same for a seed and an index on every platform" * takt_tests::traces("AP-27")) {
  struct numbers {
    ticks wcet;
    ticks period;
    ticks deadline;
    ticks slot;
    bool operator==(const numbers&) const = default;
  };
  constexpr auto draw = [](std::uint64_t seed, std::uint64_t index) {
    table t;
    const auto o = usual();
    (void)generation::generate(o, seed, index, t);
    return numbers{t.tasks[8].wcet, t.tasks[8].period, t.tasks[8].deadline,
                   generation::draw_slot_period(o.periods, seed, index)};
  };
  constexpr numbers first = draw(1, 0);
  static_assert(first == numbers{4120, 40000, 33491, 24000},
                "another set than the one that was published with this seed");
  CHECK(draw(1, 0) == first);
  CHECK_FALSE(draw(1, 1) == first);
  CHECK_FALSE(draw(2, 0) == first);
}

TEST_CASE("sporadic releases are at least a period apart, and not always one" * takt_tests::traces("AP-27")) {
  constexpr ticks period = 100;
  for (const ticks delay : {ticks{0}, ticks{1}, ticks{25}}) {
    ticks before = -period;
    ticks longest = 0;
    for (std::int64_t number = 0; number < 1000; ++number) {
      const ticks now = generation::sporadic_release(3, 1, number, period, delay);
      CHECK(now - before >= period);
      CHECK(now - before <= period + 2 * delay + (number == 0 ? period : 0));
      longest = number > 0 && now - before > longest ? now - before : longest;
      before = now;
    }
    CHECK((longest > period) == (delay > 0));
  }
  CHECK(generation::sporadic_release(3, 1, 4, period, 25) != generation::sporadic_release(3, 2, 4, period, 25));
}

TEST_CASE("wrong options and too small tables are reported" * takt_tests::traces("AP-27")) {
  table t;
  accelerator_set_options o = usual();
  CHECK(generation::generate(accelerator_set_options{}, 1, 0, t) == model_fault::options_out_of_range);
  o.core_utilization_permille = 2;
  CHECK(generation::generate(o, 1, 0, t) == model_fault::options_out_of_range);
  o = usual();
  o.periods.unchecked_push_back(1500);
  CHECK(generation::generate(o, 1, 0, t) == model_fault::options_out_of_range);
  o = usual();
  o.least_deadline_percent = 101;
  CHECK(generation::generate(o, 1, 0, t) == model_fault::options_out_of_range);
  task_rows<accelerator_task<ticks>, 8> small;
  CHECK(generation::generate(usual(), 1, 0, small) == model_fault::set_does_not_fit);
  random_stream random{1};
  inline_vector<ticks, 2> parts;
  CHECK_FALSE(generation::uunifast(random, 1, 2, parts));
  CHECK_FALSE(generation::uunifast(random, 9, 3, parts));
}

TEST_CASE("equal kernels have about the utilization that is asked for, in waves, and refuse what does not fit" *
          takt_tests::traces("AP-31")) {
  task_rows<accelerator_task<ticks>, 4> t;
  REQUIRE(generation::equal_kernels(list({20, 30, 50}), 500, 16, t) == model_fault::none);
  REQUIRE(t.size() == 3);
  rational load;
  for (const auto& k : t.tasks) {
    CHECK(k.wcet == t.tasks[0].wcet);
    CHECK(k.wcet == 16 * k.preemption_cost);
    CHECK(k.deadline == k.period);
    load += rational{k.wcet, k.period};
  }
  CHECK(load <= rational{1, 2});
  CHECK(rational{49, 100} < load);
  CHECK(generation::equal_kernels(list({10, 11, 12, 13, 14}), 500, 16, t) == model_fault::set_does_not_fit);
}

TEST_CASE("sporadic jobs are a period and at most two delays apart, and end with those of the first task" *
          takt_tests::traces("AP-31")) {
  struct job {
    ticks release = 0;
    ticks work = 0;
  };
  task_rows<accelerator_task<ticks>, 4> t;
  REQUIRE(generation::equal_kernels(list({20, 30, 50}), 500, 16, t) == model_fault::none);
  const generation::sporadic_jobs jobs{t, 40, 10, 7};
  ticks last_of_first = 0;
  for (std::size_t task = 0; task < t.size(); ++task) {
    const ticks period = t.tasks[task].period;
    ticks before = -period;
    job j;
    std::int64_t n = 0;
    for (; jobs.job(task, n, j); ++n) {
      CHECK(j.work == t.tasks[task].wcet);
      CHECK(j.release - before >= period);
      CHECK(j.release - before <= period + period / 5);
      before = j.release;
    }
    if (task == 0) {
      CHECK(n == 40);
      last_of_first = before;
    }
    CHECK(before <= last_of_first + t.tasks[0].period * 6 / 5);
  }
}

TEST_CASE("a set that needs more names than there are is refused" * takt_tests::traces("AP-27")) {
  accelerator_set_options o = usual();
  o.cores = 64;
  o.tasks_per_core = 16;
  o.gang_tasks = 0;
  auto all = std::make_unique<task_rows<accelerator_task<ticks>, 1024>>();
  CHECK(generation::generate(o, 1, 1, *all) == model_fault::set_does_not_fit);
  o.cores = 62;
  CHECK(generation::generate(o, 1, 1, *all) == model_fault::none);
  CHECK(all->size() == 992);
}
