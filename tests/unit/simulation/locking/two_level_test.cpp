// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include <takt/report/svg_gantt.hpp>
#include <takt/simulation/trace.hpp>

#include "unit/simulation/locking/fixtures.hpp"

using namespace locking_fixtures;
using takt::simulation::inserted_operations;
using takt::simulation::lock_event;
using takt::simulation::operand;
using takt::simulation::operation_kind;
using takt::simulation::resource_options;

namespace {

using instants = std::vector<ticks>;

constexpr takt::simulation::resource_id tokens = 0;

/// A pool of `per_gpu` tokens for each GPU, and per GPU a row of engines for copies in, kernels and copies out.
struct two_level_system {
  bank locks;
  takt::simulation::resource_id copy_in;
  takt::simulation::resource_id execution;
  takt::simulation::resource_id copy_out;

  two_level_system(std::int32_t gpus, std::int32_t per_gpu, std::int32_t cpus,
                   const bank::any_lock& engine = fifo_mutex{})
      : copy_in{1}, execution{1 + gpus}, copy_out{1 + 2 * gpus} {
    locks.add(r2dglp{{.replicas = gpus * per_gpu, .cluster = cpus}},
              {.is_token_pool = true, .tokens = {.gpus = gpus, .tokens_per_gpu = per_gpu}});
    for (std::int32_t engines = 0; engines < 3; ++engines) {
      for (std::int32_t g = 0; g < gpus; ++g) {
        resource_options o;
        o.shown = {.where = engines == 1 ? takt::stage::kernel : takt::stage::copy,
                   .gpu = engines == 1 ? g : 0,
                   .index = engines == 1 ? 0 : 2 * g + engines / 2};
        locks.add(engine, o);
      }
    }
  }
  void add_job(lock_workload& w, ticks release, std::int64_t priority, ticks in, ticks kernel, ticks out) const {
    w.task().execute(1).lock(tokens);
    w.lock_of_token(copy_in).suspend(in).unlock_of_token(copy_in).execute(1);
    w.lock_of_token(execution).suspend(kernel).unlock_of_token(execution);
    w.lock_of_token(copy_out).suspend(out).unlock_of_token(copy_out);
    w.unlock(tokens).execute(1).released(release, {priority});
  }
};

auto three_jobs(const two_level_system& s) -> lock_workload {
  lock_workload w;
  s.add_job(w, 0, 2, 4, 10, 4);
  s.add_job(w, 1, 1, 4, 8, 4);
  s.add_job(w, 2, 0, 3, 5, 3);
  return w;
}

/// Puts a copy in front of what follows each grant of a token, and keeps what it sees.
struct migration {
  takt::simulation::resource_id engine;
  ticks length;
  std::vector<lock_event> granted_tokens{};
  std::vector<lock_event> released_tokens{};

  void granted(const lock_event& e, inserted_operations& inserted) {
    if (e.resource != tokens) { return; }
    granted_tokens.push_back(e);
    takt::simulation::operands on;
    on.push_back(operand{engine, true});
    inserted.push_back({.what = operation_kind::lock, .on = on});
    inserted.push_back({.what = operation_kind::suspend, .time = length});
    inserted.push_back({.what = operation_kind::unlock, .on = on});
  }
  void releasing(const lock_event& e) {
    if (e.resource == tokens) { released_tokens.push_back(e); }
  }
};

}  // namespace

