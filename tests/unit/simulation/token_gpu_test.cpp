// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/host/lock_bank.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/simulation.hpp>
#include <takt/tokens.hpp>

#include "fixtures.hpp"
#include "support/lock_programs.hpp"

using namespace fixtures;
using takt::period;
using takt::priority;
using takt::stage;
using takt::task;
using takt::task_set;
using takt::ticks;

namespace {

/// SMs of which each counts once, so that a kernel on one of them takes its work.
template <class Order>
[[nodiscard]] constexpr auto tokens_on(Order order, std::int32_t tokens, std::int32_t sms = 1,
                                       std::int32_t engines = 1) {
  return takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                        takt::pool(takt::copy_engines(engines), takt::fifo),
                        takt::pool(takt::virtual_sms(sms, 1), takt::locked(order, tokens)));
}

constexpr auto three = task_set(task("high", period(100_ns), priority(0), cpu(1), kernel(4), cpu(1)),
                                task("middle", period(100_ns), priority(1), cpu(1), kernel(8), cpu(1)),
                                task("low", period(100_ns), priority(2), cpu(1), kernel(12), cpu(1)));

/// The low task has the token when the others come.
template <class Order>
[[nodiscard]] auto three_under(Order order) -> takt::trace {
  const std::array offsets{6_ns, 2_ns, 0_ns};
  takt::trace t;
  const auto r =
      takt::simulate(tokens_on(order, 1), three, takt::plan<3>{}, {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(r.completed() == 3);
  CHECK(spans_of(t, 2, 1, stage::kernel) == spans{{1, 13}});
  return t;
}

}  // namespace

TEST_CASE("tokens under the k-FMLP go on in the order of requests") {
  const takt::trace t = three_under(takt::k_fmlp_order);
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{13, 21}});
  CHECK(spans_of(t, 0, 1, stage::kernel) == spans{{21, 25}});
}

TEST_CASE("tokens under the R2DGLP go to the best job that waits") {
  const takt::trace t = three_under(takt::r2dglp_order);
  CHECK(spans_of(t, 0, 1, stage::kernel) == spans{{13, 17}});
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{17, 25}});
}

TEST_CASE("under the CK-OMLP a job lends from its release on, and asks as the best of its core only") {
  const takt::trace t = three_under(takt::ck_omlp_order);
  // The middle one lends until the high one does in its stead, and then stands at the gate until that is complete.
  CHECK(spans_of(t, 1, 0, stage::cpu) == spans{{6, 7}});
  CHECK(spans_of(t, 0, 0, stage::cpu) == spans{{13, 14}});
  CHECK(spans_of(t, 0, 1, stage::kernel) == spans{{14, 18}});
  CHECK(spans_of(t, 2, 2, stage::cpu) == spans{{14, 15}});
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{19, 27}});
}

TEST_CASE("two tokens run two kernels side by side, and their copies queue in the order of requests") {
  constexpr auto tasks = task_set(task("a", period(100_ns), priority(1), cpu(1), copy(6), kernel(4), cpu(1)),
                                  task("b", period(100_ns), priority(2), cpu(1), kernel(4), copy(5), cpu(1)),
                                  task("c", period(100_ns), priority(0), cpu(1), copy(3), kernel(4), cpu(1)));
  const std::array offsets{0_ns, 0_ns, 4_ns};
  takt::trace t;
  const auto r = takt::simulate(tokens_on(takt::k_fmlp_order, 3, 6), tasks, takt::plan<3>{},
                                {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 0, 1, stage::copy) == spans{{1, 7}});
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{2, 4}});
  CHECK(spans_of(t, 1, 2, stage::copy) == spans{{7, 12}});
  CHECK(spans_of(t, 2, 1, stage::copy) == spans{{12, 15}});
  CHECK(spans_of(t, 2, 2, stage::kernel) == spans{{15, 17}});
  CHECK(r.visit_response(2, 1) == 10);
  for (const takt::slice& s : t.slices() | takt::views::slices_on(stage::kernel)) {
    const std::int32_t token = s.task == 2 ? 2 : static_cast<std::int32_t>(s.task);
    CHECK(s.where == takt::track{stage::kernel, 0, 2 * token, 2});
  }
}

