// SPDX-License-Identifier: Apache-2.0
// What must hold in every run of whole kernels, checked from its slices alone, late jobs and overload included.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/simulation/trace.hpp>
#include "support/environment.hpp"
#include "support/kernel_runs.hpp"
#include "support/traces.hpp"

namespace {

using takt::ticks;

constexpr std::size_t most = 5;
constexpr std::int32_t cores = 2;
constexpr ticks end_of_releases = 120;
constexpr ticks never = std::numeric_limits<ticks>::max();
using kernels = takt::task_rows<takt::accelerator_task<ticks>, most>;
using options = kernel_runs::options;
using releases = kernel_runs::listed_releases;

constexpr std::array<std::string_view, most> names{"a", "b", "c", "d", "e"};

/// Loads from light to twice of what fits.
auto random_kernels(takt::random_stream& random, bool waves) -> kernels {
  kernels out;
  const ticks count = random.between(1, most);
  const ticks load = random.between(2, 10);
  for (ticks i = 0; i < count; ++i) {
    const auto core = static_cast<std::int32_t>(random.between(-1, cores - 1));
    const ticks wcet = random.between(1, 8);
    const ticks period = std::max(wcet, wcet * count * load / 8 + random.between(0, 6));
    out.add({.name = names[static_cast<std::size_t>(i)],
             .wcet = wcet,
             .period = period,
             .deadline = period - random.below(period / 2 + 1),
             .preemption_cost = waves ? random.between(0, std::min<ticks>(wcet, 4)) : 0,
             .width = core < 0 ? takt::kernel_width::all_cores : takt::kernel_width::one_core,
             .core = core,
             .priority = static_cast<std::int32_t>((i * 5 + 2) % 7)});
  }
  return out;
}

struct seen_job {
  std::uint32_t task = 0;
  ticks release = 0;
  ticks front = 0;  ///< when it is released and the one before of its task is over
  ticks work = 0;
  ticks point = 0;
  ticks end = never;
  std::vector<takt::slice> slices{};

  /// Order of importance.
  [[nodiscard]] auto goes_before(const seen_job& b) const -> bool {
    return std::tie(point, release, task) < std::tie(b.point, b.release, b.task);
  }
  [[nodiscard]] auto waits_within(ticks from, ticks to) const -> bool { return front < to && from < end; }
};

template <takt::JobPriority Order>
auto jobs_of(const kernels& set, const releases& from, const takt::trace& seen) -> std::vector<seen_job> {
  std::vector<seen_job> out;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    ticks before = 0;
    for (std::uint64_t number = 0; const auto& planned : from.of(i)) {
      seen_job j{.task = i, .release = planned.release, .work = planned.work};
      const auto& t = set.tasks[i];
      takt::priority_point p{};
      REQUIRE(Order::point({.deadline = t.deadline, .priority = t.priority}, planned.release, p));
      j.point = p.point;
      for (const takt::mark& m : seen.marks()) {
        if (m.what == takt::mark_kind::completion && m.task == i && m.job == number) { j.end = m.time; }
      }
      for (const takt::slice& s : seen.slices()) {
        if (s.task == i && s.job == number) { j.slices.push_back(s); }
      }
      std::ranges::sort(j.slices, {}, &takt::slice::start);
      j.front = std::max(planned.release, before);
      before = j.end;
      out.push_back(j);
      ++number;
    }
  }
  return out;
}

auto share_cores(const takt::slice& a, const takt::slice& b) -> bool {
  const bool in_time = a.start < b.end && b.start < a.end;
  const bool on_cores = a.where.index < b.where.index + b.where.count && b.where.index < a.where.index + a.where.count;
  return in_time && on_cores;
}

/// Kernels do all their work and no more, one job of a task after the other, and never two on one core.
auto is_sane(const std::vector<seen_job>& jobs, const takt::trace& seen) -> bool {
  bool sane = true;
  for (const seen_job& j : jobs) {
    ticks done = 0;
    for (const takt::slice& s : j.slices) {
      done += s.end - s.start;
      sane = sane && s.start >= j.front && s.end <= j.end;
    }
    sane = sane && (j.end == never ? done <= j.work : done == j.work && j.slices.back().end == j.end);
  }
  const auto all = seen.slices();
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) { sane = sane && !share_cores(all[a], all[b]); }
  }
  return sane;
}

/// Nobody starts before a more important job that had come before that instant.
auto starts_in_order(const std::vector<seen_job>& jobs) -> bool {
  bool ordered = true;
  for (const seen_job& j : jobs) {
    ordered = ordered && j.slices.size() == 1;
    for (const seen_job& other : jobs) {
      const ticks start = j.slices.front().start;
      const bool waited = other.release < start && other.front <= start && other.slices.front().start > start;
      ordered = ordered && !(waited && other.goes_before(j));
    }
  }
  return ordered;
}

