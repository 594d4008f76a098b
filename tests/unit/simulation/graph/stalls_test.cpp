// SPDX-License-Identifier: Apache-2.0
// Graphs in virtual time whose process is stopped: how the backlog drains, and from when to when bounds are void.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/random.hpp>
#include <takt/host/stalled_clock.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include "support/random_graphs.hpp"

namespace {

using namespace takt::literals;
namespace sim = takt::simulation;
using takt::stall;
using takt::ticks;

constexpr ticks ms = 1'000'000;
constexpr ticks period = 33 * ms;

constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::g_edf),
                   takt::pool(takt::block_slots(4, 2048), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
constexpr auto camera = takt::graph_set(takt::graph(
    "camera", takt::period(33_ms), takt::node("grab", takt::cpu(1_ms)),
    takt::node("detect", takt::kernel(takt::grid(4, 256), takt::block_length(1_ms))), takt::edge("grab", "detect")));

[[nodiscard]] auto stopped(std::span<const stall> stalls, takt::late_handling on_late = takt::late_handling::catch_up,
                           takt::release_pattern releases = takt::release_pattern::periodic) {
  static constexpr takt::duration deadline = 66_ms;
  const takt::simulation_options options{
      .horizon = 20_s, .releases = releases, .deadlines = {&deadline, 1}, .stalls = stalls, .on_late = on_late};
  return takt::simulate(board, camera, takt::analysis::analyze_by<takt::published>(board, camera).plan, options);
}

/// When the last invocation that responds later than without stalls is released.
[[nodiscard]] auto last_late(const std::vector<ticks>& responses, ticks usual) -> ticks {
  ticks out = -1;
  for (std::size_t j = 0; j < responses.size(); ++j) {
    if (responses[j] != usual) { out = static_cast<ticks>(j) * period; }
  }
  return out;
}

}  // namespace

TEST_CASE("a clock goes on while a process stands still") {
  const std::vector<stall> stalls{{10, 5}, {20, 1}};
  const takt::host::stalled_clock clock{stalls};
  CHECK(clock.at(9) == 9);
  CHECK(clock.at(10) == 15);
  CHECK(clock.at(14) == 19);
  CHECK(clock.at(15) == 21);
  std::vector<stall> parts;
  clock.each_part(8, 17, [&](ticks from, ticks to) { parts.push_back({from, to}); });
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].begin == 8);
  CHECK(parts[0].length == 10);
  CHECK(parts[1].begin == 15);
  CHECK(parts[1].length == 20);
  CHECK(parts[2].begin == 21);
  CHECK(parts[2].length == 23);
  for (ticks t = 0; t < 40; ++t) {
    const ticks worked = clock.worked(t);
    CHECK(clock.at(worked) >= t);
    if (worked > 0) { CHECK(clock.at(worked - 1) < t); }
    CHECK(clock.worked(clock.at(t)) == t);
  }
  CHECK(clock.passed(9) == 0);
  CHECK(clock.passed(15) == 2);
}

