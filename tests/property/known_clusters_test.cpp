// SPDX-License-Identifier: Apache-2.0
// Random graphs under one queue of blocks, and random sections of locked GPUs, on clusters: what a published method
// proves of them under a policy is held against runs. TAKT_SYSTEMS sets how many.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

#include <takt/allocation/policies/judge.hpp>
#include <takt/core/random.hpp>
#include <takt/host/engine.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/policies.hpp>

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;

constexpr std::size_t max_tasks = 4;
constexpr std::size_t max_visits = 32;
using tasks_type = takt::runtime_task_set<max_tasks, max_visits>;
constexpr std::array names{std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"}, std::string_view{"d"}};

struct workload {
  tasks_type tasks{};
  takt::hardware board{};
  std::int32_t cluster_size = 1;
};

class draws {
 public:
  explicit draws(std::uint64_t seed) : random_{seed} {}
  auto between(ticks a, ticks b) -> ticks { return random_.between(a, b); }
  auto small(ticks a, ticks b) -> std::int32_t { return static_cast<std::int32_t>(random_.between(a, b)); }
  auto one_in(ticks n) -> bool { return random_.chance(1, n); }

 private:
  takt::random_stream random_;
};

auto systems_or(std::uint64_t few) -> std::uint64_t {
  const char* const asked = std::getenv("TAKT_SYSTEMS");  // NOLINT(concurrency-mt-unsafe)
  return asked == nullptr ? few : std::strtoull(asked, nullptr, 10);
}

void draw_board(draws& d, workload& w) {
  w.cluster_size = d.small(1, 3);
  w.board.processors = w.cluster_size * (d.one_in(3) ? 2 : 1);
}

void close_task(draws& d, workload& w, ticks demand) {
  takt::runtime_task& t = w.tasks.tasks.back();
  t.period = demand * d.between(4, 14) / 4 + d.between(1, 6);
  t.limited = !d.one_in(3);
  t.deadline = t.period + d.between(0, 8 * t.period);
  t.priority = static_cast<std::int32_t>(w.tasks.size());
  t.core = d.one_in(2) ? d.small(0, w.board.processors - 1) : takt::unassigned_core;
}

/// Nodes that wait for any of those before, kernels of blocks among them, and edges to later jobs.
[[nodiscard]] auto draw_graphs(std::uint64_t seed) -> workload {
  draws d{seed};
  workload w;
  draw_board(d, w);
  w.board.copy_engines = d.small(1, 2);
  REQUIRE(w.board.gpus.try_push_back(
      {.sms = d.small(1, 3), .virtual_per_sm = 2, .threads_per_sm = 128, .blocks_per_sm = d.small(1, 4)}));
  const std::int32_t tasks = d.small(1, 3);
  for (std::int32_t i = 0; i < tasks; ++i) {
    REQUIRE(w.tasks.add_task({.name = names[static_cast<std::size_t>(i)], .period = 1, .deadline = 1}));
    ticks demand = 0;
    const std::uint32_t nodes = static_cast<std::uint32_t>(d.between(1, 6));
    for (std::uint32_t p = 0; p < nodes; ++p) {
      takt::runtime_visit v;
      for (std::uint32_t q = 0; q < p; ++q) {
        if (d.one_in(3)) { v.predecessors |= takt::visit_mask{1} << q; }
      }
      v.parallelism = d.one_in(3) ? 0 : d.between(1, 2);
      const auto kind = d.between(0, 3);
      if (kind == 3) {
        v.where = resource_kind::gpu;
        v.known.add(visit_fact::grid);
        v.known.add(visit_fact::block_length);
        v.blocks = d.between(1, 8);
        v.threads = d.small(1, 4) * 32;
        v.block_length = d.between(1, 4);
        v.parallelism = 0;
        demand += v.block_length * v.blocks;
      } else {
        v.where = kind == 2 ? resource_kind::copy_engine : resource_kind::processor;
        v.known.add(visit_fact::time);
        v.time = {0, d.between(1, 12)};
        v.direction = d.one_in(2) ? takt::to_host : takt::to_device;
        demand += v.time.upper;
      }
      REQUIRE(w.tasks.add_visit(v));
    }
    close_task(d, w, demand);
    if (d.one_in(3)) {
      REQUIRE(w.tasks.history.try_push_back({static_cast<std::uint32_t>(i), nodes - 1, 0, d.small(2, 6)}));
    }
  }
  return w;
}

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t on_the_engine = 0;
  std::uint64_t errors = 0;
  std::uint64_t violations = 0;
  std::uint64_t reached = 0;
};

template <class Verdict, class Seen>
void hold_to(const Verdict& v, const Seen& seen, tally& count) {
  count.errors += seen.error ? 1U : 0U;
  for (std::size_t i = 0; !seen.error && i < v.tasks.size(); ++i) {
    count.violations += seen.tasks[i].worst_response > v.tasks[i].bound.value ? 1U : 0U;
    count.reached += seen.tasks[i].worst_response == v.tasks[i].bound.value ? 1U : 0U;
  }
}

