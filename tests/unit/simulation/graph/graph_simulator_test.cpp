// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/rational.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/report/svg_gantt.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>

#include "support/traces.hpp"
#include "support/written_trace.hpp"

namespace {

namespace an = takt::analysis;
namespace sim = takt::simulation;
using takt::rational;
using takt::ticks;
using work = sim::graph_workload<ticks>;
using times = std::vector<ticks>;

template <class Number>
using graphs = takt::graph_table<Number, 12, 16, 4>;

/// G2 of Yang et al. 2018, figure 3: x, then y with a kernel beside CPU time of length `beside`. Fine: t1 to t7.
template <class Number>
[[nodiscard]] auto figure_3(Number beside, bool coarse) -> graphs<Number> {
  graphs<Number> t;
  const auto cpu = [](std::string_view name, Number wcet) {
    takt::graph_node<Number> n;
    n.name = name;
    n.wcet = wcet;
    return n;
  };
  takt::graph_node<Number> k;
  k.name = "t5";
  k.kind = takt::node_kind::kernel;
  k.block_length = 2;
  k.blocks = 4;
  k.block_threads = 1024;
  k.split = true;
  k.launch = 1;
  k.await = 1;
  REQUIRE(t.add_graph("G2", 5));
  REQUIRE(t.add_node(cpu("t1", 2)));
  REQUIRE(t.add_node(cpu("t2", 1)));
  if (coarse) {
    REQUIRE(t.extend_node(cpu("t3", beside)));
    REQUIRE(t.extend_node(k));
    REQUIRE(t.extend_node(cpu("t7", 3)));
    REQUIRE(t.add_edge(0, 1));
    return t;
  }
  REQUIRE(t.add_node(cpu("t3", beside)));
  REQUIRE(t.add_node(k));
  REQUIRE(t.add_node(cpu("t7", 3)));
  for (const auto& [from, to] : {std::pair{0U, 1U}, {1U, 2U}, {1U, 3U}, {2U, 4U}, {3U, 4U}}) {
    REQUIRE(t.add_edge(from, to));
  }
  return t;
}

constexpr std::array<std::int32_t, 1> four_cpus{4};

[[nodiscard]] auto titan(bool early = true) -> sim::graph_options {
  sim::graph_options o;
  o.gpu = {.sms = 2, .each = {2048}};
  o.early_release = early;
  return o;
}

/// Chains of tasks with one CPU step each, released by tokens except the first; all in graph 0 with clock 0.
[[nodiscard]] auto chain(const times& lengths, ticks period, std::int32_t cpus) -> work {
  work w;
  w.clusters.push_back(cpus);
  w.clocks.push_back(0);
  for (std::uint32_t i = 0; i < lengths.size(); ++i) {
    w.steps.push_back({.length = lengths[i]});
    sim::graph_task<ticks> t;
    t.first_step = i;
    t.steps = 1;
    t.clock = i == 0 ? 0 : sim::no_clock;
    t.period = period;
    t.priority_point = period;
    t.is_sink = i + 1 == lengths.size();
    w.tasks.push_back(t);
    if (i > 0) { w.dependencies.push_back({.from = i - 1, .to = i}); }
  }
  return w;
}

/// Instants of marks of one kind, by job.
[[nodiscard]] auto marks_of(const takt::trace& t, takt::mark_kind what, std::uint32_t task) -> times {
  times out;
  for (const auto& m : t.marks()) {
    if (m.what != what || m.task != task) { continue; }
    if (out.size() <= m.job) { out.resize(m.job + 1); }
    out[m.job] = m.time;
  }
  return out;
}

struct observed {
  sim::graph_result<ticks> result;
  takt::trace trace;
};
[[nodiscard]] auto watch(const work& w, const sim::invocations<ticks>& releases, const sim::graph_options& o)
    -> observed {
  observed out;
  out.result = sim::simulate_graphs(w, releases, o, sim::full_lengths{}, out.trace);
  return out;
}

}  // namespace

