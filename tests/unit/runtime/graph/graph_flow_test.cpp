// SPDX-License-Identifier: Apache-2.0
// What joins the jobs of graphs in a run, in virtual time: it decides what the simulator of graphs decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/allocation/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/host/board_tracks.hpp>
#include <takt/host/engine.hpp>
#include <takt/host/stalled_clock.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/graph/graph_flow.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include "support/environment.hpp"
#include "support/random_graphs.hpp"
#include "support/traces.hpp"

namespace {

namespace rt = takt::runtime;
namespace sim = takt::simulation;
using takt::ticks;

using takt_tests::random_graphs;
constexpr std::int64_t invocations = 12;

/// Who had what when, and when jobs of nodes ended.
struct seen_run {
  using piece = std::tuple<std::uint32_t, std::uint64_t, takt::stage, std::int32_t, ticks, ticks>;
  std::vector<piece> slices;
  std::vector<std::tuple<std::uint32_t, std::uint64_t, ticks>> ends;
  std::vector<std::uint64_t> dropped;  ///< by graph

  void record(const takt::slice& s) {
    slices.emplace_back(s.task, s.job, s.where.where, s.where.index, s.start, s.end);
  }
  void record(const takt::mark& m) {
    if (m.what == takt::mark_kind::completion) { ends.emplace_back(m.task, m.job, m.time); }
  }
  void sort() {
    std::ranges::sort(slices);
    std::ranges::sort(ends);
  }
};

using takt_tests::stalls_of_run;

/// What joins jobs, on a clock that goes on while the engine stands still. Releases stay in order, and before the time
/// of the engine.
struct stalled_flow : rt::detail::graph_flow {
  takt::host::stalled_clock clock;
  ticks lost = 0;