TEST_CASE("a section goes on and ends while another job has the core, and so does the next one begin") {
  constexpr auto tasks =
      task_set(task("hog", period(100_ns), priority(0), cpu(30)),
               task("holder", period(100_ns), priority(1), cpu(1), copy(2), kernel(4), copy(2), cpu(1)),
               task("waiter", period(100_ns), priority(2), cpu(1), kernel(5), cpu(1)));
  const std::array offsets{3_ns, 0_ns, 0_ns};
  takt::trace t;
  (void)takt::simulate(tokens_on(takt::k_fmlp_order, 1), tasks, takt::plan<3>{},
                       {.horizon = 100_ns, .offsets = offsets}, t);
  CHECK(spans_of(t, 0, 0, stage::cpu) == spans{{3, 33}});
  CHECK(spans_of(t, 1, 2, stage::kernel) == spans{{3, 7}});
  CHECK(spans_of(t, 1, 3, stage::copy) == spans{{7, 9}});
  CHECK(spans_of(t, 2, 1, stage::kernel) == spans{{9, 14}});
  CHECK(spans_of(t, 1, 4, stage::cpu) == spans{{33, 34}});
}

TEST_CASE("a kernel takes the time that it has on the GPU of its token") {
  constexpr auto board =
      takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                     takt::pool(takt::virtual_sms(1, 1), takt::locked(takt::k_fmlp_order)),
                     takt::pool(takt::virtual_sms(2, 1).at_speed(2), takt::locked(takt::k_fmlp_order)));
  takt::trace t;
  const auto r = takt::simulate(board, three, takt::plan<3>{}, {.horizon = 100_ns}, t);
  CHECK(!r.error);
  CHECK(spans_of(t, 0, 1, stage::kernel) == spans{{1, 5}});
  CHECK(spans_of(t, 1, 1, stage::kernel) == spans{{2, 4}});
  CHECK(spans_of(t, 2, 1, stage::kernel) == spans{{4, 7}});
  for (const takt::slice& s : t.slices() | takt::views::slices_on(stage::kernel)) {
    CHECK(s.where == (s.task == 0 ? takt::track{stage::kernel, 0, 0, 1} : takt::track{stage::kernel, 1, 0, 2}));
  }
}

TEST_CASE("a stretch of length zero does not ask for a token") {
  constexpr auto tasks =
      task_set(task("long", period(100_ns), priority(1), cpu(0), copy(30), kernel(1), cpu(1)),
               task("none", period(100_ns), priority(0), cpu(2), copy(0), kernel(0), copy(0), cpu(2)));
  constexpr auto r = takt::simulate(tokens_on(takt::r2dglp_order, 1), tasks, takt::plan<2>{}, {.horizon = 100_ns});
  static_assert(r.tasks[1].worst_response == 4);
}

TEST_CASE("jobs without any length complete when they come, or when what they lend is given back") {
  constexpr auto tasks = task_set(task("nothing", period(100_ns), priority(0), cpu(0), kernel(0), cpu(0)),
                                  task("low", period(100_ns), priority(1), cpu(1), kernel(12), cpu(1)));
  const std::array offsets{5_ns, 0_ns};
  const auto response = [&](auto order) {
    const auto r = takt::simulate(tokens_on(order, 1), tasks, takt::plan<2>{}, {.horizon = 100_ns, .offsets = offsets});
    CHECK(r.completed() == 2);
    return r.tasks[0].worst_response;
  };
  CHECK(response(takt::r2dglp_order) == 0);
  CHECK(response(takt::ck_omlp_order) == 8);
}

