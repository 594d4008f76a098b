// SPDX-License-Identifier: Apache-2.0
#include <takt/simulation/simulate_recorded.hpp>

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include "support/trace_checker.hpp"

namespace {

using namespace takt::literals;

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(20_ms), takt::deadline(15_ms), takt::cpu(1_ms), takt::copy(1_ms),
                              takt::kernel(takt::work(4_ms)), takt::copy(1_ms), takt::cpu(1_ms)),
                   takt::task("control", takt::period(10_ms), takt::cpu(500_us)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 1), takt::federated));

}  // namespace

TEST_CASE(
    "a recorded simulation of a composed board is the one without a recorder, with slices that fill its responses") {
  const auto proven = takt::analyze(board, tasks, takt::published_methods);
  REQUIRE(proven.schedulable());
  const takt::simulation_options options{.horizon = 200_ms, .releases = takt::release_pattern::adversarial, .seed = 3};
  takt::trace kept;
  const auto plain = takt::simulate(board, tasks, proven.plan, options);
  const auto seen = takt::simulate(board, tasks, proven.plan, options, kept);
  REQUIRE_FALSE(seen.error);
  REQUIRE(seen.tasks.size() == plain.tasks.size());
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    CHECK(seen.tasks[i].completed == plain.tasks[i].completed);
    CHECK(seen.tasks[i].worst_response == plain.tasks[i].worst_response);
  }
  std::uint64_t completed[2]{};
  takt::ticks worst[2]{};
  for (const takt::mark& end : kept.marks()) {
    if (end.what != takt::mark_kind::completion) { continue; }
    ++completed[end.task];
    for (const takt::mark& begin : kept.marks()) {
      const bool same = begin.what == takt::mark_kind::release && begin.task == end.task && begin.job == end.job;
      if (same && worst[end.task] < end.time - begin.time) { worst[end.task] = end.time - begin.time; }
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(completed[i] == seen.tasks[i].completed);
    CHECK(worst[i] == seen.tasks[i].worst_response);
  }
  for (const takt::slice& a : kept.slices()) {
    for (const takt::slice& b : kept.slices()) {
      const bool one_unit = a.where == b.where && (a.task != b.task || a.job != b.job || a.segment != b.segment);
      if (one_unit) { CHECK((a.end <= b.start || b.end <= a.start)); }
    }
  }
}

TEST_CASE("a plan that does not fit is refused, and nothing is recorded") {
  takt::plan<2, 6> wrong;
  wrong.shares.unchecked_push_back({0, 9});
  wrong.shares.unchecked_push_back({0, 0});
  takt::trace kept;
  const auto seen = takt::simulate(board, tasks, wrong, {.horizon = 20_ms}, kept);
  CHECK(seen.error.fault == takt::model_fault::plan_does_not_fit);
  CHECK(kept.slices().empty());
}

TEST_CASE("a job that is under way at the end is marked as late or not at all, never as completed") {
  const auto proven = takt::analyze(board, tasks, takt::published_methods);
  for (const auto end : {1_ms, 3_ms, 5_ms, 22_ms, 34_ms, 35_ms}) {
    takt::trace kept;
    const auto seen = takt::simulate(board, tasks, proven.plan, {.horizon = end}, kept);
    REQUIRE_FALSE(seen.error);
    std::uint64_t completed[2]{};
    std::uint64_t missed[2]{};
    for (const takt::mark& m : kept.marks()) {
      completed[m.task] += m.what == takt::mark_kind::completion ? 1U : 0U;
      missed[m.task] += m.what == takt::mark_kind::miss ? 1U : 0U;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(completed[i] == seen.tasks[i].completed);
      CHECK(missed[i] == 0);
    }
  }
}

TEST_CASE("marks tell of the jobs that the result counts, also of one that comes and ends at the end") {
  constexpr auto brief = takt::task_set(takt::task("brief", takt::period(10_ms), takt::cpu(0_ms, 1_ms)));
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::edf));
  for (const auto execution : {takt::execution_times::lower, takt::execution_times::upper}) {
    takt::trace kept;
    const auto seen = takt::simulate(one, brief, takt::plan<1>{}, {.horizon = 100_ms, .execution = execution}, kept);
    REQUIRE_FALSE(seen.error);
    REQUIRE(seen.tasks[0].completed > 0);
    CHECK(trace_checker::disagreement(kept, seen) == "");
  }
}
