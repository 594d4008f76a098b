// SPDX-License-Identifier: Apache-2.0
// Holds simulated waiting behind bottom halves against a bound, and the lives of operations against their definition.
// TAKT_RANDOM_INTERRUPT_SYSTEMS sets how many systems each case looks at.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/simulate.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

using namespace takt::simulation;
using takt::ticks;

namespace {

using takt_tests::from_environment;

struct random_shape {
  std::int32_t processors = 1;
  bool asynchronous = false;
};

/// Few engines, short executions and bottom halves as long as these, so that operations end while others compute.
/// Task 0 is the most important, as the points ascend.
[[nodiscard]] auto random_workload(takt::random_stream& random, const random_shape& shape) -> interrupt_workload {
  interrupt_workload w;
  for (auto d = random.between(1, 2); d > 0; --d) {
    const std::int32_t device = w.device(static_cast<std::int32_t>(random.below(shape.processors)));
    for (auto e = random.between(1, 3); e > 0; --e) {
      w.engine(device, {.where = takt::stage::copy, .index = static_cast<std::int32_t>(w.engines().size())});
    }
  }
  const auto engines = static_cast<ticks>(w.engines().size());
  const auto tasks = random.between(2, 6);
  for (ticks t = 0; t < tasks; ++t) {
    w.task(10 * t).execute(random.between(0, 6));
    for (auto o = random.between(0, 3); o > 0; --o) {
      w.begin({.engine = static_cast<std::int32_t>(random.below(engines)),
               .time = random.between(1, 8),
               .top_half = random.between(0, 2),
               .bottom_half = random.between(0, 5),
               .work_item = random.chance(1, 3) ? random.between(1, 3) : 0,
               .callback = random.between(0, 3)});
      if (shape.asynchronous && random.chance(1, 2)) { w.execute(random.between(0, 8)); }
      w.await().execute(random.between(0, 6));
    }
    ticks release = random.between(0, 10);
    for (auto j = random.between(1, 3); j > 0; --j) {
      w.released(release);
      release += random.between(0, 40);
    }
  }
  return w;
}

template <class Examine>
void over_random_workloads(const random_shape& shape, const Examine& examine) {
  takt::random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = from_environment("TAKT_RANDOM_INTERRUPT_SYSTEMS", 500);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = seeds.next();
    CAPTURE(seed);
    takt::random_stream random{seed};
    examine(random_workload(random, shape));
  }
}

/// Operations of the programs of tasks from `first` up to `last`.
template <class Visit>
void for_operations(const interrupt_workload& w, std::size_t first, std::size_t last, Visit visit) {
  for (std::size_t t = first; t < last; ++t) {
    for (const interrupt_step& s : w.program(w.tasks()[t])) {
      if (s.what == interrupt_step_kind::issue) { visit(t, s.operation); }
    }
  }
}
[[nodiscard]] auto device_of(const interrupt_workload& w, std::int32_t engine) -> std::int32_t {
  return w.engines()[static_cast<std::size_t>(engine)].device;
}

struct waiting_bound {
  ticks interrupts = 0;
  ticks threads = 0;
};

/// On one processor, with synchronous operations and inheriting daemons and callback threads: for how long a job waits
/// at most behind less important ones in one interval of need.
///
/// In the interval some thread of the job's rank or better could run all the time, so a less important job runs only
/// while a more important one waits for its engine, and then only to issue its operation or to unlock. So each has at
/// most one operation of which something is done in the interval: one top half; one bottom half, if a job that is at
/// least as important as the waiting one is suspended on that device, or waits there for an engine; one callback, if a
/// more important one waits for that engine.
[[nodiscard]] auto bound_of(const interrupt_workload& w, const interrupt_result& r, const processor_need& need)
    -> waiting_bound {
  std::vector<bool> devices(w.devices().size());
  std::vector<bool> engines(w.engines().size());
  for_operations(w, 0, need.task, [&](std::size_t, const device_operation& o) {
    devices[static_cast<std::size_t>(device_of(w, o.engine))] = true;
    engines[static_cast<std::size_t>(o.engine)] = true;
  });
  for (const operation_life& l : r.lives) {
    const bool ends_before = l.task == need.task && l.job == need.job && l.engine.end == need.from;
    if (ends_before) { devices[static_cast<std::size_t>(device_of(w, l.engine_number))] = true; }
  }
  waiting_bound out;
  for (std::size_t t = need.task + 1; t < w.tasks().size(); ++t) {
    ticks top = 0;
    ticks bottom = 0;
    ticks callback = 0;
    for_operations(w, t, t + 1, [&](std::size_t, const device_operation& o) {
      top = std::max(top, o.top_half);
      if (devices[static_cast<std::size_t>(device_of(w, o.engine))]) {
        bottom = std::max(bottom, o.bottom_half + o.work_item);
      }
      if (engines[static_cast<std::size_t>(o.engine)]) { callback = std::max(callback, o.callback); }
    });
    out.interrupts += top;
    out.threads += bottom + callback;
  }
  return out;
}

struct comparison {
  std::uint64_t needs = 0;
  std::uint64_t attained = 0;  ///< bounds above zero that were reached
  std::uint64_t exceeded = 0;
};