struct way {
  takt::release_pattern releases;
  takt::execution_times execution;
};
constexpr std::array ways{way{takt::release_pattern::periodic, takt::execution_times::upper},
                          way{takt::release_pattern::adversarial, takt::execution_times::upper},
                          way{takt::release_pattern::adversarial, takt::execution_times::random},
                          way{takt::release_pattern::sporadic, takt::execution_times::random}};

[[nodiscard]] auto options_of(const workload& w, const way& how, std::uint64_t seed) -> takt::simulation_options {
  ticks longest = 0;
  for (const auto& t : w.tasks.tasks) { longest = longest < t.period ? t.period : longest; }
  return {.horizon = takt::duration{60 * longest}, .releases = how.releases, .execution = how.execution, .seed = seed};
}

/// On the engine of boards, where no two jobs of a task overlap: visits wait for their offsets, and have the points of
/// nodes, which count from there.
template <class Rule, class Verdict>
void run_on_engine(const Rule& rule, const workload& w, const Verdict& v, const takt::simulation_options& options,
                   tally& count) {
  const auto board = takt::board_of(takt::fifo_blocks_policy{}, w.board, rule);
  takt::plan<max_tasks, max_visits> placed;
  placed.cores = v.plan.cores;
  const auto flat = takt::flatten(board, w.tasks, placed);
  REQUIRE_FALSE(flat.error);
  takt::inline_vector<ticks, max_visits> points;
  for (const takt::visit_record& x : flat.table.visits) {
    const takt::flow_record& t = flat.table.tasks[x.task];
    REQUIRE(points.try_push_back(t.deadline + Rule::policy.deadline * (t.period - t.deadline)));
  }
  takt::simulation::optional_choices choices{options, {flat.table.tasks.data(), flat.table.size()}};
  using engine = takt::host::engine<std::remove_cvref_t<decltype(flat.stations)>, max_tasks, max_visits,
                                    takt::simulation::optional_choices>;
  const auto host = std::make_unique<engine>(flat.table, flat.stations, choices,
                                             std::span<const ticks>{v.plan.offsets.data(), v.plan.offsets.size()},
                                             std::span<const ticks>{points.data(), points.size()});
  ++count.on_the_engine;
  hold_to(v, host->run(options.horizon.count()), count);
}

/// `judged`: what the method is told, where it is not told all.
template <class Rule>
void hold_graphs(const Rule& rule, const workload& w, const tasks_type& judged, std::uint64_t seed, tally& count) {
  using known = takt::known_under<takt::overlapping_graphs_policy, Rule, takt::published_judges>;
  const auto v = known::judge(takt::overlapping_graphs_policy{}, rule, judged, w.board);
  REQUIRE_FALSE(v.error);
  if (!v.bounded()) { return; }
  ++count.proven;
  auto one_engine = w.board;
  one_engine.copy_engines = 1;
  const auto graphs =
      takt::graphs_of(takt::detail::on_clusters(w.tasks, w.board, w.cluster_size), one_engine, rule, w.cluster_size);
  const auto p = graphs.plan_of_nodes(v);
  bool overlap = false;
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    overlap = overlap || v.tasks[i].bound.value > w.tasks.tasks[i].period;
  }
  for (const way& how : ways) {
    const auto options = options_of(w, how, seed);
    takt::null_recorder silent;
    hold_to(v,
            takt::simulation::simulate_planned_graphs(graphs.table, graphs.board.sizes, Rule::policy, true, p, options,
                                                      silent),
            count);
    if (!overlap) { run_on_engine(rule, w, v, options, count); }
  }
}

template <class Change>
auto graphs_until(std::uint64_t systems, const Change& change) -> tally {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const workload w = draw_graphs(seed);
    tasks_type judged = w.tasks;
    change(judged);
    hold_graphs(takt::clustered(takt::g_edf, w.cluster_size), w, judged, seed, count);
    hold_graphs(takt::clustered(takt::g_fl, w.cluster_size), w, judged, seed, count);
    hold_graphs(takt::clustered(takt::g_fifo, w.cluster_size), w, judged, seed, count);
  }
  return count;
}

using locked_engines = takt::locked_engines_policy<takt::r2dglp_order_rule>;