TEST_CASE("worked example 5: released early each invocation of G2 takes 10, by offsets 188/5" *
          takt_tests::traces("OVX-05")) {
  const auto table = takt::refine(figure_3<rational>(4, false));
  takt::graph_platform platform;
  REQUIRE(platform.clusters.try_push_back(4));
  platform.sms = 2;
  platform.threads_per_sm = 2048;
  const an::fine_options options{.policy = takt::gel_policy::fair_lateness, .kernels = an::kernel_bound::separated};
  const auto timing = an::fine_bounds(table, platform, options);
  REQUIRE(timing.bounded());
  CHECK(timing.end_to_end[0] == rational{42});
  const auto points = sim::node_points(table, std::span<const std::int32_t>{four_cpus}, options.policy);
  const auto w = sim::fine_workload<rational>(table, four_cpus, timing.offset, points);
  const sim::invocations<rational> releases{{0, 5, 10, 15}};
  const auto early = sim::simulate_graphs(w, releases, titan());
  const auto by_offsets = sim::simulate_graphs(w, releases, titan(false));
  REQUIRE(early.ok());
  REQUIRE(by_offsets.ok());
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK(early.responses[0][j] == rational{10});
    CHECK(by_offsets.responses[0][j] == rational{188, 5});
  }
  CHECK(early.late == 0);
  CHECK(by_offsets.late == 0);
}

TEST_CASE("example 2 in four modes: the second invocation ends earlier from mode to mode" *
          takt_tests::traces("OVX-12")) {
  const auto ends = [](ticks beside) {
    const auto fine = takt::refine(figure_3<ticks>(beside, false));
    const auto coarse = figure_3<ticks>(beside, true);
    const std::vector<ticks> offsets(fine.nodes.size(), 0);
    const auto points =
        sim::node_points(fine, std::span<const std::int32_t>{four_cpus}, takt::gel_policy::fair_lateness);
    const auto overlapping = sim::fine_workload<ticks>(fine, four_cpus, offsets, points);
    auto sequential = overlapping;
    for (auto& t : sequential.tasks) { t.parallelism = 1; }
    times out;
    for (const auto& w : {sim::monolithic_workload(coarse, std::span<const std::int32_t>{four_cpus}),
                          sim::coarse_workload<ticks>(coarse, four_cpus, offsets), sequential, overlapping}) {
      const auto run = sim::simulate_graphs(w, {{0, 5}}, titan());
      REQUIRE(run.ok());
      out.push_back(5 + run.responses[0][1]);
    }
    return out;
  };
  CHECK(ends(7) == times{34, 32, 20, 18});
  CHECK(ends(4) == times{28, 26, 15, 15});
}

TEST_CASE("a coarse node suspends during its kernel, and its next job waits for its end" *
          takt_tests::traces("OVX-09 OVX-10")) {
  const auto coarse = figure_3<ticks>(4, true);
  constexpr std::array<std::int32_t, 1> one_cpu{1};
  const std::vector<ticks> offsets(coarse.nodes.size(), 0);
  const auto w = sim::coarse_workload<ticks>(coarse, one_cpu, offsets);
  const auto seen = watch(w, {{0, 5}}, titan());
  REQUIRE(seen.result.ok());
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 0) == times{2, 10});
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 1) == times{14, 26});
  bool x_runs_during_kernel = false;
  for (const auto& s : seen.trace.slices()) {
    x_runs_during_kernel = x_runs_during_kernel || (s.task == 0 && s.job == 1 && s.start == 8 && s.end == 10);
  }
  CHECK(x_runs_during_kernel);
}

TEST_CASE("job j of a node starts after jobs j of all predecessors, and waits for no other invocation" *
          takt_tests::traces("OVX-01")) {
  work w = chain({2, 9, 4, 3}, 5, 12);
  w.dependencies.clear();
  for (const auto& [from, to] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 3U}, {2U, 3U}}) {
    w.dependencies.push_back({.from = from, .to = to});
  }
  const auto seen = watch(w, {{0, 5, 10, 15, 20}}, {});
  REQUIRE(seen.result.ok());
  std::array<times, 4> starts;
  for (const auto& piece : seen.trace.slices()) {
    times& of = starts[piece.task];
    if (of.size() <= piece.job) { of.resize(piece.job + 1, -1); }
    if (of[piece.job] < 0) { of[piece.job] = piece.start; }
  }
  std::array<times, 4> ends;
  for (std::uint32_t v = 0; v < 4; ++v) { ends[v] = marks_of(seen.trace, takt::mark_kind::completion, v); }
  for (std::size_t j = 0; j < 5; ++j) {
    CHECK(starts[1][j] == ends[0][j]);
    CHECK(starts[2][j] == ends[0][j]);
    CHECK(starts[3][j] == std::max(ends[1][j], ends[2][j]));
    CHECK(seen.result.responses[0][j] == 2 + 9 + 3);
    if (j > 0) { CHECK(starts[1][j] < ends[1][j - 1]); }
  }
}

