// SPDX-License-Identifier: Apache-2.0
#include <takt/report/trace_queries.hpp>
#include <takt/runtime/executor/run.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <range/v3/algorithm/max.hpp>
#include <range/v3/range/conversion.hpp>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/any_board.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include "support/trace_checker.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;

/// Asks the system for nothing, so that answers do not hang on what it grants.
auto plain(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

constexpr auto tasks = takt::task_set(takt::task("camera", takt::period(20_ms), takt::cpu(1_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(4_ms)), takt::copy(1_ms), takt::cpu(1_ms)),
                                      takt::task("control", takt::period(10_ms), takt::cpu(500_us)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 1), takt::federated));

}  // namespace

TEST_CASE("a composed board runs on threads: jobs come once per period and do all their visits in order") {
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  REQUIRE(verdict.schedulable());
  takt::trace seen;
  const auto ran = rt::run(board, tasks, verdict.plan, plain(200_ms), seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.tasks.size() == 2);
  CHECK(ran.tasks[0].name == "camera");
  CHECK(ran.tasks[0].released == 10);
  CHECK(ran.tasks[1].released == 20);
  CHECK(ran.tasks[0].completed > 0);
  CHECK(ran.tasks[0].unfinished == ran.tasks[0].released - ran.tasks[0].completed);
  // No slice of a job starts before the one of the visit before has ended.
  const auto camera = seen.slices() | takt::views::of_task(0) | ranges::to<std::vector<takt::slice>>;
  for (const takt::slice& a : camera) {
    for (const takt::slice& b : camera) {
      if (a.job == b.job && a.segment < b.segment) { CHECK(a.end <= b.start); }
    }
  }
  CHECK_FALSE(camera.empty());
}

TEST_CASE("code takes the place of the time on a processor, and gets the number of the job") {
  std::vector<std::uint64_t> jobs;
  rt::visit_codes codes;
  codes.cpu(1, 0, [&jobs](std::uint64_t job) { jobs.push_back(job); });
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  const auto ran = rt::run(board, tasks, verdict.plan, plain(100_ms), codes);
  REQUIRE_FALSE(ran.error);
  REQUIRE_FALSE(jobs.empty());
  for (std::size_t k = 0; k < jobs.size(); ++k) { CHECK(jobs[k] == k); }
  CHECK(ran.tasks[1].completed == jobs.size());
}

TEST_CASE("code for a visit that is not on a processor binds nothing") {
  rt::visit_codes codes;
  codes.cpu(0, 1, [](std::uint64_t) {});
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  const auto ran = rt::run(board, tasks, verdict.plan, plain(10_ms), codes);
  CHECK(ran.status() == takt::observation_status::wrong_binding);
}

TEST_CASE("a job takes at least the time of its visits, and misses where its processor is overloaded") {
  auto options = plain(200_ms);
  options.lengths = rt::length_choice::upper;
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  const auto ran = rt::run(board, tasks, verdict.plan, options);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.tasks[0].best_response >= (5_ms).count());
  CHECK(ran.tasks[1].best_response >= (500_us).count());

  constexpr auto heavy = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(8_ms)),
                                        takt::task("b", takt::period(10_ms), takt::cpu(8_ms)));
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::edf));
  takt::trace seen;
  const auto late = rt::run(one, heavy, takt::plan<2, 2>{}, options, seen);
  REQUIRE_FALSE(late.error);
  CHECK(late.misses() > 0);
  const takt::ticks last =
      ranges::max(seen.marks() | takt::views::marks_of(takt::mark_kind::completion) | takt::views::times);
  // One processor served both: what was done took its time.
  CHECK(static_cast<takt::ticks>(late.completed()) * (8_ms).count() <= last);
  CHECK(late.tasks[0].released == 20);
  CHECK(late.tasks[1].released == 20);
}

