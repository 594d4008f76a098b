// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/figures/video_graphs.hpp>
#include <takt/systems/locked_gpus/simulation/completion_delays.hpp>
#include <takt/systems/locked_gpus/simulation/video_stabilization.hpp>
#include "support/traces.hpp"

namespace {

namespace generation = takt::generation;
namespace simulation = takt::simulation;
using simulation::graph_output;
using takt::ticks;

constexpr ticks second = 1'000'000'000;

[[nodiscard]] auto named(std::string_view name) -> const simulation::graph_configuration& {
  return *std::ranges::find(simulation::graph_configurations, name, &simulation::graph_configuration::name);
}
[[nodiscard]] auto run(const simulation::graph_configuration& c, simulation::graph_study_options o,
                       std::int64_t cpu_percent = 100) -> std::vector<graph_output> {
  const generation::video_times times{.spread_percent = 25, .cpu_percent = cpu_percent};
  o.least = 600;
  return simulation::simulate_graph_study(generation::make_video_graphs(times), generation::video_copy_costs(times),
                                          generation::video_accesses, generation::video_delays, c, o);
}
[[nodiscard]] auto run(std::string_view name, simulation::graph_study_options o = {}) -> std::vector<graph_output> {
  auto out = run(named(name), o);
  REQUIRE(out.size() == generation::video_graph_count);
  return out;
}
[[nodiscard]] auto averages(const std::vector<graph_output>& graphs, ticks from, ticks until)
    -> simulation::average_delays {
  std::vector<simulation::delay_summary> all;
  std::vector<ticks> periods;
  for (const auto& g : graphs) {
    all.push_back(simulation::summarize_delays(g.completions, g.period, from, until));
    periods.push_back(g.period);
  }
  return simulation::average(all, periods);
}
[[nodiscard]] auto same(const std::vector<graph_output>& a, const std::vector<graph_output>& b) -> bool {
  return std::ranges::equal(a, b, [](const graph_output& x, const graph_output& y) {
    return x.period == y.period && x.completions == y.completions && x.latencies == y.latencies;
  });
}

TEST_CASE("what is completed and what is dropped are together what was expected, under every configuration" *
          takt_tests::traces("GSA-49")) {
  constexpr ticks until = second * 6 / 5;  // a multiple of all periods
  for (const auto& c : simulation::graph_configurations) {
    CAPTURE(c.name);
    const auto graphs = run(c.name, {.until = until});
    for (const auto& g : graphs) {
      const auto s = simulation::summarize_delays(g.completions, g.period, 0, until);
      CHECK(s.expected == until / g.period);
      CHECK(s.completed + s.dropped == s.expected);
      CHECK(static_cast<std::size_t>(s.completed) == g.completions.size());
      CHECK(std::ranges::is_sorted(g.completions));
    }
  }
}

TEST_CASE("a latency is the time from the release of a source to the end of the sink's job of that frame" *
          takt_tests::traces("GSA-50")) {
  for (const std::string_view name : {"SCHED_OTHER", "C-EDF", "(3 2 FIFO)"}) {
    CAPTURE(name);
    for (const auto& g : run(name, {.until = second})) {
      REQUIRE(g.latencies.size() == g.completions.size());
      REQUIRE(g.completions.size() > 5);
      const ticks first = g.completions[0] - g.latencies[0];
      CHECK(first >= 0);
      CHECK(first < g.period);
      for (std::size_t j = 0; j < g.completions.size(); ++j) {
        CHECK(g.completions[j] - g.latencies[j] == first + static_cast<ticks>(j) * g.period);
      }
      // No frame is faster than the shortest times along its longest path: 12.4 ms on CPUs outside of sections alone.
      CHECK(*std::ranges::min_element(g.latencies) > 7'000'000);
    }
  }
}

TEST_CASE("a study is the same every time, and another one with another seed" * takt_tests::traces("GSA-49 GSA-50")) {
  const auto first = run("(3 2 PRIO)", {.until = second, .scene = second});
  CHECK(same(first, run("(3 2 PRIO)", {.until = second, .scene = second})));
  CHECK(!same(first, run("(3 2 PRIO)", {.until = second, .scene = second, .seed = 2})));
  CHECK(!same(first, run("(3 2 PRIO)", {.until = second})));
}

TEST_CASE("a short run is the beginning of a long one" * takt_tests::traces("GSA-49")) {
  const auto all = run("(2 3 FIFO)", {.until = 2 * second});
  const auto half = run("(2 3 FIFO)", {.until = second});
  for (std::size_t g = 0; g < all.size(); ++g) {
    auto begin = all[g].completions;
    std::erase_if(begin, [](ticks t) { return t > second; });
    CHECK(half[g].completions == begin);
  }
}

TEST_CASE("with one or two tokens the order of engines makes no difference: nobody ever waits behind another" *
          takt_tests::traces("GSA-49")) {
  CHECK(same(run("(1 6 FIFO)", {.until = second}), run("(1 6 PRIO)", {.until = second})));
  CHECK(same(run("(2 3 FIFO)", {.until = second}), run("(2 3 PRIO)", {.until = second})));
  CHECK(!same(run("(3 2 FIFO)", {.until = second}), run("(3 2 PRIO)", {.until = second})));
}

TEST_CASE("one token cannot serve all graphs, three and six can" * takt_tests::traces("GSA-49")) {
  const auto of = [](std::string_view name) { return averages(run(name, {.until = 3 * second}), second, 3 * second); };
  CHECK(of("(1 6 FIFO)").dropped > 250'000);
  CHECK(of("(1 6 FIFO)").mean > 1'300'000);
  for (const std::string_view name : {"(3 2 FIFO)", "(6 1 FIFO)"}) {
    CAPTURE(name);
    CHECK(of(name).dropped < 10'000);
    CHECK(of(name).mean < 1'010'000);
    CHECK(of(name).deviation < 200'000);
  }
}

TEST_CASE("on a shared memory bus two tokens drop frames too, one more, and three and six none" *
          takt_tests::traces("GSA-49")) {
  const auto dropped = [](std::string_view name, std::int64_t each, std::int64_t cpu_percent) {
    const auto graphs = run(named(name), {.until = 6 * second, .scene = second, .bus = {.each = each}}, cpu_percent);
    REQUIRE(graphs.size() == generation::video_graph_count);
    return averages(graphs, 2 * second, 6 * second).dropped;  // millionths
  };
  // The same work on CPUs on average, as what is published was measured under interference.
  const std::int64_t one = dropped("(1 6 FIFO)", 30, 86);
  const std::int64_t two = dropped("(2 3 FIFO)", 30, 86);
  CHECK(one > two);
  CHECK(two > 20'000);
  CHECK(dropped("(2 3 FIFO)", 0, 100) < 10'000);
  CHECK(one > dropped("(1 6 FIFO)", 0, 100));
  CHECK(dropped("(3 2 FIFO)", 30, 86) < 10'000);
  CHECK(dropped("(6 1 FIFO)", 30, 86) < 10'000);
}

TEST_CASE("waiting on CPUs makes graphs without tokens bursty, and the last of fixed priorities starves" *
          takt_tests::traces("GSA-49")) {
  constexpr ticks until = 4 * second;
  const auto of = [](const std::string& name) { return averages(run(name, {.until = until}), second, until); };
  const ticks managed = of("(3 2 FIFO)").deviation;
  for (const std::string name : {"C-EDF", "SCHED_OTHER"}) {
    CAPTURE(name);
    CHECK(of(name).deviation < managed * 3 / 2);
    CHECK(of(name + " busy").deviation > managed * 3 / 2);
  }
  const auto fixed = run("SCHED_FIFO busy", {.until = until});
  const auto dropped = [&](std::size_t g) {
    return simulation::summarize_delays(fixed[g].completions, fixed[g].period, second, until).dropped;
  };
  CHECK(dropped(0) == 0);
  CHECK(dropped(16) > 6);  // of 30
}

TEST_CASE("CPUs of graphs follow a scheduler of one's own, which cannot read what is unknown") {
  const simulation::graph_study_options o{.until = second};
  const simulation::graph_configuration twice{"", {.points = {.deadline = 1, .period = 1}}, 1, 6};
  CHECK(run(twice, o).size() == generation::video_graph_count);
  CHECK(!same(run(twice, o), run("(1 6 FIFO)", o)));
  const simulation::graph_configuration same_points{"", {.points = {.period = 1}}, 1, 6};
  CHECK(same(run(same_points, o), run("(1 6 FIFO)", o)));
  CHECK(run({"", {.points = {.deadline = 1, .wcet = -1}}}, o).empty());
  CHECK(run({"", {.points = takt::gel_policy::fair_lateness}}, o).empty());
  CHECK(run({"", {.points = {.point = 1 << 30}}}, o).empty());  // beyond 64 bits
}

TEST_CASE("latencies of a set that one token cannot serve grow with the run, those with three tokens do not" *
          takt_tests::traces("GSA-50")) {
  const auto tail = [](std::string_view name, ticks from, ticks until) {
    ticks longest = 0;
    for (const auto& g : run(name, {.until = 3 * second})) {
      for (std::size_t j = 0; j < g.latencies.size(); ++j) {
        const bool inside = g.completions[j] > from && g.completions[j] <= until;
        longest = inside ? std::max(longest, g.latencies[j] / g.period) : longest;
      }
    }
    return longest;
  };
  CHECK(tail("(1 6 FIFO)", 2 * second, 3 * second) > tail("(1 6 FIFO)", 0, second) + 10);
  CHECK(tail("(3 2 FIFO)", 0, 3 * second) < 3);
}

}  // namespace