TEST_CASE("jobs of one priority run by graph, then by number, then by task" * takt_tests::traces("OVX-04")) {
  work w;
  w.clusters.push_back(1);
  w.clocks = {0, 0};
  for (std::uint32_t i = 0; i < 3; ++i) {
    w.steps.push_back({.length = 2});
    sim::graph_task<ticks> t;
    t.graph = i == 2 ? 1 : 0;
    t.first_step = i;
    t.steps = 1;
    t.clock = 0;
    t.period = 1;
    w.tasks.push_back(t);
  }
  const auto seen = watch(w, {{0, 0}}, {});
  REQUIRE(seen.result.ok());
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 0) == times{2, 6});
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 1) == times{4, 8});
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 2) == times{10, 12});
}

TEST_CASE("a job is preempted by one with an earlier point, unless scheduling is non-preemptive" *
          takt_tests::traces("OVX-04")) {
  work w;
  w.clusters.push_back(1);
  w.clocks = {0, 1};
  for (std::uint32_t i = 0; i < 2; ++i) {
    w.steps.push_back({.length = i == 0 ? 10 : 3});
    sim::graph_task<ticks> t;
    t.graph = i;
    t.first_step = i;
    t.steps = 1;
    t.clock = static_cast<std::int32_t>(i);
    t.period = 20;
    t.priority_point = i == 0 ? 20 : 5;
    t.is_sink = true;
    w.tasks.push_back(t);
  }
  sim::graph_options o;
  auto run = sim::simulate_graphs(w, {{0}, {4}}, o);
  CHECK(run.responses[0][0] == 13);
  CHECK(run.responses[1][0] == 3);
  o.preemptive = false;
  run = sim::simulate_graphs(w, {{0}, {4}}, o);
  CHECK(run.responses[0][0] == 10);
  CHECK(run.responses[1][0] == 9);
}

TEST_CASE("clusters do not help each other, and share the GPU" * takt_tests::traces("OVX-33")) {
  work w;
  w.clusters = {1, 1};
  w.clocks = {0};
  w.steps = {{.length = 5}, {.length = 5}, {.length = 5}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    sim::graph_task<ticks> t;
    t.first_step = i;
    t.steps = 1;
    t.cluster = i == 2 ? 1 : 0;
    t.clock = 0;
    t.period = 5;
    t.is_sink = true;
    w.tasks.push_back(t);
  }
  const auto run = sim::simulate_graphs(w, {{0}});
  CHECK(run.tasks[0].response == 5);
  CHECK(run.tasks[1].response == 10);
  CHECK(run.tasks[2].response == 5);
}

TEST_CASE("a guard keeps kernels in order and a period apart, however early they are ready" *
          takt_tests::traces("OVX-29")) {
  work w;
  w.clusters.push_back(4);
  w.clocks.push_back(0);
  w.steps = {{.length = 8}, {.kind = takt::node_kind::kernel, .length = 1, .blocks = 1, .block = {1024}}};
  sim::graph_task<ticks> cpu;
  cpu.steps = 1;
  cpu.clock = 0;
  cpu.period = 10;
  w.tasks.push_back(cpu);
  cpu.first_step = 1;
  cpu.offset = 40;
  cpu.guarded = true;
  cpu.is_sink = true;
  w.tasks.push_back(cpu);
  w.dependencies.push_back({.from = 0, .to = 1});
  const auto lengths = [](std::size_t task, std::size_t /*step*/, std::size_t job, ticks most) -> ticks {
    return task == 0 && job > 0 ? 1 : most;
  };
  const sim::invocations<ticks> releases{{0, 1, 2}};
  const auto guarded = sim::simulate_graphs(w, releases, titan(), lengths);
  REQUIRE(guarded.ok());
  CHECK(guarded.responses[0] == times{9, 18, 27});
  w.tasks[1].guarded = false;
  const auto free = sim::simulate_graphs(w, releases, titan(), lengths);
  CHECK(free.responses[0] == times{9, 2, 2});
}

