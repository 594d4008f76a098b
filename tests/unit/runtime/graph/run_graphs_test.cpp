// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/systems/methods.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
namespace rt = takt::runtime;
using rt::graph_code;
using rt::graph_job;
using rt::graph_run_options;
using takt::observation_status;

constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::nonpreemptive(takt::g_fl)),
                   takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));

/// Two clusters that share the GPU.
constexpr auto clusters =
    takt::platform(takt::pool(takt::processors(2), takt::nonpreemptive(takt::clustered(takt::g_edf, 1))),
                   takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));

[[nodiscard]] constexpr auto detector(std::string_view name, takt::duration period, std::int32_t cluster) {
  return takt::graph(name, takt::period(period), takt::on_cluster(cluster), takt::node("resize", takt::cpu(40_us)),
                     takt::node("gradient", takt::kernel(takt::grid(4, 256), takt::block_length(200_us),
                                                         takt::launch(10_us), takt::await(10_us))),
                     takt::node("colour", takt::cpu(30_us)), takt::node("classify", takt::cpu(50_us)),
                     takt::edge("resize", "gradient"), takt::edge("resize", "colour"),
                     takt::edge("gradient", "classify"), takt::edge("colour", "classify"));
}

/// Left to the system, so that a test does as little as possible to the machine it runs on.
[[nodiscard]] auto quietly(std::int64_t invocations) -> graph_run_options {
  graph_run_options o;
  o.length = takt::duration{3'600'000'000'000};
  o.invocations = invocations;
  o.real_time = o.pin_to_cores = o.lock_memory = false;
  return o;
}

/// With what is proven of the graphs as expectation.
template <class P, class G>
[[nodiscard]] auto expecting(const P& platform, const G& graphs, graph_run_options o) -> graph_run_options {
  o.expected = rt::expect(takt::analysis::analyze_by<takt::published>(platform, graphs));
  return o;
}
template <class P, class G>
[[nodiscard]] auto plan_of(const P& platform, const G& graphs) {
  return takt::analysis::analyze_by<takt::published>(platform, graphs).plan;
}

struct recording {
  std::vector<takt::slice> slices;
  std::vector<takt::mark> marks;

  void record(const takt::slice& s) { slices.push_back(s); }
  void record(const takt::mark& m) { marks.push_back(m); }
};

[[nodiscard]] auto rounds(std::int64_t few) -> std::int64_t {
  return std::max<std::int64_t>(1, takt_tests::from_environment<std::int64_t>("TAKT_GRAPH_RUNS", few));
}

/// Lets other threads in, now and then, so that jobs meet in many orders.
void dawdle(takt::random_stream& random) {
  if (random.chance(1, 2)) { rt::sleep_until(rt::now() + random.between(1'000, 200'000)); }
}

}  // namespace

TEST_CASE("several graphs run in clusters, with kernels between them, and every invocation is delivered" *
          takt_tests::traces("OVX-32")) {
  const auto graphs = takt::graph_set(detector("left", 4_ms, 0), detector("right", 5_ms, 1));
  recording seen;
  const auto result =
      rt::run(clusters, graphs, plan_of(clusters, graphs), expecting(clusters, graphs, quietly(12)), seen);
  INFO(name_of(result.status()));
  REQUIRE(result.tasks.size() == 2);
  REQUIRE(result.nodes.size() == 12);
  for (const auto& g : result.tasks) {
    CHECK(g.released == 12);
    CHECK(g.completed == 12);
    CHECK(g.skipped == 0);
    CHECK(g.has_bound);
    CHECK(g.bound > 0);
    CHECK(g.visit_count == 6);
  }
  CHECK(result.visit_response(1, 2) == result.nodes[8].response.worst);
  CHECK(result.end > 0);
  for (const auto& n : result.nodes) { CHECK(n.response.count == 12); }
  // Per graph and job: four CPU nodes besides launch, and four blocks, of which those of one SM may be one slice.
  const auto kernels = [](const takt::slice& s) { return s.where.where == takt::stage::kernel; };
  const auto blocks = std::ranges::count_if(seen.slices, kernels);
  CHECK(blocks >= 2 * 12 * 2);
  CHECK(blocks <= 2 * 12 * 4);
  CHECK(std::ssize(seen.slices) - blocks == 2 * 12 * 5);
  for (std::uint32_t node : {2U, 8U}) {
    for (std::uint64_t job = 0; job < 12; ++job) {
      CHECK(std::ranges::any_of(seen.slices, [&](const takt::slice& s) { return s.task == node && s.job == job; }));
    }
  }
  for (const auto& s : seen.slices | takt::views::slices_on(takt::stage::cpu)) {
    CHECK(s.where.index == (s.task < 6 ? 0 : 1));
  }
}