TEST_CASE("a job that ends without code is complete when its last visit is, not when its code was") {
  auto options = plain(200_ms);
  options.lengths = rt::length_choice::upper;
  constexpr auto sender = takt::task_set(takt::task("sender", takt::period(20_ms), takt::cpu(1_ms), takt::copy(9_ms)));
  constexpr auto link =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo));
  takt::trace seen;
  const auto ran = rt::run(link, sender, takt::plan<1, 2>{}, options, seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.completed() > 0);
  CHECK(ran.tasks[0].best_response >= (10_ms).count());
  for (const takt::mark& m : seen.marks() | takt::views::marks_of(takt::mark_kind::completion)) {
    for (const takt::slice& s : seen.slices()) { CHECK((s.job != m.job || s.end <= m.time)); }
  }
}

TEST_CASE("a job of branches is complete when the last of them is, also where an earlier one is heard of later") {
  takt::runtime_task_set<2, 3> set;
  const auto copy = [&set](takt::ticks time) {
    takt::runtime_visit v{.where = takt::resource_kind::copy_engine, .time = {time, time}};
    v.known.add(takt::visit_fact::time);
    REQUIRE(set.add_visit(v));
  };
  const takt::ticks period = (100_ms).count();
  REQUIRE(set.add_task({.name = "branches", .period = period, .deadline = period}));
  copy((20_ms).count());
  takt::runtime_visit code{.where = takt::resource_kind::processor, .time = {1'000, 1'000}};
  code.known.add(takt::visit_fact::time);
  REQUIRE(set.add_visit(code));
  REQUIRE(set.add_task({.name = "late", .period = period, .deadline = period}));
  copy((60_ms).count());
  constexpr auto link =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(2), takt::fifo));
  rt::visit_codes codes;
  codes.cpu(0, 1, [](std::uint64_t) { rt::sleep_until(rt::now() + (10_ms).count()); });
  auto options = plain(100_ms);
  options.expected.resize(2);
  options.expected[1].response = {(5_ms).count(), true};
  // Nobody is heard meanwhile.
  options.on_violation = [](const rt::violation&) { rt::sleep_until(rt::now() + (40_ms).count()); };
  takt::trace seen;
  const auto ran = rt::run(takt::erase<3>(link), set, takt::plan<2, 3>{}, options, seen, codes);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.tasks[0].completed == 1);
  CHECK(ran.tasks[0].best_response >= (20_ms).count());
  CHECK(trace_checker::complaint(seen, set, {}) == "");
}

TEST_CASE("a release is dropped where the job before is late, if that is asked for") {
  auto options = plain(200_ms);
  options.lengths = rt::length_choice::upper;
  options.on_late = takt::late_handling::skip_late;
  constexpr auto heavy = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(15_ms)));
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::edf));
  const auto ran = rt::run(one, heavy, takt::plan<1, 1>{}, options);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.tasks[0].skipped > 0);
  CHECK(ran.tasks[0].completed + ran.tasks[0].skipped + ran.tasks[0].unfinished == ran.tasks[0].released);
  CHECK(ran.tasks[0].released <= 20);
  options.on_late = takt::late_handling::newest_only;
  const auto newest = rt::run(one, heavy, takt::plan<1, 1>{}, options);
  REQUIRE_FALSE(newest.error);
  CHECK(newest.tasks[0].completed + newest.tasks[0].skipped + newest.tasks[0].unfinished == newest.tasks[0].released);
  CHECK(newest.tasks[0].skipped > 0);
  CHECK(newest.tasks[0].unfinished <= 2);  // the one under way, and the newest that waits for it
  CHECK(newest.tasks[0].released <= 20);
}

TEST_CASE("of two tasks on one processor the one with the earlier deadline preempts the other") {
  auto options = plain(300_ms);
  options.lengths = rt::length_choice::upper;
  constexpr auto both = takt::task_set(takt::task("long", takt::period(100_ms), takt::cpu(60_ms)),
                                       takt::task("short", takt::period(20_ms), takt::cpu(1_ms)));
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::edf));
  takt::trace seen;
  const auto ran = rt::run(one, both, takt::plan<2, 2>{}, options, seen);
  REQUIRE_FALSE(ran.error);
  std::size_t pieces = 0;
  for (const takt::slice& a : seen.slices()) {
    pieces += a.task == 0 && a.job == 0 ? 1U : 0U;
    for (const takt::slice& b : seen.slices()) {
      const bool other = a.task != b.task || a.job != b.job;
      if (other) { CHECK((a.end <= b.start || b.end <= a.start)); }
    }
  }
  CHECK(pieces > 1);
}