TEST_CASE("with a stream per task a kernel waits for the one before of its task" * takt_tests::traces("OVX-19")) {
  work w;
  w.clusters.push_back(1);
  w.clocks.push_back(0);
  w.steps = {{.kind = takt::node_kind::kernel, .length = 6, .blocks = 1, .block = {32}}};
  sim::graph_task<ticks> k;
  k.steps = 1;
  k.clock = 0;
  k.period = 4;
  k.is_sink = true;
  w.tasks.push_back(k);
  auto o = titan(false);
  CHECK(sim::simulate_graphs(w, {{0, 4, 8}}, o).responses[0] == times{6, 6, 6});
  o.per_task_streams = true;
  CHECK(sim::simulate_graphs(w, {{0, 4, 8}}, o).responses[0] == times{6, 8, 10});
}

TEST_CASE("copies on engines of their own are served first in, first out" * takt_tests::traces("OVX-11")) {
  work w;
  w.clusters.push_back(1);
  w.clocks.push_back(0);
  w.steps = {{.kind = takt::node_kind::copy, .length = 4}, {.kind = takt::node_kind::copy, .length = 3}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    sim::graph_task<ticks> t;
    t.first_step = i;
    t.steps = 1;
    t.clock = 0;
    t.period = 5;
    t.offset = 1 - i;
    w.tasks.push_back(t);
  }
  auto o = titan(false);
  auto run = sim::simulate_graphs(w, {{0}}, o);
  CHECK(run.tasks[1].response == 3);
  CHECK(run.tasks[0].response == 6);
  o.copy_engines = 2;
  run = sim::simulate_graphs(w, {{0}}, o);
  CHECK(run.tasks[0].response == 4);
}

TEST_CASE("a history edge holds a job back until the job so many before it has ended" * takt_tests::traces("OVX-X5")) {
  work w = chain({6}, 5, 4);
  w.dependencies.push_back({.from = 0, .to = 0, .lag = 2});
  const auto run = sim::simulate_graphs(w, {{0, 0, 0, 0, 20}});
  REQUIRE(run.ok());
  CHECK(run.responses[0] == times{6, 6, 12, 12, 6});
}

TEST_CASE("tokens that come late move the nominal release, tokens that come early do not" *
          takt_tests::traces("GSA-40 GSD-06")) {
  const work w = chain({4, 1}, 10, 2);
  const auto late_first = [](std::size_t task, std::size_t /*step*/, std::size_t job, ticks most) -> ticks {
    return task == 0 && job != 1 ? 1 : most;
  };
  observed seen;
  sim::graph_options o;
  o.early_release = true;
  seen.result = sim::simulate_graphs(w, {{0, 10, 20}}, o, late_first, seen.trace);
  REQUIRE(seen.result.ok());
  CHECK(marks_of(seen.trace, takt::mark_kind::release, 1) == times{1, 14, 24});
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 1) == times{2, 15, 22});

  o.early_release = false;
  observed held;
  held.result = sim::simulate_graphs(w, {{0, 10, 20}}, o, late_first, held.trace);
  CHECK(marks_of(held.trace, takt::mark_kind::completion, 1) == times{2, 15, 25});
}

TEST_CASE("waiting for a turn or for feedback does not move a nominal release" * takt_tests::traces("GSA-40")) {
  work w = chain({1, 9}, 4, 2);
  w.tasks[1].parallelism = 1;
  auto seen = watch(w, {{0, 4, 8}}, {});
  REQUIRE(seen.result.ok());
  CHECK(marks_of(seen.trace, takt::mark_kind::release, 1) == times{1, 5, 9});
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 1) == times{10, 19, 28});
  w.tasks[1].parallelism = takt::unrestricted_parallelism;
  w.dependencies.push_back({.from = 1, .to = 1, .lag = 1, .feedback = true});
  seen = watch(w, {{0, 4, 8}}, {});
  CHECK(marks_of(seen.trace, takt::mark_kind::release, 1) == times{1, 5, 9});
  CHECK(marks_of(seen.trace, takt::mark_kind::completion, 1) == times{10, 19, 28});
}