TEST_CASE("GSD-74 two tokens of one GPU, three engines in the order of requests") {
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

TEST_CASE("GSD-74 an engine in priority order goes to the waiter of best effective priority") {
  const auto grants = [](const bank::any_lock& engine) {
    bank b = bank_with(engine);
    lock_workload w;
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
    lock_workload w;
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

TEST_CASE("GSD-63 operations put in front of a section at the grant run before it") {
  two_level_system s(1, 2, 2);
  migration m{.engine = s.copy_in, .length = 5};
  lock_workload w;
  s.add_job(w, 0, 0, 4, 10, 4);
  takt::no_trace unheard;
  const auto r = simulate_locks(w, s.locks, {.processors = 2}, unheard, m);
  REQUIRE(m.granted_tokens.size() == 1);
  CHECK(m.granted_tokens[0].time == 1);
  CHECK(grants_of(r, 0) == instants{1, 1, 6, 11, 21});
  REQUIRE(m.released_tokens.size() == 1);
  CHECK(m.released_tokens[0].used - m.granted_tokens[0].used == 5 + 4 + 1 + 10 + 4);
  CHECK(finishes_of(r) == instants{26});
}

TEST_CASE("operations put in front of others that a grant put there stop the run when they do not fit") {
  struct eight_then_two {
    void granted(const lock_event& e, inserted_operations& inserted) const {
      takt::simulation::operands inner;
      inner.push_back(operand{1});
      if (e.resource == 0) { inserted.push_back({.what = operation_kind::lock, .on = inner}); }
      for (int i = 0; i < (e.resource == 0 ? 6 : 2); ++i) { inserted.push_back({.time = 1}); }
      if (e.resource == 0) { inserted.push_back({.what = operation_kind::unlock, .on = inner}); }
    }
    void releasing(const lock_event& /*e*/) const {}
  };
  bank b;
  b.add(fifo_mutex{});
  b.add(fifo_mutex{});
  lock_workload w;
  w.task().lock(0).execute(1).unlock(0).released(3, {0});
  takt::no_trace unheard;
  eight_then_two hooks;
  const auto r = simulate_locks(w, b, {}, unheard, hooks);
  CHECK(r.error.fault == takt::model_fault::too_many_inserted);
  CHECK(r.end == 3);
}

TEST_CASE("GSD-28 a group lock has all its locks before it goes on, and passes its priority to one holder") {
  bank b;
  b.add(fifo_mutex{});
  b.add(fifo_mutex{});
  lock_workload w;
  const std::vector<operand> both{{0}, {1}};
  w.task().lock(0).suspend(6).unlock(0).released(0, {2});
  w.task().lock(1).suspend(9).unlock(1).released(0, {3});
  w.task().lock(both).suspend(2).unlock(both).released(1, {1});
  w.task().lock(0).suspend(1).unlock(0).released(2, {0});
  takt::no_trace unheard;
  takt::simulation::no_lock_hooks alone;
  takt::simulation::lock_simulator<bank, takt::no_trace, takt::simulation::no_lock_hooks, takt::donation_rules> s{
      w, b, {.processors = 4}, unheard, alone};
  s.run_until(1);
  CHECK(s.effective(0) == takt::priority_point{1});
  CHECK(s.effective(1) == takt::priority_point{3});
  s.run_until(6);
  CHECK(s.effective(2) == takt::priority_point{0});
  CHECK(s.effective(1) == takt::priority_point{0});
  const auto r = s.run();
  CHECK(grants_of(r, 2) == instants{6, 9});
  CHECK(r.jobs[2].finish == 11);
  CHECK(grants_of(r, 3) == instants{11});
}

TEST_CASE("GSD-74 a trace shows each engine on its own line and a picture of it has them all") {
  two_level_system s(1, 2, 2);
  takt::trace t;
  takt::simulation::no_lock_hooks alone;
  const auto r = simulate_locks(three_jobs(s), s.locks, {.processors = 2}, t, alone);
  for (const auto& slice : t.slices()) {
    CHECK(slice.start < slice.end);
    for (const auto& other : t.slices()) {
      const bool same = &slice == &other || !(slice.where == other.where);
      CHECK((same || slice.end <= other.start || other.end <= slice.start));
    }
  }
  ticks kernels = 0;
  for (const auto& slice : t.slices()) {
    if (slice.where.where == takt::stage::kernel) { kernels += slice.end - slice.start; }
  }
  CHECK(kernels == 10 + 8 + 5);
  CHECK(takt::report::units_of({t.slices(), t.marks(), {}}).size() == 1 + 2 + 1);
  std::ostringstream picture;
  takt::report::write_svg_gantt(picture, {t.slices(), t.marks(), {}});
  CHECK(picture.str().find("core 0") != std::string::npos);
  CHECK(picture.str().find("engine 1") != std::string::npos);
  CHECK(r.jobs.size() == 3);
}