TEST_CASE("a node has as many instances as jobs of it can be under way, and takes the priority of each job" *
          takt_tests::traces("OVX-32")) {
  // Each job lasts longer than a period: only overlapping jobs keep up.
  const auto graphs = takt::graph_set(takt::graph("long", takt::period(2_ms), takt::node("a", takt::cpu(3_ms))));
  const auto verdict = takt::analysis::analyze_by<takt::published>(board, graphs);
  REQUIRE(verdict.bounded());
  // Two jobs of 3 run, and one more goes first: at least two jobs overlap.
  CHECK(verdict.plan.instances[0] == (verdict.visits[0].response + 1'999'999) / 2'000'000);
  CHECK(verdict.plan.instances[0] >= 2);
  auto options = quietly(20);
  options.lengths = rt::length_choice::lower;
  const auto result = rt::run(board, graphs, verdict.plan, options);
  CHECK(result.nodes[0].instances == verdict.plan.instances[0]);
  CHECK(result.tasks[0].completed == 20);

  auto more = verdict.plan;
  ++more.instances[0];
  CHECK(rt::run(board, graphs, more, options).nodes[0].instances == more.instances[0]);
}

TEST_CASE("input comes before all sources, output after all sinks and in order, while invocations overlap" *
          takt_tests::traces("GSA-43")) {
  constexpr std::int64_t jobs = 60;
  const auto graphs = takt::graph_set(takt::graph("pipeline", takt::period(300_us), takt::node("a", takt::cpu(400_us)),
                                                  takt::node("b", takt::cpu(50_us)), takt::node("c", takt::cpu(50_us)),
                                                  takt::edge("a", "c")));
  std::array<std::atomic<std::int64_t>, jobs> begun{};
  std::array<std::atomic<std::int64_t>, jobs> ended{};
  std::atomic<int> wrong{0};
  std::atomic<std::int64_t> under_way{0};
  std::atomic<std::int64_t> most{0};
  std::vector<std::int64_t> order;
  const auto node_body = [&](const graph_job& j) {
    const auto at = static_cast<std::size_t>(j.number);
    if (begun[at] != 1) { ++wrong; }
    takt::random_stream random{static_cast<std::uint64_t>(j.number * 3 + j.node)};
    dawdle(random);
    ++ended[at];
  };
  graph_code code;
  code.input(0, [&](const graph_job& j) {
    ++begun[static_cast<std::size_t>(j.number)];
    most = std::max<std::int64_t>(most, ++under_way);
  });
  for (std::uint32_t v = 0; v < 3; ++v) { code.cpu(v, node_body); }
  code.output(0, [&](const graph_job& j) {
    if (ended[static_cast<std::size_t>(j.number)] != 3) { ++wrong; }
    order.push_back(j.number);
    --under_way;
  });
  const auto result = rt::run(board, graphs, plan_of(board, graphs), quietly(jobs), code);
  CHECK(result.tasks[0].completed == jobs);
  CHECK(wrong == 0);
  REQUIRE(order.size() == jobs);
  CHECK(std::ranges::is_sorted(order));
  CHECK(most <= result.graphs[0].copies);
  CHECK(most > 1);
}

namespace {

constexpr std::size_t objects = 6;

/// Which job wrote each copy of each object last, and whether a reader found another one's.
struct shared_objects {
  std::array<std::array<std::atomic<std::int64_t>, 80>, objects> last{};
  std::atomic<int> overwritten{0};