TEST_CASE("tokens of several rates: two jobs feed one, which starts above its threshold" *
          takt_tests::traces("GSD-06")) {
  work w = chain({1, 1}, 2, 2);
  w.tasks[1].period = 4;
  w.dependencies[0] = {.from = 0, .to = 1, .lag = 0, .produce = 2, .consume = 4, .threshold = 6};
  const auto seen = watch(w, {{0, 2, 4, 6, 8, 10, 12}}, {});
  REQUIRE(seen.result.ok());
  CHECK(seen.result.tasks[0].jobs == 7);
  CHECK(marks_of(seen.trace, takt::mark_kind::release, 1) == times{5, 9, 13});
}

TEST_CASE("a boosted producer hands on its results without preemption, and the inversion is counted" *
          takt_tests::traces("GSA-41")) {
  work w = chain({3, 2}, 20, 1);
  w.steps.push_back({.length = 4, .signals = true});
  w.steps.insert(w.steps.begin() + 1, w.steps.back());
  w.steps.pop_back();
  w.tasks[0].steps = 2;
  w.tasks[1].first_step = 2;
  w.clocks.push_back(1);
  w.steps.push_back({.length = 5});
  sim::graph_task<ticks> urgent;
  urgent.graph = 1;
  urgent.first_step = 3;
  urgent.steps = 1;
  urgent.clock = 1;
  urgent.period = 20;
  urgent.is_sink = true;
  w.tasks.push_back(urgent);
  sim::graph_options o;
  o.boost_signals = true;
  const auto boosted = watch(w, {{0}, {4}}, o);
  REQUIRE(boosted.result.ok());
  CHECK(marks_of(boosted.trace, takt::mark_kind::completion, 0) == times{7});
  CHECK(marks_of(boosted.trace, takt::mark_kind::completion, 2) == times{12});
  CHECK(marks_of(boosted.trace, takt::mark_kind::release, 1) == times{7});
  CHECK(boosted.result.inversion[0] == 3);

  o.boost_signals = false;
  const auto plain = watch(w, {{0}, {4}}, o);
  CHECK(marks_of(plain.trace, takt::mark_kind::completion, 0) == times{12});
  CHECK(marks_of(plain.trace, takt::mark_kind::completion, 2) == times{9});
  CHECK(marks_of(plain.trace, takt::mark_kind::release, 1) == times{12});
  CHECK(plain.result.inversion[0] == 0);
}

TEST_CASE("a job of a sequential task never runs before the one before it has ended" * takt_tests::traces("GSD-01")) {
  work w = chain({7}, 5, 2);
  w.tasks[0].parallelism = 1;
  CHECK(sim::simulate_graphs(w, {{0, 5, 20}}).responses[0] == times{7, 9, 7});
}

TEST_CASE("a trace of a run has a track per CPU and SM, which the exporters draw" * takt_tests::traces("OVX-17")) {
  const auto fine = takt::refine(figure_3<ticks>(4, false));
  const std::vector<ticks> offsets(fine.nodes.size(), 0);
  const auto points = sim::node_points(fine, std::span<const std::int32_t>{four_cpus}, takt::gel_policy::fair_lateness);
  const auto seen = watch(sim::fine_workload<ticks>(fine, four_cpus, offsets, points), {{0, 5}}, titan());
  REQUIRE(seen.result.ok());
  ticks cpu_time = 0;
  std::int64_t on_sms = 0;
  for (const auto& s : seen.trace.slices()) {
    if (s.where.where == takt::stage::cpu) { cpu_time += s.end - s.start; }
    if (s.where.where == takt::stage::kernel) { on_sms += s.end - s.start == 2 ? 1 : 100; }
  }
  CHECK(cpu_time == 2 * (2 + 1 + 4 + 1 + 1 + 3));
  CHECK(on_sms == 4);
  std::vector<std::string_view> names;
  for (const auto& n : fine.nodes) { names.push_back(n.name); }
  const takt::report::trace_view view{seen.trace.slices(), seen.trace.marks(), names};
  CHECK(takt_tests::written_trace(view).find("SM 1") != std::string::npos);
  std::ostringstream svg;
  takt::report::write_svg_gantt(svg, view);
  CHECK(svg.str().find("core 0") != std::string::npos);
}