/// CPU time, then a section of copies, kernels and CPU time, then CPU time.
[[nodiscard]] auto draw_sections(std::uint64_t seed, locked_engines& how) -> workload {
  draws d{seed};
  workload w;
  draw_board(d, w);
  w.board.processors = w.cluster_size;
  const std::int32_t gpus = d.small(1, 2);
  for (std::int32_t g = 0; g < gpus; ++g) { REQUIRE(w.board.gpus.try_push_back({.sms = 2, .virtual_per_sm = 2})); }
  how.tokens = d.one_in(5) ? takt::any_number_of_tokens : d.small(1, 3);
  auto& shape = how.engines.shape;
  shape.copy_engines = d.small(1, 2);
  shape.migration = d.one_in(2) ? takt::migration_path::peer_to_peer : takt::migration_path::system_memory;
  shape.engines = d.one_in(2) ? takt::service_order::first_come : takt::service_order::priority;
  shape.dma_chunk = 1'000;
  for (auto& cost : how.engines.costs.kinds) { cost = {d.between(0, 2), d.between(0, 3), 1'000}; }
  if (d.one_in(2)) { how.engines.overheads.lock = how.engines.overheads.unlock = 1; }
  const std::int32_t tasks = d.small(2, 4);
  for (std::int32_t i = 0; i < tasks; ++i) {
    REQUIRE(w.tasks.add_task({.name = names[static_cast<std::size_t>(i)], .period = 1, .deadline = 1}));
    ticks demand = 0;
    const auto add = [&](resource_kind where, bool inside) {
      takt::runtime_visit v{.where = where};
      const std::uint32_t p = w.tasks.tasks.back().visit_count;
      v.predecessors = p == 0 ? 0 : takt::visit_mask{1} << (p - 1);
      v.in_section = inside;
      if (where == resource_kind::processor) {
        v.known.add(visit_fact::time);
        v.time = {0, d.between(1, 9)};
        demand += v.time.upper;
      } else if (where == resource_kind::gpu) {
        v.known.add(visit_fact::wcet);
        v.wcet = d.between(1, 9);
        demand += v.wcet;
        if (d.one_in(2)) {
          v.known.add(visit_fact::state);
          v.state = d.between(0, 2'000);
        }
      } else {
        v.known.add(visit_fact::bytes);
        v.bytes = d.between(0, 2'500);
        demand += 4;
      }
      REQUIRE(w.tasks.add_visit(v));
    };
    add(resource_kind::processor, false);
    if (!d.one_in(4)) {
      add(resource_kind::copy_engine, true);
      for (ticks k = d.between(1, 2); k > 0; --k) { add(resource_kind::gpu, true); }
      add(resource_kind::processor, true);
      add(resource_kind::copy_engine, true);
      add(resource_kind::processor, false);
    }
    demand *= tasks;
    close_task(d, w, demand);
    w.tasks.tasks.back().deadline = w.tasks.tasks.back().period;
    w.tasks.tasks.back().limited = false;
  }
  return w;
}

template <class Rule>
void hold_sections(const Rule& rule, const locked_engines& how, const workload& w, const tasks_type& judged,
                   std::uint64_t seed, tally& count) {
  using known = takt::known_under<locked_engines, Rule, takt::published_judges>;
  const auto v = known::judge(how, rule, judged, w.board);
  REQUIRE_FALSE(v.error);
  if (!v.bounded()) { return; }
  ++count.proven;
  const auto error = known::with_board(how, rule, w.tasks, w.board, [&](const auto& board, const auto& table) {
    for (const way& each : ways) {
      const auto options = options_of(w, each, seed);
      takt::gpusync_simulation_options asked;
      asked.horizon = options.horizon;
      asked.releases = options.releases;
      asked.execution = options.execution;
      asked.seed = seed;
      asked.overheads = true;
      ++count.on_the_engine;
      hold_to(v, takt::simulate(board, table, asked), count);
    }
  });
  REQUIRE_FALSE(error);
}

template <class Change>
auto sections_until(std::uint64_t systems, const Change& change) -> tally {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    locked_engines how;
    const workload w = draw_sections(seed, how);
    tasks_type judged = w.tasks;
    change(judged);
    hold_sections(takt::clustered(takt::g_edf, w.cluster_size), how, w, judged, seed, count);
    hold_sections(takt::g_fl, how, w, judged, seed, count);
    hold_sections(takt::clustered(takt::fixed_priority, w.cluster_size), how, w, judged, seed, count);
  }
  return count;
}

constexpr auto nothing = [](tasks_type& /*tasks*/) {};

constexpr auto halved = [](tasks_type& tasks) {
  for (auto& v : tasks.visits) {
    for (ticks* const time : {&v.time.upper, &v.block_length, &v.wcet}) { *time = (*time + 1) / 2; }
  }
};

void check_sound(const tally& count) {
  MESSAGE("bounded " << count.proven << ", runs on the engine " << count.on_the_engine << ", bounds reached "
                     << count.reached);
  CHECK(count.errors == 0);
  CHECK(count.violations == 0);
  CHECK(count.proven > 100);
  CHECK(count.on_the_engine > 100);
}

}  // namespace

TEST_CASE(
    "what the published method of graphs proves under a queue of blocks holds in runs of the graphs and of the pools") {
  const tally count = graphs_until(systems_or(300), nothing);
  check_sound(count);
}

TEST_CASE("a bound of graphs that leaves out half of the time of each visit is exceeded") {
  const tally count = graphs_until(300, halved);
  MESSAGE(count.violations << " violations");
  CHECK(count.violations > 0);
}

TEST_CASE(
    "what the published method of locked GPUs proves under tokens with engines holds in runs, overheads included") {
  const tally count = sections_until(systems_or(300), nothing);
  check_sound(count);
}

TEST_CASE("a bound of locked GPUs that leaves out half of the time of each visit is exceeded") {
  const tally count = sections_until(300, halved);
  MESSAGE(count.violations << " violations");
  CHECK(count.violations > 0);
}