TEST_CASE("an expected bound that is exceeded is told once, with the job and the time") {
  auto options = plain(100_ms);
  options.lengths = rt::length_choice::upper;
  options.expected = {{.response = {(100_us).count(), true}, .visits = {}}};
  std::vector<rt::violation> told;
  options.on_violation = [&told](const rt::violation& v) { told.push_back(v); };
  constexpr auto lone = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(2_ms)));
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::edf));
  const auto ran = rt::run(one, lone, takt::plan<1, 1>{}, options);
  REQUIRE(told.size() == 1);
  CHECK(told[0].task == 0);
  CHECK(told[0].job == 0);
  CHECK(told[0].observed > (100_us).count());
  CHECK(told[0].bound == (100_us).count());
  CHECK_FALSE(ran.tasks[0].within_bound);
  CHECK(ran.status() != takt::observation_status::no_miss);
}

TEST_CASE("parallel visits of a job run on threads of their own") {
  auto options = plain(90_ms);
  options.lengths = rt::length_choice::upper;
  constexpr auto forked = takt::graph_set(
      takt::graph("video", takt::period(50_ms), takt::node("read", takt::cpu(1_ms), takt::writes("frame")),
                  takt::node("left", takt::cpu(5_ms), takt::reads("frame"), takt::writes("l")),
                  takt::node("right", takt::cpu(5_ms), takt::reads("frame"), takt::writes("r")),
                  takt::node("join", takt::cpu(1_ms), takt::reads("l"), takt::reads("r"))));
  constexpr auto two = takt::platform(takt::pool(takt::processors(2), takt::g_edf));
  constexpr auto described = takt::to_runtime_tasks(forked);
  const auto erased = takt::erase<takt::visits_of<decltype(described.tasks)>>(two);
  takt::trace seen;
  const auto ran = rt::run(erased, described.tasks, takt::plan<1, 4>{}, options, seen);
  REQUIRE_FALSE(ran.error);
  std::vector<takt::slice> first_of_both;
  for (const std::uint32_t visit : {1U, 2U}) {
    for (const takt::slice& s : seen.slices()) {
      if (s.segment == visit && first_of_both.size() < visit) { first_of_both.push_back(s); }
    }
  }
  REQUIRE(first_of_both.size() == 2);
  CHECK(first_of_both[0].start == first_of_both[1].start);
  CHECK(first_of_both[0].where.index != first_of_both[1].where.index);
}

TEST_CASE("marks say of each job when it came, ended and was due, by the deadline that its task states") {
  auto options = plain(100_ms);
  options.lengths = rt::length_choice::upper;
  takt::runtime_task_set<2, 4> late;
  REQUIRE(late.add_task({.name = "slow", .period = (20_ms).count(), .deadline = (50_ms).count()}));
  takt::runtime_visit v{.where = takt::resource_kind::processor};
  v.known.add(takt::visit_fact::time);
  v.time = {(30_ms).count(), (30_ms).count()};
  REQUIRE(late.add_visit(v));
  const auto one = takt::erase<4>(takt::platform(takt::pool(takt::processors(1), takt::edf)));
  takt::trace seen;
  const auto ran = rt::run(one, late, takt::plan<2, 4>{}, options, seen);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.tasks[0].released == 5);
  auto releases = seen.marks() | takt::views::marks_of(takt::mark_kind::release);
  CHECK(ranges::distance(releases) == 5);
  for (const takt::mark& m : releases) { CHECK(m.time == static_cast<takt::ticks>(m.job) * (20_ms).count()); }
  for (const takt::mark& m : seen.marks() | takt::views::marks_of(takt::mark_kind::deadline)) {
    CHECK(m.time == static_cast<takt::ticks>(m.job) * (20_ms).count() + (50_ms).count());
  }
  CHECK(ranges::distance(seen.marks() | takt::views::misses) == static_cast<std::ptrdiff_t>(ran.tasks[0].misses));
}