TEST_CASE("a run refuses more steps at once than it has room for, but not more jobs that wait for others") {
  work w = chain({5}, 5, 1);
  const sim::invocations<ticks> five{{0, 0, 0, 0, 0}};
  const auto fault = [&] { return sim::simulate_graphs<4, 2>(w, five).fault; };
  CHECK(fault() == takt::model_fault::too_many_jobs);
  w.tasks[0].parallelism = 4;
  CHECK(fault() == takt::model_fault::none);
  w.steps[0] = {.kind = takt::node_kind::kernel, .length = 1, .blocks = 1, .block = {32}};
  CHECK(fault() == takt::model_fault::none);
  const auto on = [&](const takt::gpu_shape& gpu, bool streams) {
    return sim::simulate_graphs<4, 2>(w, five, {.gpu = gpu, .per_task_streams = streams}).fault;
  };
  CHECK(on({.sms = 2, .each = {64 * 32}}, true) == takt::model_fault::none);
  CHECK(on({.sms = 2, .each = {65 * 32}}, true) == takt::model_fault::platform_size_out_of_range);
  CHECK(on({.sms = 3, .each = {64}}, true) == takt::model_fault::malformed);
  w.tasks[0].first_step = 4;
  w.steps.resize(5, w.steps[0]);
  CHECK(on({.sms = 2, .each = {64}}, false) == takt::model_fault::none);
  CHECK(on({.sms = 2, .each = {64}}, true) == takt::model_fault::malformed);  // no stream 4
}

TEST_CASE("exact times run in the unit in which all of them are whole, and where there is none they do not") {
  const auto run = [](const rational& length, const rational& point) {
    sim::graph_workload<rational> w;
    w.clusters = {1};
    w.clocks = {0};
    w.steps.push_back({.length = length});
    sim::graph_task<rational> t;
    t.steps = 1;
    t.clock = 0;
    t.period = 1;
    t.priority_point = point;
    t.is_sink = true;
    w.tasks.push_back(t);
    return sim::simulate_graphs(w, {{rational{1, 3}, rational{1, 2}}});
  };
  const auto seen = run({2, 7}, {-5, 11});
  REQUIRE(seen.ok());
  CHECK(seen.responses[0] == std::vector<rational>{{2, 7}, {17, 42}});
  CHECK(seen.end == rational{19, 21});
  constexpr std::int64_t prime = 2'147'483'647;
  CHECK(run({1, prime}, {1, prime - 18}).fault == takt::model_fault::time_overflow);
}

TEST_CASE("a run refuses workloads that name what does not exist, and stops where jobs wait for each other" *
          takt_tests::traces("OVX-04")) {
  using fault = takt::model_fault;
  const auto fault_of = [](const work& w, const sim::invocations<ticks>& r, const sim::graph_options& o = {}) {
    return sim::simulate_graphs(w, r, o).fault;
  };
  const work good = chain({1, 1}, 5, 1);
  CHECK(fault_of(good, {{0}}) == fault::none);
  CHECK(fault_of(good, {}) == fault::malformed);
  CHECK(fault_of(good, {{3, 2}}) == fault::malformed);
  CHECK(fault_of(good, {{-1}}) == fault::malformed);
  sim::graph_options o;
  o.gpu.sms = 0;
  CHECK(fault_of(good, {{0}}, o) == fault::malformed);
  work w = good;
  w.tasks[0].cluster = 1;
  CHECK(fault_of(w, {{0}}) == fault::malformed);
  w = good;
  w.dependencies.push_back({.from = 0, .to = 7});
  CHECK(fault_of(w, {{0}}) == fault::malformed);
  w = good;
  w.steps[0].length = -1;
  CHECK(fault_of(w, {{0}}) == fault::malformed);
  w = good;
  w.steps[0] = {.kind = takt::node_kind::kernel, .length = 1, .blocks = 1, .block = {4096}};
  CHECK(fault_of(w, {{0}}) == fault::malformed);
  w = good;
  w.dependencies.clear();
  CHECK(fault_of(w, {{0}}) == fault::malformed);
  w = good;
  w.tasks[1].clock = 0;
  w.dependencies.push_back({.from = 1, .to = 0});
  CHECK(fault_of(w, {{0}}) == fault::stalled);
  w = good;
  w.tasks[0].offset = std::numeric_limits<ticks>::max();
  CHECK(fault_of(w, {{1}}) == fault::time_overflow);
  w = chain({1, 1}, 5, 1);
  w.dependencies.push_back({.from = 1, .to = 1, .lag = 1, .produce = 2, .consume = 1, .threshold = 1});
  w.dependencies.erase(w.dependencies.begin());
  CHECK(fault_of(w, {{0}}) == fault::malformed);
}