  shared_objects() {
    for (auto& object : last) {
      for (auto& copy : object) { copy = -1; }
    }
  }
  void write(std::size_t object, const graph_job& j) { last[object][static_cast<std::size_t>(j.copy)] = j.number; }
  void read(std::size_t object, const graph_job& j, std::int64_t lag = 0) {
    const std::int64_t wanted = j.number - lag;
    if (wanted >= 0 && last[object][static_cast<std::size_t>(j.past(lag))] != wanted) { ++overwritten; }
  }
};

using random_graph = takt::graph_table<takt::ticks, objects, objects * objects, 1>;

/// Node v writes object v; edges go to higher numbers.
[[nodiscard]] auto draw_graph(takt::random_stream& random) -> random_graph {
  static constexpr std::array<std::string_view, objects> names{"a", "b", "c", "d", "e", "f"};
  random_graph out;
  static_cast<void>(out.add_graph("random", 200'000));
  const auto count = static_cast<std::uint32_t>(random.between(3, objects));
  for (std::uint32_t v = 0; v < count; ++v) {
    takt::graph_node<takt::ticks> n;
    n.name = names[v];
    n.wcet = 50'000;
    if (v > 0 && random.chance(1, 4)) {
      n.kind = takt::node_kind::kernel;
      n.split = random.chance(1, 2);
      n.launch = n.await = 1'000;
      n.block_length = 30'000;
      n.blocks = 2;
      n.block_threads = 128;
    }
    static_cast<void>(out.add_node(n));
    for (std::uint32_t from = 0; from < v; ++from) {
      if (random.chance(2, 3)) { static_cast<void>(out.add_edge(from, v, 0)); }
    }
  }
  return out;
}

/// Objects that are overwritten while they are read, over one run of a graph.
[[nodiscard]] auto overwritten(const random_graph& graph, const graph_run_options& options, std::uint64_t seed) -> int {
  shared_objects shared;
  const auto body = [&](const graph_job& j) {
    takt::random_stream random{seed ^ static_cast<std::uint64_t>(j.number * 17 + j.node)};
    shared.write(j.node, j);
    dawdle(random);
    for (const auto& e : graph.edges) {
      if (e.to == j.node) { shared.read(e.from, j); }
    }
    dawdle(random);
    for (const auto& e : graph.edges) {
      if (e.to == j.node) { shared.read(e.from, j); }
    }
  };
  graph_code code;
  for (std::uint32_t v = 0; v < graph.nodes.size(); ++v) {
    if (graph.nodes[v].kind == takt::node_kind::kernel) {
      code.kernel(v, [body](const graph_job& j, std::int64_t block) {
        if (block == 0) { body(j); }
      });
    } else {
      code.cpu(v, body);
    }
  }
  const auto result = rt::run(board, graph, plan_of(board, graph), options, code);
  CHECK(result.tasks.size() == 1);
  if (result.tasks.empty()) { return -1; }
  CHECK(result.tasks[0].completed == static_cast<std::uint64_t>(options.invocations));
  return shared.overwritten;
}

}  // namespace

TEST_CASE("no copy of a data object is overwritten while it is read, in random graphs with any copies" *
          takt_tests::traces("GSA-44")) {
  takt::random_stream random{7};
  for (std::int64_t round = 0; round < rounds(6); ++round) {
    const random_graph graph = draw_graph(random);
    auto options = quietly(20);
    options.copies = random.between(0, 3);
    static constexpr std::array<std::string_view, objects> names{"a", "b", "c", "d", "e", "f"};
    for (const auto& e : graph.edges) {
      options.uses.push_back({0, names[e.from], e.from});
      options.uses.push_back({0, names[e.from], e.to});
    }
    INFO("round " << round << ", copies " << options.copies);
    CHECK(overwritten(graph, options, static_cast<std::uint64_t>(round)) == 0);
  }
}

TEST_CASE("a node that reads the two frames before finds them whole in a ring of M + N places" *
          takt_tests::traces("GSA-45")) {
  constexpr std::int64_t jobs = 40;
  // The tracker works on this frame and the past two of the filter; both windows are history edges.
  const auto graphs = takt::graph_set(takt::graph(
      "window", takt::period(250_us), takt::node("filter", takt::cpu(60_us)), takt::node("track", takt::cpu(60_us)),
      takt::edge("filter", "track"), takt::history("filter", "track", 1), takt::history("filter", "track", 2)));
  for (const std::int64_t copies : {0, 1, 2}) {
    shared_objects shared;
    graph_code code;
    code.cpu(0, [&](const graph_job& j) {
      takt::random_stream random{static_cast<std::uint64_t>(j.number)};
      dawdle(random);
      shared.write(0, j);
    });
    code.cpu(1, [&](const graph_job& j) {
      takt::random_stream random{static_cast<std::uint64_t>(j.number + 1000)};
      for (const std::int64_t lag : {0, 1, 2}) { shared.read(0, j, lag); }
      dawdle(random);
      for (const std::int64_t lag : {0, 1, 2}) { shared.read(0, j, lag); }
    });
    auto options = quietly(jobs);
    options.copies = copies;
    const auto result = rt::run(board, graphs, plan_of(board, graphs), options, code);
    CHECK(result.tasks[0].completed == jobs);
    CHECK((copies == 0 || result.graphs[0].copies == copies + 2));
    CHECK(shared.overwritten == 0);
  }
  takt::refined_table<decltype(graphs)::table_type<takt::ticks>> refined;
  REQUIRE(takt::refine_for(board, graphs.flat(), refined));
  const auto laid = rt::make_graph_layout(refined, plan_of(board, graphs), {});
  REQUIRE_FALSE(laid.error);
  CHECK(laid.graphs[0].copies == laid.graphs[0].instances + 2);
}

TEST_CASE("under fixed priorities a node ranks by its longest distance from the input" * takt_tests::traces("GSA-46")) {
  constexpr auto one_processor =
      takt::platform(takt::pool(takt::processors(1), takt::nonpreemptive(takt::fixed_priority)),
                     takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  const auto graphs = takt::graph_set(detector("camera", 5_ms, 0), detector("radar", 5_ms, 0));
  takt::plan<2, 44> plan;
  for (int v = 0; v < 12; ++v) { REQUIRE((plan.offsets.try_push_back(0) && plan.instances.try_push_back(1))); }
  REQUIRE((plan.priorities.try_push_back(3) && plan.priorities.try_push_back(0)));
  const auto result = rt::run(one_processor, graphs, plan, quietly(2));
  REQUIRE(result.nodes.size() == 12);
  // resize, launch, kernel, await, colour, classify: the input has depth 0, the deepest node the graph's own priority.
  constexpr std::array<std::int32_t, 6> expected{4, 3, 2, 1, 3, 0};
  for (std::size_t v = 0; v < expected.size(); ++v) {
    CHECK(result.nodes[v].priority == expected[v] + 3);
    CHECK(result.nodes[v + 6].priority == expected[v]);
  }
  CHECK(result.tasks[0].completed == 2);
  CHECK(result.tasks[1].completed == 2);
}

TEST_CASE("of the nodes that wait for the processor the one farthest from the input goes first" *
          takt_tests::traces("GSA-46")) {
  constexpr auto one_processor =
      takt::platform(takt::pool(takt::processors(1), takt::nonpreemptive(takt::fixed_priority)));
  // While `long` runs, both successors of what came before it become ready to be chosen from: `deep` is farther down.
  const auto graphs = takt::graph_set(takt::graph(
      "g", takt::period(50_ms), takt::node("a", takt::cpu(1_ms)), takt::node("near", takt::cpu(1_ms)),
      takt::node("b", takt::cpu(1_ms)), takt::node("deep", takt::cpu(1_ms)), takt::node("last", takt::cpu(1_ms)),
      takt::edge("a", "b"), takt::edge("b", "deep"), takt::edge("deep", "last"), takt::edge("near", "last")));
  takt::plan<1, 32> plan;
  takt::refined_table<decltype(graphs)::table_type<takt::ticks>> refined = takt::refine(graphs.flat());
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    REQUIRE((plan.offsets.try_push_back(0) && plan.instances.try_push_back(2)));
  }
  std::vector<std::uint32_t> order;
  graph_code code;
  for (std::uint32_t v = 0; v < 5; ++v) {
    code.cpu(v, [&order](const graph_job& j) { order.push_back(j.node); });
  }
  const auto result = rt::run(one_processor, graphs, plan, quietly(3), code);
  REQUIRE(result.tasks[0].completed == 3);
  REQUIRE(order.size() == 15);
  // Nodes of one depth go in the order of the table: a and near; then b and deep, ahead of whatever is less deep.
  for (std::size_t job = 0; job < 3; ++job) {
    const std::vector<std::uint32_t> of_job(order.begin() + static_cast<std::ptrdiff_t>(5 * job),
                                            order.begin() + static_cast<std::ptrdiff_t>(5 * job + 5));
    CHECK(of_job == std::vector<std::uint32_t>{0, 2, 3, 1, 4});
  }
}

TEST_CASE("a predecessor that ends after the offset is reported as an overrun, once per node to the hook") {
  const auto graphs = takt::graph_set(takt::graph("late", takt::period(5_ms), takt::node("a", takt::cpu(10_us)),
                                                  takt::node("b", takt::cpu(10_us)), takt::edge("a", "b")));
  auto options = quietly(4);
  std::atomic<int> told{0};
  options.on_overrun = [&told](const rt::graph_overrun& o) { told += o.node == 1 ? 1 : 0; };
  graph_code code;
  code.cpu(0, [](const graph_job&) { rt::sleep_until(rt::now() + 3'000'000); });
  std::atomic<int> violations{0};
  options.on_violation = [&violations](const rt::violation&) { ++violations; };
  const auto result = rt::run(board, graphs, plan_of(board, graphs), expecting(board, graphs, options), code);
  CHECK(told == 1);
  CHECK(violations == 1);
  CHECK(result.status() == observation_status::exceeded);
  CHECK(result.nodes[1].late == 4);
  REQUIRE(result.first_overrun.has_value());
  // On a busy machine the first node may be late, too.
  CHECK((result.first_overrun->node == 0 || result.first_overrun->job == 0));
  CHECK(result.nodes[1].worst_lateness >= 1'000'000);
  CHECK(!result.nodes[0].within_bound);
  CHECK(!result.tasks[0].within_bound);
  REQUIRE(result.first_violation.has_value());
  CHECK(result.first_violation->task == 0);
  CHECK(result.first_violation->visit == 0);
  CHECK(result.first_violation->of_visit);
  CHECK(result.first_violation->job == 0);
  CHECK(result.first_violation->observed > result.first_violation->bound);
  CHECK(result.first_violation->time >= 3'000'000);
}

TEST_CASE("an invocation without room is dropped where that is asked, and waits otherwise") {
  const auto graphs = takt::graph_set(takt::graph("slow", takt::period(1_ms), takt::node("a", takt::cpu(10_us))));
  graph_code code;
  code.cpu(0, [](const graph_job&) { rt::sleep_until(rt::now() + 4'000'000); });
  auto options = quietly(5);
  options.on_late = takt::late_handling::skip_late;
  const auto dropped = rt::run(board, graphs, plan_of(board, graphs), options, code);
  CHECK(dropped.tasks[0].completed == 5);
  CHECK(dropped.tasks[0].skipped >= 4);
  CHECK(dropped.tasks[0].released == 5 + dropped.tasks[0].skipped);
  options.on_late = takt::late_handling::newest_only;
  const auto newest = rt::run(board, graphs, plan_of(board, graphs), options, code);
  CHECK(newest.tasks[0].completed == 5);
  CHECK(newest.tasks[0].skipped >= 4);
  CHECK(newest.tasks[0].released == 5 + newest.tasks[0].skipped);
  options.on_late = takt::late_handling::catch_up;
  const auto queued = rt::run(board, graphs, plan_of(board, graphs), options, code);
  CHECK(queued.tasks[0].completed == 5);
  CHECK(queued.tasks[0].skipped == 0);
}

TEST_CASE("without early releasing nothing starts before its nominal release") {
  const auto graphs = takt::graph_set(detector("camera", 6_ms, 0));
  auto options = quietly(5);
  options.early_release = false;
  options.lengths = rt::length_choice::lower;
  recording seen;
  const auto result = rt::run(board, graphs, plan_of(board, graphs), options, seen);
  CHECK(result.tasks[0].completed == 5);
  std::vector<std::vector<takt::ticks>> nominal(6, std::vector<takt::ticks>(5));
  for (const auto& m : seen.marks) {
    if (m.what == takt::mark_kind::release) { nominal[m.task][m.job] = m.time; }
  }
  for (const auto& s : seen.slices) { CHECK(s.start >= nominal[s.task][s.job]); }
}

TEST_CASE("graphs that cannot be run are refused with a reason") {
  const auto graphs = takt::graph_set(detector("camera", 6_ms, 0));
  const auto plan = plan_of(board, graphs);
  const auto status = [&](const graph_run_options& o, const graph_code& code) {
    return rt::run(board, graphs, plan, o, code).status();
  };
  const auto nothing = [](const graph_job&) {};
  CHECK(status(quietly(1), graph_code{}.cpu(9, nothing)) == observation_status::wrong_binding);
  CHECK(status(quietly(1), graph_code{}.cpu(1, nothing)) == observation_status::wrong_binding);
  CHECK(status(quietly(1), graph_code{}.copy(0, nothing)) == observation_status::wrong_binding);
  CHECK(status(quietly(1), graph_code{}.cpu(1, nothing, 0, takt::node_part::launch)) == observation_status::no_miss);
  auto options = quietly(1);
  options.uses.push_back({0, "image", 17});
  CHECK(status(options, {}) == observation_status::wrong_binding);
  options = quietly(1);
  options.expected.resize(2);
  CHECK(status(options, {}) == observation_status::wrong_binding);
  options.expected.resize(1);
  options.expected[0].visits.resize(7);
  CHECK(status(options, {}) == observation_status::wrong_binding);

  const auto elsewhere = takt::graph_set(detector("camera", 6_ms, 1));
  const auto refused = rt::run(board, elsewhere, plan, quietly(1));
  CHECK(refused.status() == observation_status::invalid_model);
  CHECK(refused.error.fault == takt::model_fault::cluster_out_of_range);
  CHECK(refused.error.name == "camera");
}

TEST_CASE("options that a run of graphs would not follow are refused with the value") {
  const auto graphs = takt::graph_set(detector("camera", 6_ms, 0));
  const auto error = [&](const auto& change) {
    auto options = quietly(1);
    change(options);
    return rt::run(board, graphs, plan_of(board, graphs), options).error;
  };
  const auto threads = error([](auto& o) { o.block_threads = 0; });
  CHECK(threads.fault == takt::model_fault::threads_not_positive);
  CHECK((threads.has_value && threads.value == 0));
  const auto copies = error([](auto& o) { o.copies = -1; });
  CHECK(copies.fault == takt::model_fault::negative_copies);
  CHECK(copies.value == -1);
}

TEST_CASE("a run without the plan of a bounded verdict is refused, and says what the plan lacks") {
  const auto overload = takt::graph_set(takt::graph("much", takt::period(1_ms), takt::node("a", takt::cpu(3_ms))));
  const auto verdict = takt::analysis::analyze_by<takt::published>(board, overload);
  CHECK(verdict.why == takt::obstacle::processors);
  const auto unbounded = rt::run(board, overload, verdict.plan, quietly(1));
  CHECK(unbounded.status() == observation_status::invalid_model);
  CHECK(unbounded.error.fault == takt::model_fault::plan_incomplete);

  const auto graphs = takt::graph_set(detector("camera", 6_ms, 0));
  const auto error_with = [&](const auto& change) {
    auto p = plan_of(board, graphs);
    change(p);
    return rt::run(board, graphs, p, quietly(1)).error;
  };
  const auto many = error_with([](auto& p) { p.instances[3] = 65; });
  CHECK(many == takt::fault_at(takt::model_fault::instances_out_of_range, 0, 3));
  CHECK(many.name == "camera");
  CHECK((many.value == 65 && many.limit == rt::most_instances));
  CHECK(error_with([](auto& p) { p.instances[3] = 0; }).fault == takt::model_fault::instances_out_of_range);
  CHECK(error_with([](auto& p) { p.offsets[1] = -1; }).fault == takt::model_fault::negative_time);
  CHECK(error_with([](auto& p) { p.offsets[1] = 1'000'000'000; }).fault == takt::model_fault::instances_out_of_range);
  CHECK(error_with([](auto& p) { p.priorities.unchecked_push_back(0); }).fault == takt::model_fault::plan_part_unused);
}

TEST_CASE("a preemptive platform lets the lesser point have the processor while a node is under way") {
  constexpr auto preemptive = takt::platform(takt::pool(takt::processors(1), takt::g_edf));
  const auto graphs = takt::graph_set(takt::graph("long", takt::period(60_ms), takt::node("a", takt::cpu(15_ms))),
                                      takt::graph("short", takt::period(5_ms), takt::node("a", takt::cpu(500_us))));
  auto options = quietly(1);
  options.invocations = 100;
  options.length = 55_ms;
  options.lengths = rt::length_choice::upper;
  recording seen;
  const auto result = rt::run(preemptive, graphs, plan_of(preemptive, graphs), options, seen);
  CHECK(result.tasks[0].completed == 1);
  CHECK(result.tasks[1].completed == 11);
  CHECK(std::ranges::count_if(seen.slices, [](const takt::slice& s) { return s.task == 0; }) > 1);
  std::ranges::sort(seen.slices, {}, &takt::slice::start);
  for (std::size_t i = 1; i < seen.slices.size(); ++i) { CHECK(seen.slices[i].start >= seen.slices[i - 1].end); }
}

namespace {

constexpr auto with_engines = takt::platform(takt::pool(takt::processors(1), takt::nonpreemptive(takt::g_edf)),
                                             takt::pool(takt::copy_engines(2), takt::fifo));
/// Copies of three quarters of a period: one processor would not have the time for them.
constexpr auto copying = takt::graph_set(
    takt::graph("left", takt::period(8_ms), takt::node("in", takt::copy(6_ms)), takt::node("a", takt::cpu(20_us)),
                takt::edge("in", "a")),
    takt::graph("right", takt::period(8_ms), takt::node("in", takt::copy(6_ms)), takt::node("none", takt::copy(0_ms)),
                takt::node("a", takt::cpu(20_us)), takt::edge("in", "none"), takt::edge("none", "a")));

}  // namespace

TEST_CASE("copies run on the platform's engines, as they are bounded, and not on its processors") {
  const auto verdict = takt::analysis::analyze_by<takt::published>(with_engines, copying);
  REQUIRE(verdict.bounded());
  recording seen;
  const auto result = rt::run(with_engines, copying, verdict.plan, expecting(with_engines, copying, quietly(10)), seen);
  INFO(name_of(result.status()));
  CHECK(result.tasks[0].completed == 10);
  CHECK(result.tasks[1].completed == 10);
  std::array<int, 2> on_engine{};
  takt::ticks copied = 0;
  for (const auto& s : seen.slices) {
    const bool is_copy = verdict.visits[s.task].name == "in";
    CHECK((s.where.where == (is_copy ? takt::stage::copy : takt::stage::cpu)));
    if (!is_copy) { continue; }
    ++on_engine[static_cast<std::size_t>(s.where.index)];
    CHECK(s.end - s.start <= 6'000'000);
    copied += s.end - s.start;
  }
  CHECK(on_engine[0] + on_engine[1] == 20);
  CHECK((on_engine[0] > 0 && on_engine[1] > 0));
  CHECK(copied > 0);
}

TEST_CASE("one engine makes one copy at a time, jobs of a node a period apart") {
  constexpr auto one_engine = takt::platform(takt::pool(takt::processors(1), takt::nonpreemptive(takt::g_edf)),
                                             takt::pool(takt::copy_engines(1), takt::fifo));
  constexpr auto graphs = takt::graph_set(takt::graph("a", takt::period(4_ms), takt::node("in", takt::copy(1_ms)),
                                                      takt::node("x", takt::cpu(10_us)), takt::edge("in", "x")),
                                          takt::graph("b", takt::period(4_ms), takt::node("in", takt::copy(1_ms)),
                                                      takt::node("x", takt::cpu(10_us)), takt::edge("in", "x")));
  auto options = quietly(12);
  options.lengths = rt::length_choice::upper;
  recording seen;
  const auto result = rt::run(one_engine, graphs, plan_of(one_engine, graphs), options, seen);
  CHECK(result.tasks[0].completed == 12);
  std::vector<takt::slice> copies;
  std::ranges::copy_if(seen.slices, std::back_inserter(copies),
                       [](const takt::slice& s) { return s.where.where == takt::stage::copy; });
  REQUIRE(copies.size() == 24);
  std::ranges::sort(copies, {}, &takt::slice::start);
  for (std::size_t i = 1; i < copies.size(); ++i) { CHECK(copies[i].start >= copies[i - 1].end); }
  for (const auto& s : copies) { CHECK(s.end - s.start == 1'000'000); }
}

TEST_CASE("code of a copy is called once per invocation, by an engine or on a processor") {
  const auto calls_on = [](const auto& platform) {
    std::atomic<std::int64_t> sum{0};
    graph_code code;
    code.copy(0, [&sum](const graph_job& j) { sum += 1 + j.number; });
    const auto result = rt::run(platform, copying, plan_of(platform, copying), quietly(5), code);
    CHECK(result.tasks[0].completed == 5);
    return sum.load();
  };
  CHECK(calls_on(with_engines) == 15);
  CHECK(calls_on(takt::platform(takt::pool(takt::processors(2), takt::nonpreemptive(takt::g_edf)))) == 15);
}

TEST_CASE("what disturbs timed runs of graphs is in the result when asked") {
  const auto graphs = takt::graph_set(detector("camera", 6_ms, 0));
  auto options = quietly(1);
  options.check_machine = true;
  CHECK_FALSE(rt::run(board, graphs, plan_of(board, graphs), options).findings.empty());
}