/// Nobody runs while a job with a lesser point waits.
auto preempts_at_once(const std::vector<seen_job>& jobs) -> bool {
  bool ordered = true;
  for (const seen_job& j : jobs) {
    for (const takt::slice& s : j.slices) {
      for (const seen_job& other : jobs) {
        ordered = ordered && !(other.point < j.point && other.waits_within(s.start, s.end));
      }
    }
  }
  return ordered;
}

auto is_within(const takt::slot_reservation<ticks>& slot, const takt::slice& s) -> bool {
  const ticks phase = (s.start - slot.offset + slot.period) % slot.period;
  return phase + (s.end - s.start) <= slot.budget;
}

struct counts {
  std::uint64_t runs = 0;
  std::uint64_t late = 0;  ///< with deadlines missed
  std::uint64_t wrong = 0;
};

template <takt::JobPriority Order, class Strategy, class Check>
void run_one(const Strategy& strategy, const kernels& set, const releases& jobs, const options& how, const Check& check,
             counts& out) {
  takt::trace seen;
  const auto result = kernel_runs::simulate_kernels(Order{}, strategy, set, jobs, how, seen);
  REQUIRE_FALSE(result.error);
  const auto all = jobs_of<Order>(set, jobs, seen);
  ++out.runs;
  out.late += result.misses() > 0 ? 1U : 0U;
  out.wrong += is_sane(all, seen) && check(all, seen) ? 0U : 1U;
}

/// Random systems under both orders.
template <class Strategy, class How, class Check>
void expect_runs(bool waves, const Strategy& strategy, const How& how, const Check& check) {
  counts seen;
  const auto systems = takt_tests::from_environment<std::uint64_t>("TAKT_SYSTEMS", 1000);
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    takt::random_stream random{seed};
    const kernels set = random_kernels(random, waves);
    const releases jobs = kernel_runs::hostile_releases(set, end_of_releases, random.next());
    const options o = how(random);
    const auto checked = [&](const auto& all, const takt::trace& t) { return check(all, t, o); };
    if (random.chance(1, 2)) {
      run_one<takt::by_absolute_deadline_alone>(strategy, set, jobs, o, checked, seen);
    } else {
      run_one<takt::by_given_priority>(strategy, set, jobs, o, checked, seen);
    }
  }
  MESSAGE(seen.runs << " runs, " << seen.late << " with late jobs, " << seen.wrong << " wrong");
  CHECK(seen.late * 4 > seen.runs);
  CHECK(seen.late < seen.runs);
  CHECK(seen.wrong == 0);
}

auto by_waves(takt::random_stream& random) -> options {
  return {.costs = random.chance(1, 2) ? takt::preemption_cost_model::ideal : takt::preemption_cost_model::race};
}
auto any_run(const std::vector<seen_job>& /*jobs*/, const takt::trace& /*seen*/, const options& /*o*/) -> bool {
  return true;
}

}  // namespace

TEST_CASE("one stream serves job by job, the most important that has come, also of those that are late" *
          takt_tests::traces("AP-08")) {
  expect_runs(
      true, takt::level_stack<most>{1, cores}, by_waves,
      [](const auto& jobs, const takt::trace& /*seen*/, const options& /*o*/) { return starts_in_order(jobs); });
}

TEST_CASE("with a level for each kernel and free preemption nobody runs while a more important job waits" *
          takt_tests::traces("AP-09")) {
  expect_runs(
      false, takt::level_stack<most>{most, cores}, by_waves,
      [](const auto& jobs, const takt::trace& /*seen*/, const options& /*o*/) { return preempts_at_once(jobs); });
}

TEST_CASE("kernels on levels and as gangs do their work, and never two on one core" *
          takt_tests::traces("AP-10 AP-X11")) {
  expect_runs(true, takt::level_stack<most>{2, cores}, by_waves, any_run);
  expect_runs(true, takt::event_driven_gang<most, cores>{cores, 2}, by_waves, any_run);
  expect_runs(true, takt::event_driven_gang<most, cores, takt::strict_order>{cores}, by_waves, any_run);
}

TEST_CASE("kernels with a guard band stay in their slots" * takt_tests::traces("AP-15 AP-X04")) {
  const auto in_slots = [](takt::random_stream& random) -> options {
    const ticks first = random.between(9, 16);
    const ticks second = random.between(9, 16);
    const ticks period = first + second + random.between(0, 2);
    const ticks shift = random.below(period);
    return {.costs = takt::preemption_cost_model::ideal,
            .pinned_slot = {shift, first, period},
            .gang_slot = {(shift + first) % period, second, period},
            .guard_band = true};
  };
  expect_runs(true, takt::slotted_cores<most, cores>{cores, 2}, in_slots,
              [](const auto& /*jobs*/, const takt::trace& seen, const options& o) {
                return std::ranges::all_of(seen.slices(), [&](const takt::slice& s) {
                  return is_within(s.where.count > 1 ? o.gang_slot : o.pinned_slot, s);
                });
              });
}