template <BottomHalfPolicy Policy>
[[nodiscard]] auto compare_with_bound(const Policy& policy, const callback_threads& callbacks) -> comparison {
  comparison out;
  over_random_workloads({}, [&](const interrupt_workload& w) {
    const interrupt_result r = simulate_interrupts(w, policy, {.callbacks = callbacks});
    REQUIRE_FALSE(r.error);
    for (const processor_need& n : r.needs) {
      const waiting_bound bound = bound_of(w, r, n);
      ++out.needs;
      out.attained += n.behind_threads > 0 && n.behind_threads == bound.threads ? 1U : 0U;
      out.exceeded += n.behind_threads > bound.threads || n.behind_interrupts > bound.interrupts ? 1U : 0U;
    }
  });
  MESSAGE(out.needs, " stretches, ", out.attained, " bounds attained, ", out.exceeded, " exceeded");
  return out;
}

void check_lives(const interrupt_workload& w, const interrupt_result& r) {
  std::size_t issued = 0;
  for_operations(w, 0, w.tasks().size(),
                 [&](std::size_t t, const device_operation&) { issued += w.tasks()[t].job_count; });
  REQUIRE(r.lives.size() == issued);
  for (const operation_life& l : r.lives) {
    REQUIRE(l.requested <= l.engine.start);
    REQUIRE(l.engine.start < l.engine.end);
    for (const auto& [before, after] :
         {std::pair{l.engine.end, l.top_half}, {l.top_half.end, l.bottom_half}, {l.bottom_half.end, l.callback}}) {
      REQUIRE(before <= after.start);
      REQUIRE(after.start <= after.end);
    }
    REQUIRE(l.callback.end <= l.resumed);
  }
}

/// No unit does two things at once, and each segment of each job gets its time.
void check_trace(const interrupt_workload& w, const takt::trace& seen) {
  std::map<std::tuple<takt::stage, std::int32_t>, std::vector<takt::slice>> units;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, ticks> worked;
  for (const takt::slice& s : seen.slices()) {
    REQUIRE(s.start < s.end);
    units[{s.where.where, s.where.index}].push_back(s);
    worked[{s.task, s.job, s.segment}] += s.end - s.start;
  }
  for (auto& [unit, slices] : units) {
    std::ranges::sort(slices, {}, &takt::slice::start);
    for (std::size_t i = 1; i < slices.size(); ++i) { REQUIRE(slices[i - 1].end <= slices[i].start); }
  }
  for (std::uint32_t t = 0; t < w.tasks().size(); ++t) {
    for (std::uint64_t j = 0; j < w.tasks()[t].job_count; ++j) {
      const auto check = [&](std::uint32_t segment, ticks time) { REQUIRE((worked[{t, j, segment}]) == time); };
      for (const interrupt_step& s : w.program(w.tasks()[t])) {
        if (s.what == interrupt_step_kind::execute) { check(s.segment, s.time); }
        if (s.what != interrupt_step_kind::issue) { continue; }
        const device_operation& o = s.operation;
        check(s.segment, o.time);
        check(s.segment + 1, o.top_half);
        check(s.segment + 2, o.bottom_half + o.work_item);
        check(s.segment + 3, o.callback);
      }
    }
  }
}

/// `doubles`: the threads of two devices may have one rank, or a daemon and a callback thread.
template <BottomHalfPolicy Policy>
void check_runs(const Policy& policy, bool doubles) {
  for (const std::int32_t processors : {1, 2, 3}) {
    over_random_workloads({processors, true}, [&](const interrupt_workload& w) {
      takt::trace seen;
      const interrupt_result r = simulate_interrupts(w, policy, {.processors = processors}, seen);
      REQUIRE_FALSE(r.error);
      REQUIRE(std::ranges::count(r.finishes, takt::no_instant) == 0);
      check_lives(w, r);
      check_trace(w, seen);
      if (!doubles) { REQUIRE(r.doubled == 0); }
    });
  }
}

}  // namespace

TEST_CASE("under inheritance no job waits behind less important ones for longer than its bound" *
          takt_tests::traces("GSD-43 GSD-45")) {
  const comparison inherited = compare_with_bound(inheriting_halves{}, {});
  CHECK(inherited.exceeded == 0);
  CHECK(inherited.attained > 0);
  const comparison each = compare_with_bound(individual_halves{}, {});
  CHECK(each.exceeded == 0);
  CHECK(each.attained > 0);
}

TEST_CASE("the bound under inheritance is exceeded by threads of fixed priority and by callbacks of their own") {
  CHECK(compare_with_bound(fixed_priority_halves{takt::thread_rank{.point = -1}}, {}).exceeded > 0);
  CHECK(compare_with_bound(fixed_priority_halves{takt::thread_rank{.point = 25}}, {}).exceeded > 0);
  CHECK(compare_with_bound(soft_interrupts{}, {}).exceeded > 0);
  CHECK(compare_with_bound(inheriting_halves{}, {.inherit = false}).exceeded > 0);
}

TEST_CASE("every operation lives its life in order, under every policy and on several processors" *
          takt_tests::traces("GSD-58")) {
  check_runs(inheriting_halves{}, false);
  check_runs(individual_halves{}, false);
  check_runs(soft_interrupts{2}, false);
  check_runs(fixed_priority_halves{takt::thread_rank{.point = 25}}, true);
  check_runs(served_halves{takt::thread_rank{.point = -1}, sporadic_server{2, 7}}, true);
  check_runs(inheriting_halves{lending::until_woken}, true);
}