namespace {

constexpr std::size_t most_tasks = 5;
using table = takt::task_table<ticks, most_tasks, 64>;

/// Each task has a core of its own. Times are so long that no two things happen at one instant.
[[nodiscard]] auto random_table(takt::random_stream& random) -> table {
  static constexpr std::array<std::string_view, most_tasks> names{"a", "b", "c", "d", "e"};
  constexpr ticks unit = 1'000'000'000;
  table out;
  const auto add = [&](stage where, ticks most, takt::copy_direction direction = takt::copy_direction::unspecified) {
    const ticks time = random.between(1, most * unit);
    out.add_segment({.where = where, .direction = direction, .time = {time, time}});
  };
  const ticks tasks = random.between(2, most_tasks);
  for (std::size_t i = 0; i < static_cast<std::size_t>(tasks); ++i) {
    const ticks time = random.between(20 * unit, 60 * unit);
    out.add_task(names[i], time, time, static_cast<std::int32_t>(i), static_cast<std::int32_t>(i));
    add(stage::cpu, 5);
    for (ticks stretch = random.below(3); stretch > 0; --stretch) {
      if (random.chance(2, 3)) { add(stage::copy, 3, takt::to_device); }
      add(stage::kernel, 12);
      if (random.chance(1, 2)) { add(stage::copy, 3, takt::to_host); }
      add(stage::cpu, 3);
    }
  }
  return out;
}

/// Longest response of each task until the horizon as a program of locks.
template <class Lock>
[[nodiscard]] auto by_locks(const table& t, const Lock& lock, std::int32_t engines, ticks horizon)
    -> std::vector<ticks> {
  using namespace takt::host;
  using engine = takt::fifo_mutex<most_tasks>;
  lock_bank<Lock, engine> bank;
  const resource_id pool = bank.add(lock);
  for (std::int32_t e = 0; e < engines; ++e) { (void)bank.add(engine{}); }
  const takt::platform_record record{.copy_engines = engines, .gpus = {}};
  takt_tests::lock_programs w;
  for (std::size_t k = 0; k < t.size(); ++k) {
    w.task(t.tasks[k].core);
    bool inside = false;
    for (std::size_t j = 0; j < t.tasks[k].segment_count; ++j) {
      const auto& s = t.segment(k, j);
      if ((s.where != stage::cpu) != inside) { inside ? w.unlock(pool) : w.lock(pool); }
      inside = s.where != stage::cpu;
      const resource_id e = pool + 1 + record.engine_of(s.direction);
      if (s.where == stage::copy) { w.lock(e); }
      inside ? w.suspend(s.time.upper) : w.execute(s.time.upper);
      if (s.where == stage::copy) { w.unlock(e); }
    }
    for (ticks release = 0; release < horizon; release += t.tasks[k].period) {
      w.released(release, {.point = static_cast<std::int64_t>(k)});
    }
  }
  const auto seen = takt_tests::simulate_locks<takt::donation_rules, most_tasks>(
      w, bank, {.clusters = static_cast<std::int32_t>(t.size())});
  const auto ranges = takt_tests::job_ranges(w);
  std::vector<ticks> worst(t.size());
  for (std::size_t k = 0; k < t.size(); ++k) {
    const auto& task = ranges[k];
    for (std::size_t job = task.first_job; job < task.first_job + task.job_count; ++job) {
      if (seen.jobs[job].finish > horizon) { break; }
      worst[k] = std::max(worst[k], seen.jobs[job].finish - seen.jobs[job].release);
    }
  }
  return worst;
}

template <class Order, class MakeLock>
void compare_with_locks(Order order, std::uint64_t seed, MakeLock make) {
  takt::random_stream random{seed};
  for (int run = 0; run < 40; ++run) {
    const table t = random_table(random);
    const auto cores = static_cast<std::int32_t>(t.size());
    const auto tokens = static_cast<std::int32_t>(random.between(1, 3));
    const auto engines = static_cast<std::int32_t>(random.between(1, 2));
    const auto board = takt::platform(takt::pool(takt::processors(cores), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(engines), takt::fifo),
                                      takt::pool(takt::virtual_sms(tokens, 1), takt::locked(order, tokens)));
    constexpr ticks horizon = 2'000'000'000'000;
    const auto seen = takt::simulate(board, t, takt::plan<most_tasks>{}, {.horizon = takt::duration{horizon}});
    REQUIRE(!seen.error);
    const auto expected = by_locks(t, make(tokens, cores), engines, horizon);
    for (std::size_t k = 0; k < t.size(); ++k) {
      CAPTURE(run);
      CAPTURE(k);
      CHECK(seen.tasks[k].worst_response == expected[k]);
    }
  }
}

}  // namespace

TEST_CASE("where each task has its own core, programs of locks see the same responses") {
  compare_with_locks(takt::k_fmlp_order, 1, [](std::int32_t tokens, std::int32_t /*cores*/) {
    return takt::k_fmlp<3, most_tasks>{takt::k_fmlp_options{.replicas = tokens}};
  });
  compare_with_locks(takt::r2dglp_order, 2, [](std::int32_t tokens, std::int32_t cores) {
    return takt::r2dglp<3, most_tasks>{takt::r2dglp_options{.replicas = tokens, .cluster = cores}};
  });
  compare_with_locks(takt::ck_omlp_order, 3,
                     [](std::int32_t tokens, std::int32_t /*cores*/) { return takt::ck_omlp<3, most_tasks>{tokens}; });
}