TEST_CASE("after a stop of any length a graph with a kernel catches up as fast as there is room, and is as before") {
  const auto usual = stopped({});
  REQUIRE_FALSE(usual.error);
  CHECK(usual.misses() == 0);
  CHECK(usual.void_bounds.empty());
  const ticks response = usual.responses[0][0];
  for (const auto pattern : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
    const auto free = stopped({}, takt::late_handling::catch_up, pattern);
    const ticks normal = free.responses[0].back();
    for (const ticks length : {500 * ms, 1'000 * ms, 8'000 * ms}) {
      CAPTURE(length);
      const std::vector<stall> stalls{{3'000 * ms + 1, length}};
      const auto seen = stopped(stalls, takt::late_handling::catch_up, pattern);
      REQUIRE_FALSE(seen.error);
      CHECK(seen.tasks[0].completed == usual.tasks[0].released);
      // The GPU is the busiest: 1 ms of 33. Releases during the stop count, and those within stall x U / (1 - U).
      const ticks drained = stalls[0].begin + length + length / 32 + 2 * period;
      CHECK(last_late(seen.responses[0], normal) <= drained);
      CHECK(seen.tasks[0].misses <= static_cast<std::uint64_t>(drained - stalls[0].begin) / period);
      REQUIRE(seen.void_bounds.size() == 1);
      CHECK(seen.void_bounds[0].from == stalls[0].begin);
      CHECK(seen.void_bounds[0].to >= stalls[0].begin + length);
      CHECK(seen.void_bounds[0].to <= drained);
    }
  }
  CHECK(response > 0);
}

TEST_CASE("ten short stops are forgotten one by one") {
  const ticks normal = stopped({}).responses[0].back();
  std::vector<stall> stalls;
  for (ticks i = 0; i < 10; ++i) { stalls.push_back({1'000 * ms + i * 1'507 * ms, 60 * ms}); }
  const auto seen = stopped(stalls);
  CHECK(seen.void_bounds.size() == 10);
  std::size_t late = 0;
  for (const ticks r : seen.responses[0]) { late += r != normal ? 1U : 0U; }
  CHECK(late <= 10 * 4);
  CHECK(last_late(seen.responses[0], normal) <= stalls.back().begin + 60 * ms + 3 * period);
}

TEST_CASE("what is late is caught up with, or dropped, or dropped but for the newest, and all jobs are accounted for") {
  const std::vector<stall> stalls{{3'000 * ms + 1, 1'000 * ms}};
  const auto all = stopped(stalls);
  const auto skipped = stopped(stalls, takt::late_handling::skip_late);
  const auto newest = stopped(stalls, takt::late_handling::newest_only);
  for (const auto* seen : {&all, &skipped, &newest}) {
    CHECK(seen->tasks[0].released == all.tasks[0].released);
    CHECK(seen->tasks[0].completed + seen->tasks[0].skipped == seen->tasks[0].released);
    CHECK(seen->tasks[0].misses <= seen->tasks[0].completed);
    CHECK(seen->responses[0].size() == seen->tasks[0].completed);
  }
  CHECK(all.tasks[0].skipped == 0);
  CHECK(skipped.tasks[0].skipped > 20);
  CHECK(newest.tasks[0].skipped > skipped.tasks[0].skipped);
  CHECK(all.tasks[0].misses > 25);
  CHECK(skipped.tasks[0].misses < 5);
  CHECK(newest.tasks[0].misses <= 1);  // the one that was stopped, if any
}

TEST_CASE("stalls and choices that mean nothing are refused") {
  const auto fault = [](std::vector<stall> stalls) { return stopped(stalls).error; };
  CHECK(fault({{5, 0}}).fault == takt::model_fault::time_overflow);
  CHECK(fault({{-1, 5}}).name == "stalls");
  CHECK(fault({{5, 5}, {10, 1}}).name == "stalls");
  CHECK(fault({{5, std::numeric_limits<ticks>::max()}}).name == "stalls");
  CHECK_FALSE(fault({{5, 5}, {11, 1}}));
  const std::vector<stall> one{{5, 5}};
  CHECK(sim::options_fault({.stalls = one}, 1, {}).name == "stalls");
  CHECK(sim::options_fault({.on_late = takt::late_handling::skip_late}, 1, {}).name == "on_late");
  CHECK_FALSE(sim::options_fault({.stalls = one}, 1, {.stalls = true}));
}

namespace {

/// Ends of the jobs of nodes, after their nominal releases.
struct ends_of_jobs {
  struct job {
    std::uint32_t node = 0;
    ticks end = 0;
    ticks response = 0;
  };
  std::vector<job> all;
  std::vector<std::vector<ticks>> nominal;  ///< by node and job

  void record(const takt::slice& /*s*/) {}
  void record(const takt::mark& m) {
    if (nominal.size() <= m.task) { nominal.resize(m.task + 1U); }
    auto& own = nominal[m.task];
    if (own.size() <= m.job) { own.resize(m.job + 1U); }
    if (m.what == takt::mark_kind::release) { own[m.job] = m.time; }
    if (m.what == takt::mark_kind::completion) { all.push_back({m.task, m.time, m.time - own[m.job]}); }
  }
};

struct exceeded {
  std::uint64_t systems = 0;
  std::uint64_t judged = 0;
  std::uint64_t above = 0;  ///< ended above their bounds while these were said to hold
  std::uint64_t idle = 0;   ///< systems whose bounds were void at the end
  std::uint64_t early = 0;  ///< void without a stop
};

/// Jobs of random graphs against their bounds, outside of the spans in which these are void; or, to see that this finds
/// something, outside of the stops alone.
template <class Rule>
void hold_bounds(const Rule& rule, bool only_stops, exceeded& out) {
  const auto here = takt::platform(
      takt::pool(takt::processors(4), takt::clustered(rule, 2)), takt::pool(takt::copy_engines(2), takt::fifo),
      takt::pool(takt::block_slots(3, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  takt::random_stream random{29};
  for (int i = 0; i < 80; ++i) {
    const auto graphs = takt_tests::draw_graphs(random);
    const auto verdict = takt::analysis::analyze_by<takt::published>(here, graphs);
    const auto stalls = takt_tests::draw_stalls(random, graphs.graphs[0].period);
    const auto pattern = random.chance(1, 2) ? takt::release_pattern::adversarial : takt::release_pattern::periodic;
    if (!verdict.bounded()) { continue; }
    ++out.systems;
    takt::simulation_options options{
        .horizon = takt::duration{60 * graphs.graphs[0].period}, .releases = pattern, .seed = random.next()};
    out.early += takt::simulate(here, graphs, verdict.plan, options).void_bounds.size();
    options.stalls = stalls;
    options.on_late = static_cast<takt::late_handling>(random.below(3));
    ends_of_jobs seen;
    const auto run = takt::simulate(here, graphs, verdict.plan, options, seen);
    REQUIRE_FALSE(run.error);
    auto spans = run.void_bounds;
    REQUIRE_FALSE(spans.empty());
    out.idle += spans.back().to >= run.end ? 1U : 0U;
    if (only_stops) {
      spans.clear();
      for (const stall& s : stalls) { spans.push_back({s.begin, s.begin + s.length}); }
    }
    for (const auto& j : seen.all) {
      const bool is_void = std::ranges::any_of(spans, [&](const auto& s) { return s.from <= j.end && j.end <= s.to; });
      if (is_void) { continue; }
      ++out.judged;
      out.above += j.response > verdict.visits[j.node].response ? 1U : 0U;
    }
  }
}

}  // namespace

TEST_CASE("every job that ends while bounds are not said to be void keeps its own, whenever the process was stopped") {
  exceeded seen;
  hold_bounds(takt::g_edf, false, seen);
  hold_bounds(takt::nonpreemptive(takt::g_fl), false, seen);
  MESSAGE(seen.systems << " systems, " << seen.judged << " jobs outside of void spans");
  CHECK(seen.above == 0);
  CHECK(seen.early == 0);
  CHECK(seen.judged > 10'000);
  CHECK(seen.idle * 4 < seen.systems);
}

TEST_CASE("the test of void spans notices bounds that are void only while the process stands still") {
  exceeded seen;
  hold_bounds(takt::g_edf, true, seen);
  CHECK(seen.above > 0);
}