  stalled_flow(rt::detail::graph_flow flow, const stalls_of_run& stalls)
      : takt::runtime::detail::graph_flow{std::move(flow)}, clock{stalls} {
    for (const takt::stall& s : stalls) { lost += s.length; }
  }
  [[nodiscard]] auto next_job() const -> ticks { return clock.worked(takt::runtime::detail::graph_flow::next_job()); }
  auto comes(ticks now, takt::host::coming_job& out) -> bool {
    const bool any = takt::runtime::detail::graph_flow::comes(clock.at(now), out);
    out.nominal -= lost;
    return any;
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    takt::runtime::detail::graph_flow::completed(task, job, clock.at(now));
  }
};

template <class P, class Refined, class Plan>
[[nodiscard]] auto by_simulator(const P& board, const Refined& refined, const rt::graph_layout& laid, const Plan& plan,
                                const rt::graph_run_options& options, bool preemptive, const stalls_of_run& stalls)
    -> seen_run {
  const auto platform = takt::graph_platform_of(board);
  const std::vector<ticks> offsets(plan.offsets.begin(), plan.offsets.end());
  const std::vector<std::int32_t> clusters(platform.clusters.begin(), platform.clusters.end());
  std::vector<takt::fraction_of<ticks>> points;
  for (const auto& n : refined.nodes) { points.emplace_back(n.point); }
  auto work = sim::fine_workload<ticks>(refined, clusters, offsets, points);
  for (std::uint32_t v = 0; v < plan.instances.size(); ++v) {
    work.dependencies.push_back({.from = v, .to = v, .lag = plan.instances[v], .feedback = true});
  }
  sim::graph_options how{
      .copy_engines = platform.copy_engines, .early_release = options.early_release, .preemptive = preemptive};
  how.stalls = stalls;
  how.on_late = options.on_late;
  for (const auto& g : laid.graphs) {
    if (stalls.empty()) { break; }
    how.invocation_limits.push_back(g.instances);
    for (const auto& w : g.waits) {
      if (w.lag == 0 || w.to >= g.record.nodes || w.from >= g.record.nodes) { continue; }
      work.dependencies.push_back(
          {.from = g.record.first_node + w.from, .to = g.record.first_node + w.to, .lag = w.lag, .feedback = true});
    }
  }
  how.gpu = {.sms = platform.sms, .each = {.threads = platform.threads_per_sm, .warp_size = platform.warp_size}};
  sim::invocations<ticks> releases;
  for (const auto& g : refined.graphs) {
    auto& of = releases.emplace_back();
    for (ticks r = 0; r < options.length.count(); r += g.period) { of.push_back(r); }
  }
  takt::trace trace;
  const auto run = sim::simulate_graphs<256, 4>(work, releases, how, sim::full_lengths{}, trace);
  REQUIRE(run.ok());
  seen_run out;
  for (const auto n : run.dropped) { out.dropped.push_back(static_cast<std::uint64_t>(n)); }
  for (const auto& s : trace.slices()) { out.record(s); }
  for (const auto& m : trace.marks()) { out.record(m); }
  return out;
}

template <class P, class Plan>
[[nodiscard]] auto by_flow(const P& board, const rt::graph_layout& laid, const Plan& plan,
                           const rt::graph_run_options& options, const stalls_of_run& stalls) -> seen_run {
  auto flat = std::make_unique<rt::detail::flat_graphs>();
  rt::detail::graph_flattener<P>{board, laid, plan, *flat}.run();
  REQUIRE_FALSE(flat->error);
  rt::trace_buffer trace;
  trace.reserve(100'000, 100'000);
  rt::graph_run_result result;
  rt::detail::graph_log log{laid, options, trace, result};
  const std::vector<bool> nobody(std::max(flat->jobs.size(), flat->stations.size()));
  struct listener {
    stalled_flow flow;
    const rt::detail::flat_graphs* flat;
    takt::host::board_tracks<P::pool_count> tracks;
  } heard{{{laid, *flat, options, log, {nobody, nobody, nobody}}, stalls},
          flat.get(),
          takt::host::board_tracks<P::pool_count>{board}};
  const takt::slice_sink sink{&heard, [](void* to, takt::client who, std::int32_t unit, ticks from, ticks until) {
                                auto& h = *static_cast<listener*>(to);
                                const auto& s = h.flat->stations[h.flat->table.visits[who].station];
                                if (s.pool >= P::pool_count) { return; }
                                h.flow.clock.each_part(from, until, [&](ticks begin, ticks end) {
                                  h.flow.worked(who, h.tracks.of(s, unit), begin, end);
                                });
                              }};
  using engine = takt::host::engine<rt::detail::placed_stations, rt::detail::most_node_jobs, rt::detail::most_node_jobs,
                                    stalled_flow>;
  const auto at_work = std::make_unique<engine>(flat->table, flat->stations, heard.flow, flat->offsets, flat->points);
  at_work->begin(sink);
  for (ticks next = 0; !heard.flow.is_over() && next != takt::no_event; next = at_work->next_instant()) {
    at_work->step(next);
  }
  CHECK(heard.flow.is_over());
  log.report(heard.flow.clock.at(1'000'000'000), [](std::uint32_t) { return false; });
  seen_run out;
  for (const auto& t : result.tasks) { out.dropped.push_back(t.skipped); }
  trace.replay(out);
  return out;
}

struct agreement {
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;
  std::uint64_t slices = 0;
  std::uint64_t dropped = 0;
};
enum class spoil : std::uint8_t { nothing, edges };

template <class P>
void compare(const P& board, bool preemptive, std::int64_t systems, agreement& seen, spoil what = spoil::nothing,
             bool stalled = false) {
  takt::random_stream random{17};
  for (std::int64_t i = 0; i < systems; ++i) {
    const random_graphs graphs = takt_tests::draw_graphs(random);
    rt::graph_run_options options;
    options.length = takt::duration{invocations * graphs.graphs[0].period};
    options.lengths = rt::length_choice::upper;
    options.early_release = random.chance(1, 2);
    const auto verdict = takt::analysis::analyze_by<takt::published>(board, graphs);
    if (!verdict.bounded()) { continue; }
    takt::refined_table<random_graphs> refined = takt::refine(graphs, takt::copy_placement::engine);
    using rule = takt::detail::global_rule_of<P>;
    REQUIRE(takt::set_whole_points(refined, takt::graph_platform_of(board), rule::policy));
    auto laid = rt::make_graph_layout(refined, verdict.plan, options);
    if (laid.error) { continue; }
    const auto stalls = stalled ? takt_tests::draw_stalls(random, graphs.graphs[0].period) : stalls_of_run{};
    if (stalled) { options.on_late = static_cast<takt::late_handling>(random.below(3)); }
    auto by_sim = by_simulator(board, refined, laid, verdict.plan, options, preemptive, stalls);
    if (what == spoil::edges) {
      for (auto& g : laid.graphs) {
        for (auto& w : g.waits) {
          if (w.lag == 0 && w.to < g.record.nodes) { w.from = g.input(); }
        }
      }
    }
    auto by_run = by_flow(board, laid, verdict.plan, options, stalls);
    by_sim.sort();
    by_run.sort();
    ++seen.compared;
    seen.slices += by_run.slices.size();
    for (const std::uint64_t n : by_run.dropped) { seen.dropped += n; }
    if (by_sim.slices == by_run.slices && by_sim.ends == by_run.ends && by_sim.dropped == by_run.dropped) { continue; }
    if (seen.differing++ < 3) { MESSAGE("system " << i << " differs"); }
  }
}

template <class Rule>
[[nodiscard]] auto board_with(const Rule& rule) {
  return takt::platform(
      takt::pool(takt::processors(4), takt::clustered(rule, 2)), takt::pool(takt::copy_engines(2), takt::fifo),
      takt::pool(takt::block_slots(3, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
}

[[nodiscard]] auto rounds(std::int64_t few) -> std::int64_t {
  return std::max<std::int64_t>(1, takt_tests::from_environment<std::int64_t>("TAKT_GRAPH_RUNS", few));
}

}  // namespace

TEST_CASE("a run starts each job of a node, gives it its point and lets it enter queues as the simulator does" *
          takt_tests::traces("OVX-32")) {
  agreement seen;
  compare(board_with(takt::nonpreemptive(takt::g_edf)), false, rounds(100), seen);
  compare(board_with(takt::nonpreemptive(takt::g_fl)), false, rounds(100), seen);
  compare(board_with(takt::g_fl), true, rounds(100), seen);
  MESSAGE(seen.compared << " systems, " << seen.slices << " slices");
  CHECK(seen.differing == 0);
  CHECK(seen.compared > rounds(100));
  CHECK(seen.slices > 10'000);
}

TEST_CASE("a run that is stopped now and then catches up, or drops what is late, as the simulator does" *
          takt_tests::traces("OVX-32")) {
  agreement seen;
  compare(board_with(takt::nonpreemptive(takt::g_edf)), false, rounds(60), seen, spoil::nothing, true);
  compare(board_with(takt::g_fl), true, rounds(60), seen, spoil::nothing, true);
  MESSAGE(seen.compared << " systems, " << seen.slices << " slices, " << seen.dropped << " dropped");
  CHECK(seen.differing == 0);
  CHECK(seen.compared > rounds(60));
  CHECK(seen.dropped > 0);
}

TEST_CASE("the comparison of runs and simulations of graphs notices an edge that nobody waits for") {
  agreement seen;
  compare(board_with(takt::nonpreemptive(takt::g_edf)), false, 60, seen, spoil::edges);
  CHECK(seen.differing > 0);
}
