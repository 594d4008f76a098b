// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include <takt/report/svg_gantt.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/trace_rows.hpp>
#include <takt/simulation/trace.hpp>

#include "support/traces.hpp"
#include "unit/simulation/locks/fixtures.hpp"

using namespace locking_fixtures;
using takt_tests::operand;

namespace {

using instants = std::vector<ticks>;

constexpr takt::host::resource_id tokens = 0;

/// A pool of `per_gpu` tokens for each GPU, and per GPU a row of engines for copies in, kernels and copies out.
struct two_level_system {
  bank locks;
  takt::host::resource_id copy_in;
  takt::host::resource_id execution;
  takt::host::resource_id copy_out;
  takt::token_map map{};

  two_level_system(std::int32_t gpus, std::int32_t per_gpu, std::int32_t cpus,
                   const bank::any_lock& engine = fifo_mutex{})
      : copy_in{1}, execution{1 + gpus}, copy_out{1 + 2 * gpus} {
    locks.add(r2dglp{{.replicas = gpus * per_gpu, .cluster = cpus}});
    for (std::int32_t engines = 0; engines < 3 * gpus; ++engines) { locks.add(engine); }
    map = {.gpus = gpus, .tokens_per_gpu = per_gpu};
  }
  void add_job(lock_programs& w, ticks release, std::int64_t priority, ticks in, ticks kernel, ticks out) const {
    w.task().token_pool(tokens, map).execute(1).lock(tokens);
    w.lock_of_token(copy_in).suspend(in).unlock_of_token(copy_in).execute(1);
    w.lock_of_token(execution).suspend(kernel).unlock_of_token(execution);
    w.lock_of_token(copy_out).suspend(out).unlock_of_token(copy_out);
    w.unlock(tokens).execute(1).released(release, {priority});
  }
};

auto three_jobs(const two_level_system& s) -> lock_programs {
  lock_programs w;
  s.add_job(w, 0, 2, 4, 10, 4);
  s.add_job(w, 1, 1, 4, 8, 4);
  s.add_job(w, 2, 0, 3, 5, 3);
  return w;
}

}  // namespace

TEST_CASE("two tokens of one GPU, three engines in the order of requests" * takt_tests::traces("GSD-74")) {
  two_level_system s(1, 2, 2);
  const auto r = simulate_locks(three_jobs(s), s.locks, {.processors = 2});
  CHECK_FALSE(r.error);
  CHECK(finishes_of(r) == instants{21, 29, 33});
  CHECK(grants_of(r, 0).front() == 1);
  CHECK(grants_of(r, 1) == instants{2, 5, 16, 24});
  CHECK(grants_of(r, 2).front() == 20);
  CHECK(r.jobs[2].inversion.waiting == 17);
  instants waits;
  for (const auto& q : r.requests) {
    if (q.job == 1) { waits.push_back(q.satisfied - q.issued); }
  }
  CHECK(waits == instants{0, 3, 6, 0});
}

TEST_CASE("an engine in priority order goes to the waiter of best effective priority" * takt_tests::traces("GSD-74")) {
  const auto grants = [](const bank::any_lock& engine) {
    bank b = bank_with(engine);
    lock_programs w;
    w.task().lock(0).suspend(10).unlock(0).released(0, {5});
    w.task().lock(0).suspend(1).unlock(0).released(1, {9});
    w.task().lock(0).suspend(1).unlock(0).released(2, {2});
    const auto r = simulate_locks(w, b, {.processors = 2});
    return instants{grants_of(r, 1).front(), grants_of(r, 2).front()};
  };
  CHECK(grants(fifo_mutex{}) == instants{10, 11});
  CHECK(grants(priority_mutex{}) == instants{11, 10});

  // The job of priority 9 holds a token that the most important job waits for, and so comes before that of priority 2.
  const auto inherited = [](const bank::any_lock& engine) {
    bank b;
    b.add(fifo_mutex{});
    b.add(engine);
    lock_programs w;
    w.task().lock(1).suspend(10).unlock(1).released(0, {5});
    w.task().lock(0).execute(3).lock(1).suspend(1).unlock(1).unlock(0).released(0, {9});
    w.task().lock(1).suspend(1).unlock(1).released(2, {2});
    w.task().lock(0).suspend(1).unlock(0).released(6, {1});
    const auto r = simulate_locks(w, b, {.processors = 2});
    return instants{grants_of(r, 1).back(), grants_of(r, 2).front()};
  };
  CHECK(inherited(fifo_mutex{}) == instants{11, 10});
  CHECK(inherited(priority_mutex{}) == instants{10, 11});
}

TEST_CASE("a group lock has all its locks before it goes on, and passes its priority to one holder" *
          takt_tests::traces("GSD-28")) {
  bank b;
  b.add(fifo_mutex{});
  b.add(fifo_mutex{});
  lock_programs w;
  const std::vector<operand> both{{0}, {1}};
  w.task().lock(0).suspend(6).unlock(0).released(0, {2});
  w.task().lock(1).suspend(9).unlock(1).released(0, {3});
  w.task().lock(both).suspend(2).unlock(both).released(1, {1});
  w.task().lock(0).suspend(1).unlock(0).released(2, {0});
  takt::null_recorder null_sink;
  takt_tests::lock_run<bank> s{w, b, {.processors = 4}, null_sink};
  s.run_until(1);
  CHECK(s.effective(0) == 1);
  CHECK(s.effective(1) == 3);
  s.run_until(6);
  CHECK(s.effective(2) == 0);
  CHECK(s.effective(1) == 0);
  const auto r = s.run();
  CHECK(grants_of(r, 2) == instants{6, 9});
  CHECK(r.jobs[2].finish == 11);
  CHECK(grants_of(r, 3) == instants{11});
}

TEST_CASE("a trace shows each engine on its own line and a picture of it has them all" * takt_tests::traces("GSD-74")) {
  two_level_system s(1, 2, 2);
  takt::trace t;
  const auto r = simulate_locks(three_jobs(s), s.locks, {.processors = 2}, t);
  for (const auto& slice : t.slices()) {
    CHECK(slice.start < slice.end);
    for (const auto& other : t.slices()) {
      const bool same = &slice == &other || !(slice.where == other.where);
      CHECK((same || slice.end <= other.start || other.end <= slice.start));
    }
  }
  const takt::track engine{.where = takt::stage::copy, .index = s.execution};
  const ticks kernels = takt::views::busy_time(t.slices() | takt::views::slices_on(engine));
  CHECK(kernels == 10 + 8 + 5);
  CHECK(takt::report::trace_rows{{t.slices(), t.marks(), {}}}.rows().size() == 2 + 3);
  std::ostringstream picture;
  takt::report::write_svg_gantt(picture, {t.slices(), t.marks(), {}});
  CHECK(picture.str().find("core 0") != std::string::npos);
  CHECK(picture.str().find("engine 1") != std::string::npos);
  CHECK(r.jobs.size() == 3);
}
