// SPDX-License-Identifier: Apache-2.0
// Finds out which fields analyze, simulate and run read, by changing one field after the other, and keeps the tables of
// docs/platforms.md so. TAKT_WRITE_TABLES=1 writes them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/runtime.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/run/run.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "support/generated_table.hpp"

namespace {

using namespace takt::literals;
using takt::ticks;

constexpr auto refusal = "refused";

template <class Verdict>
auto words_of_verdict(const Verdict& v) -> std::string {
  if (v.error) { return refusal; }
  std::ostringstream out;
  out << static_cast<int>(v.status);
  for (const auto& t : v.tasks) {
    out << ' ' << t.deadline << ':' << t.bound.exists << ':' << t.bound.value << t.meets;
  }
  for (const auto& n : v.visits) { out << ' ' << n.response; }
  for (const auto share : v.plan.percents) { out << ' ' << share; }
  for (const auto offset : v.plan.offsets) { out << ' ' << offset; }
  for (const auto jobs : v.plan.instances) { out << ' ' << jobs; }
  return out.str();
}

template <class Observation>
auto words_of_simulation(const Observation& seen, const takt::trace& heard) -> std::string {
  if (seen.error) { return refusal; }
  std::ostringstream out;
  for (const auto& t : seen.tasks) { out << t.completed << ':' << t.misses << ':' << t.worst_response << ' '; }
  for (const auto& s : heard.slices()) {
    out << s.task << '.' << s.segment << '@' << s.where.gpu << '.' << s.where.index << '.' << s.where.count << ' '
        << s.start << '-' << s.end << ' ';
  }
  return out.str();
}

template <class Result>
auto refuses(const Result& seen) -> bool {
  return seen.error || seen.ended == takt::observation_status::wrong_device;
}

/// What three hosts say of one system; a kind of platform that is not run has no `run`. Analyses and simulations are
/// asked about the system itself and then about others with the same field but other times, since a field need not
/// count in every system.
struct answers {
  std::vector<std::string> analysis{};
  std::vector<std::string> simulation{};
  std::function<bool()> run{};  ///< whether a run refuses it
};

constexpr std::uint64_t variants = 60;

/// The same for both sides of a comparison.
class variant {
 public:
  explicit variant(std::uint64_t number) : changes_{number > 0}, random_{number} {}
  /// The time by a factor from 1/4 to 2.
  auto operator()(ticks time) -> ticks {
    const auto eighths = static_cast<ticks>(random_.between(2, 16));
    return changes_ ? time * eighths / 8 : time;
  }

 private:
  bool changes_;
  takt::random_stream random_;
};

auto word_of(const std::vector<std::string>& before, const std::vector<std::string>& after) -> std::string {
  if (after.front() == refusal) { return "refuses"; }
  return after == before ? "-" : "reads";
}

/// No two runs on threads are alike, so of a run it is only told whether it takes a value.
auto word_of_run(const answers& changed) -> std::string {
  if (!changed.run) { return "not run"; }
  return changed.run() ? "refuses" : "takes";
}

class field_table {
 public:
  field_table(std::string title, answers base) : title_{std::move(title)}, base_{std::move(base)} {
    REQUIRE(base_.analysis.front() != refusal);
    REQUIRE(base_.simulation.front() != refusal);
    if (base_.run) { REQUIRE_FALSE(base_.run()); }
  }

  /// `why` explains what is left alone.
  void add(const std::string& field, const answers& changed, const std::string& why = "") {
    const std::string words[3] = {word_of(base_.analysis, changed.analysis),
                                  word_of(base_.simulation, changed.simulation), word_of_run(changed)};
    bool alone = false;
    for (const auto& w : words) { alone = alone || w == "-"; }
    CAPTURE(title_);
    CAPTURE(field);
    CAPTURE(words[0] + " " + words[1] + " " + words[2]);
    CHECK_MESSAGE(alone == !why.empty(), "a field that some host leaves alone needs a reason, and no other one");
    rows_ += "| `" + field + "` | " + words[0] + " | " + words[1] + " | " + words[2] + " | " + why + " |\n";
  }

  [[nodiscard]] auto text() const -> std::string {
    return "## " + title_ +
           "\n\n| field | `analyze` | `simulate` | `run` | why not |\n| --- | --- | --- | --- | --- |\n" + rows_ + "\n";
  }

 private:
  std::string title_;
  answers base_;
  std::string rows_;
};

// --- chains -------------------------------------------------------------------------------------------------------

using chain_table = takt::task_table<ticks, 3, 16>;

struct chain_system {
  std::int32_t cores = 2;
  std::int32_t engines = 1;
  takt::virtual_sms_resource gpu{4, 2, 1, {}};
  chain_table table;
  takt::plan<3> plan = takt::dedicate(1, 2, 0);
};

auto chains() -> chain_system {
  constexpr ticks us = 1000;
  chain_system out;
  const auto gpu_task = [&](const char* name, ticks period, std::int32_t priority, std::int32_t core) {
    out.table.add_task(name, period, period, priority, core);
    const auto add = [&out](const takt::segment_record<ticks>& s) { REQUIRE(out.table.add_segment(s)); };
    add({.where = takt::stage::cpu, .time = {50 * us, 100 * us}});
    add({.where = takt::stage::copy, .direction = takt::copy_direction::to_device, .time = {200 * us, 300 * us}});
    add({.where = takt::stage::kernel,
         .time = {200 * us, 800 * us},
         .overhead = 20 * us,
         .interleave_numerator = 9,
         .interleave_denominator = 5});
    add({.where = takt::stage::copy, .direction = takt::copy_direction::to_host, .time = {200 * us, 300 * us}});
    add({.where = takt::stage::cpu, .time = {50 * us, 100 * us}});
  };
  gpu_task("a", 4000 * us, 1, 0);
  gpu_task("b", 8000 * us, 0, 0);
  // A CPU segment between two copies.
  REQUIRE(out.table.add_segment({.where = takt::stage::copy, .time = {100 * us, 200 * us}}));
  REQUIRE(out.table.add_segment({.where = takt::stage::kernel, .time = {100 * us, 200 * us}}));
  REQUIRE(out.table.add_segment({.where = takt::stage::cpu, .time = {50 * us, 100 * us}}));
  out.table.add_task("c", 16'000 * us, 16'000 * us, 2, 1);
  REQUIRE(out.table.add_segment({.where = takt::stage::cpu, .time = {100 * us, 500 * us}}));
  return out;
}

template <class GpuRule = takt::federated_rule<false>>
auto ask(const chain_system& s, const GpuRule& rule = {}) -> answers {
  const auto board = takt::platform(
      takt::pool(takt::processors(s.cores), takt::fixed_priority),
      takt::pool(takt::copy_engines(s.engines), takt::nonpreemptive(takt::fixed_priority)), takt::pool(s.gpu, rule));
  answers out;
  for (std::uint64_t number = 0; number <= variants; ++number) {
    chain_table table = s.table;
    variant vary{number};
    for (auto& t : table.tasks) {
      const ticks period = std::min(vary(t.period), t.period);
      t.deadline = std::min(t.deadline, period);
      t.period = period;
    }
    for (auto& x : table.segments) {
      x.time.upper = vary(x.time.upper);
      x.time.lower = std::min(x.time.lower, x.time.upper);
      x.overhead = std::min(x.overhead, x.time.upper);
    }
    takt::trace heard;
    const takt::simulation_options how{.horizon = 32_ms, .execution = takt::execution_times::random, .seed = 3};
    const auto simulated = takt::simulate(board, table, s.plan, how, heard);
    out.simulation.push_back(words_of_simulation(simulated, heard));
    out.analysis.push_back(words_of_verdict(takt::analysis::analyze_by<takt::published>(board, table, s.plan)));
  }
  out.run = [board, s]() -> bool {
    takt::runtime::emulated_device device{board.record()};
    return refuses(takt::runtime::run(board, s.table, s.plan, device, {.length = 1_ms, .real_time = false}));
  };
  return out;
}

auto chain_fields() -> std::string {
  field_table out{"Chains on fixed priorities and SMs of their own", ask(chains())};
  const auto with = [](auto change) {
    chain_system s = chains();
    change(s);
    return ask(s);
  };
  const auto segment = [&with](std::size_t at, auto change) {
    return with([&](chain_system& s) { change(s.table.segments[at]); });
  };
  out.add("processors.count", with([](auto& s) { s.cores = 1; }));
  out.add("copy_engines.count", with([](auto& s) { s.engines = 2; }));
  out.add("virtual_sms.sms", with([](auto& s) { s.gpu.sms = 2; }));
  out.add("virtual_sms.per_sm", with([](auto& s) { s.gpu.per_sm = 8; }));
  out.add("virtual_sms.granularity", with([](auto& s) { s.gpu.granularity = 2; }));
  out.add("virtual_sms.speed", with([](auto& s) { s.gpu.speed = {1, 4}; }));
  out.add("task.period", with([](auto& s) { s.table.tasks[0].period *= 4; }));
  out.add("task.deadline", with([](auto& s) { s.table.tasks[0].deadline = 700'000; }));
  out.add("task.priority", with([](auto& s) { std::swap(s.table.tasks[0].priority, s.table.tasks[1].priority); }));
  out.add("task.core", with([](auto& s) { s.table.tasks[2].core = 0; }));
  out.add("cpu, longest time", segment(0, [](auto& x) { x.time.upper *= 8; }));
  out.add("cpu, shortest time", with([](auto& s) {
            for (const auto at : {std::size_t{0}, std::size_t{9}}) {
              s.table.segments[at].time.lower = s.table.segments[at].time.upper = 400'000;
            }
          }));
  out.add("copy, longest time", segment(1, [](auto& x) { x.time.upper *= 4; }));
  out.add("copy, shortest time", with([](auto& s) {
            for (auto& x : s.table.segments) { x.time.lower = x.where == takt::stage::copy ? 0 : x.time.lower; }
          }));
  out.add("copy.direction", with([](auto& s) {
            s.engines = 2;
            s.table.segments[3].direction = takt::copy_direction::to_device;
          }));
  out.add("kernel.work, most", segment(2, [](auto& x) { x.time.upper *= 4; }));
  out.add("kernel.work, least", with([](auto& s) {
            for (const auto at : {std::size_t{2}, std::size_t{7}}) {
              s.table.segments[at].time.lower = s.table.segments[at].time.upper;
            }
          }));
  out.add("kernel.overhead", segment(7, [](auto& x) { x.overhead = 1'400'000; }));
  out.add("kernel.interleave", segment(2, [](auto& x) { x.interleave_numerator = 40; }));
  out.add(
      "kernel.self_interleave", segment(2, [](auto& x) { x.any_neighbour = false; }),
      "`federated` gives a task whole SMs, beside whose blocks there are no others; `federated_virtual` refuses it");
  out.add("plan.shares", with([](auto& s) { s.plan.shares[1].sms = 1; }));
  out.add("plan.cores", with([](auto& s) {
            for (const std::int32_t c : {1, 0, 1}) { s.plan.cores.unchecked_push_back(c); }
          }));
  out.add("plan.priorities", with([](auto& s) {
            for (const std::int32_t p : {0, 1, 2}) { s.plan.priorities.unchecked_push_back(p); }
          }));
  out.add("plan.tokens", with([](auto& s) { s.plan.tokens.unchecked_push_back(1); }));
  out.add("plan.percents", with([](auto& s) { s.plan.percents.resize(3, 20); }));
  out.add("plan.slots", with([](auto& s) { s.plan.slots.resize(2); }));
  return out.text();
}

// --- whole kernels ------------------------------------------------------------------------------------------------

using kernel_table = takt::task_rows<takt::accelerator_task<ticks>, 3>;

struct kernel_system {
  takt::accelerator_resource cores = takt::accelerator(2, 2);
  kernel_table table;
  takt::plan<3> plan;
};

auto kernels() -> kernel_system {
  kernel_system out;
  const auto add = [&out](const char* name, ticks wcet, ticks period, std::int32_t priority) {
    REQUIRE(out.table.add({.name = name,
                           .wcet = wcet * 1000,
                           .period = period * 1000,
                           .deadline = period * 1000,
                           .preemption_cost = wcet * 200,
                           .width = takt::kernel_width::one_core,
                           .core = 0,
                           .priority = priority}));
  };
  add("a", 800, 4000, 0);
  add("b", 3000, 8000, 1);
  add("c", 1000, 16'000, 2);
  return out;
}

template <class Rule>
auto ask(const kernel_system& s, const Rule& rule) -> answers {
  const auto board = takt::platform(takt::pool(s.cores, rule));
  answers out;
  for (std::uint64_t number = 0; number <= variants; ++number) {
    kernel_table table = s.table;
    variant vary{number};
    for (auto& t : table.tasks) {
      const ticks period = std::min(vary(t.period), t.period);
      t.deadline = std::min(t.deadline, period);
      t.period = period;
      t.wcet = vary(t.wcet);
      t.preemption_cost = std::min(t.preemption_cost, t.wcet);
    }
    takt::trace heard;
    const takt::simulation_options how{.horizon = 32_ms, .releases = takt::release_pattern::sporadic, .seed = 3};
    const auto simulated = takt::simulate(board, table, s.plan, how, heard);
    out.simulation.push_back(words_of_simulation(simulated, heard));
    out.analysis.push_back(words_of_verdict(takt::analysis::analyze_by<takt::published>(board, table, s.plan)));
  }
  out.run = [board, s]() -> bool {
    takt::runtime::emulated_accelerator device{s.cores.record};
    takt::runtime::board_devices devices;
    devices.kernels(0, device);
    return refuses(takt::runtime::run(board, s.table, s.plan, devices, {.length = 1_ms, .real_time = false}));
  };
  return out;
}

template <class Rule>
auto kernel_fields(const std::string& title, const Rule& rule, const std::string& levels, const std::string& cost,
                   const std::string& core, const std::string& first_core) -> field_table {
  field_table out{title, ask(kernels(), rule)};
  const auto with = [&rule](auto change) {
    kernel_system s = kernels();
    change(s);
    return ask(s, rule);
  };
  out.add("accelerator.preemption_levels", with([](auto& s) { s.cores.record.preemption_levels = 1; }), levels);
  out.add("task.period", with([](auto& s) { s.table.tasks[0].period *= 4; }));
  out.add("task.deadline", with([](auto& s) { s.table.tasks[0].deadline = 801'000; }));
  out.add("task.priority", with([](auto& s) { std::swap(s.table.tasks[0].priority, s.table.tasks[2].priority); }));
  out.add("kernel.wcet", with([](auto& s) { s.table.tasks[1].wcet *= 3; }));
  out.add("kernel.preemption_cost", with([](auto& s) { s.table.tasks[2].preemption_cost *= 5; }), cost);
  out.add("kernel.on_sm", with([](auto& s) { s.table.tasks[2].core = 1; }), core);
  out.add("plan.cores", with([](auto& s) {
            for (const std::int32_t c : {0, 0, 1}) { s.plan.cores.unchecked_push_back(c); }
          }),
          first_core);
  out.add("plan.priorities", with([](auto& s) {
            for (const std::int32_t p : {2, 1, 0}) { s.plan.priorities.unchecked_push_back(p); }
          }));
  out.add("plan.shares", with([](auto& s) { s.plan.shares.resize(3); }));
  out.add("plan.percents", with([](auto& s) { s.plan.percents.resize(3, 20); }));
  out.add("plan.tokens", with([](auto& s) { s.plan.tokens.unchecked_push_back(1); }));
  return out;
}

// --- graphs -------------------------------------------------------------------------------------------------------

using graphs_table = takt::graph_table<ticks, 8, 8, 2>;

struct graph_system {
  std::int32_t processors = 2;
  takt::block_slots_resource gpu = takt::block_slots(2, 1024, 4);
  std::int32_t engines = 1;
  graphs_table table;
  std::vector<ticks> later{};
  std::vector<std::int32_t> instances{};
  bool percents = false;
};

auto graphs() -> graph_system {
  constexpr ticks us = 1000;
  graph_system out;
  out.table.add_graph("g", 8000 * us);
  const auto add = [&out](const takt::graph_node<ticks>& n) { REQUIRE(out.table.add_node(n)); };
  add({.name = "read", .kind = takt::node_kind::processor, .wcet = 1500 * us});
  add({.name = "move", .kind = takt::node_kind::copy, .wcet = 300 * us});
  add({.name = "filter", .kind = takt::node_kind::kernel, .block_length = 300 * us, .blocks = 4, .block_threads = 256});
  add({.name = "track", .kind = takt::node_kind::processor, .wcet = 600 * us});
  for (std::uint32_t v = 0; v < 3; ++v) { out.table.add_edge(v, v + 1); }
  out.table.add_graph("h", 4000 * us);
  add({.name = "poll", .kind = takt::node_kind::processor, .wcet = 1500 * us});
  add({.name = "fetch", .kind = takt::node_kind::copy, .wcet = 400 * us});
  out.table.add_edge(4, 5);
  return out;
}

auto ask(const graph_system& s) -> answers {
  const auto board = takt::platform(takt::pool(takt::processors(s.processors), takt::nonpreemptive(takt::g_fl)),
                                    takt::pool(takt::copy_engines(s.engines), takt::fifo),
                                    takt::pool(s.gpu, takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  const auto plan_of = [s](const auto& verdict) {
    auto plan = verdict.plan;
    for (std::size_t v = 0; v < plan.offsets.size() && v < s.later.size(); ++v) { plan.offsets[v] += s.later[v]; }
    for (std::size_t v = 0; v < plan.instances.size() && v < s.instances.size(); ++v) {
      plan.instances[v] = s.instances[v];
    }
    if (s.percents) { plan.percents.resize(2, 20); }
    return plan;
  };
  answers out;
  for (std::uint64_t number = 0; number <= variants / 4; ++number) {
    graphs_table table = s.table;
    variant vary{number};
    for (auto& n : table.nodes) {
      n.wcet = vary(n.wcet);
      n.block_length = vary(n.block_length);
    }
    const auto verdict = takt::analysis::analyze_by<takt::published>(board, table);
    const auto plan = plan_of(verdict);
    const bool asks_plan = !s.later.empty() || !s.instances.empty() || s.percents;
    out.analysis.push_back(
        words_of_verdict(asks_plan ? takt::analysis::analyze_by<takt::published>(board, table, plan) : verdict));
    takt::trace heard;
    const auto simulated = takt::simulate(board, table, plan, {.horizon = 32_ms}, heard);
    out.simulation.push_back(words_of_simulation(simulated, heard));
  }
  out.run = [board, s, plan_of]() -> bool {
    const auto plan = plan_of(takt::analysis::analyze_by<takt::published>(board, s.table));
    takt::runtime::graph_run_options options;
    options.length = 1_ms;
    options.real_time = false;
    return refuses(takt::runtime::run(board, s.table, plan, options));
  };
  return out;
}

auto graph_fields() -> std::string {
  field_table out{"Graphs on global priority points and a block queue", ask(graphs())};
  const auto with = [](auto change) {
    graph_system s = graphs();
    change(s);
    return ask(s);
  };
  const auto node = [&with](std::size_t at, auto change) {
    return with([&](graph_system& s) { change(s.table.nodes[at]); });
  };
  out.add("processors.count", with([](auto& s) { s.processors = 1; }));
  out.add("copy_engines.count", with([](auto& s) { s.engines = 2; }));
  out.add("block_slots.sms", with([](auto& s) { s.gpu.sms = 1; }));
  out.add("block_slots.threads_per_sm", with([](auto& s) { s.gpu.threads_per_sm = 256; }));
  out.add("block_slots.blocks_per_sm", with([](auto& s) { s.gpu.blocks_per_sm = 1; }));
  out.add("block_slots.warp_size", with([](auto& s) { s.gpu.warp_size = 512; }));
  out.add("graph.period", with([](auto& s) { s.table.graphs[1].period *= 4; }));
  out.add("graph.cluster", with([](auto& s) { s.table.graphs[1].cluster = 1; }));
  out.add("cpu", node(0, [](auto& n) { n.wcet *= 4; }));
  out.add("copy", node(1, [](auto& n) { n.wcet *= 4; }));
  out.add("kernel.block_length", node(2, [](auto& n) { n.block_length *= 4; }));
  out.add("kernel.blocks", node(2, [](auto& n) { n.blocks = 16; }));
  out.add("kernel.threads", node(2, [](auto& n) { n.block_threads = 1024; }));
  out.add("kernel.launch, await", node(2, [](auto& n) {
            n.split = true;
            n.launch = n.await = 300'000;
          }));
  out.add("edge", with([](auto& s) { s.table.edges[1].to = 3; }));
  out.add("edge.lag", with([](auto& s) { s.table.edges[2].lag = 1; }));
  out.add("plan.offsets", with([](auto& s) { s.later = {0, 0, 0, 2'000'000}; }));
  out.add("plan.instances", with([](auto& s) { s.instances = {0}; }));
  out.add("plan.percents", with([](auto& s) { s.percents = true; }));
  return out.text();
}

// --- applications -------------------------------------------------------------------------------------------------

struct share_system {
  takt::gpu_shares_resource gpu = takt::gpu_shares(takt::memory_units{8});
  takt::application_set<2> table;
  takt::share_rules rules = takt::wamp2s_robust;
  takt::share_triggers triggers = takt::every_change;
  takt::plan<2> plan;
};

auto applications() -> share_system {
  share_system out;
  out.table.add({.name = "map",
                 .period = 40'000,
                 .deadline = 36'000,
                 .priority = 2,
                 .alone = takt::wcet_row::scaling(6000, 300),
                 .memory = takt::memory_units{2}});
  out.table.add({.name = "track",
                 .period = 60'000,
                 .deadline = 60'000,
                 .priority = 1,
                 .alone = takt::wcet_row::scaling(9000, 200),
                 .memory = takt::memory_units{2}});
  return out;
}

auto ask(const share_system& s) -> answers {
  const auto board = takt::platform(takt::pool(s.gpu, takt::shares(s.rules, s.triggers)));
  answers out;
  for (std::uint64_t number = 0; number <= variants; ++number) {
    auto table = s.table;
    variant vary{number};
    for (auto& t : table.tasks) { t.deadline = std::min(t.period, std::max<ticks>(vary(t.deadline), 12'000)); }
    takt::trace heard;
    const takt::simulation_options how{
        .horizon = takt::duration{600'000}, .releases = takt::release_pattern::adversarial, .seed = 5};
    const auto simulated = takt::simulate(board, table, s.plan, how, heard);
    out.simulation.push_back(words_of_simulation(simulated, heard));
    out.analysis.push_back(words_of_verdict(takt::analysis::analyze_by<takt::published>(board, table, s.plan)));
  }
  return out;
}

auto share_fields() -> std::string {
  field_table out{"Applications on shares of a GPU", ask(applications())};
  const auto with = [](auto change) {
    share_system s = applications();
    change(s);
    return ask(s);
  };
  const std::string rule_alone = "the lasting shares hold under every trigger, and simulations show what each saves";
  out.add("gpu_shares.memory", with([](auto& s) { s.gpu = takt::gpu_shares(takt::memory_units{3}); }));
  out.add("rules.actuation", with([](auto& s) { s.rules.actuation = 3000; }));
  out.add("rules.load", with([](auto& s) { s.rules = takt::wamp2s_text; }));
  out.add("triggers", with([](auto& s) { s.triggers = takt::workload_decrease; }), rule_alone);
  out.add("application.period", with([](auto& s) { s.table.tasks[0].period *= 2; }));
  out.add("application.deadline", with([](auto& s) { s.table.tasks[0].deadline = 20'000; }));
  out.add("application.priority", with([](auto& s) { s.table.tasks[0].priority = 0; }),
          "lasting shares that fit together fit in any order");
  out.add("application.request", with([](auto& s) { s.table.tasks[0].request = takt::share::bounded(90); }),
          "`robust` rules count on the worst load and assume nothing of a job that holds nothing; the others read it");
  out.add("application.wcet_row", with([](auto& s) { s.table.tasks[0].alone = takt::wcet_row::scaling(12'000, 300); }));
  out.add("application.memory", with([](auto& s) { s.table.tasks[0].memory = takt::memory_units{7}; }));
  out.add("contention", with([](auto& s) { s.table.contention.set(0, 1, 400'000); }));
  out.add("plan.percents", with([](auto& s) { s.plan.percents.resize(2, 1); }), "under `robust` rules as `request`");
  out.add("plan.shares", with([](auto& s) { s.plan.shares.resize(2); }));
  out.add("plan.cores", with([](auto& s) { s.plan.cores.resize(2); }));
  return out.text();
}

// --- locked GPUs --------------------------------------------------------------------------------------------------

using locked_table = takt::task_rows<takt::gpusync_task<ticks, 2>, 4>;

struct locked_system {
  takt::gpusync_board<> board{};
  locked_table table;
  takt::plan<4> plan;
};

auto locked_gpus() -> locked_system {
  constexpr ticks us = 1000;
  locked_system out;
  out.board.shape = {.cpus = 4,
                     .cpu_cluster_size = 2,
                     .gpus = 4,
                     .gpu_cluster_size = 2,
                     .copy_engines = 1,
                     .migration = takt::migration_path::peer_to_peer,
                     .dma_chunk = 1 << 16,
                     .association = {.cpu_clusters = {3, 3}}};
  out.board.costs.kinds.fill({.setup = 10 * us, .numerator = 1, .denominator = 4});
  const auto add = [&out](const char* name, ticks period, std::int32_t cluster, std::int32_t priority) {
    locked_table::task_type t{.name = name,
                              .wcet = 900 * us,
                              .period = period * us,
                              .deadline = period * us,
                              .cpu_in_gpu_section = 100 * us,
                              .bytes_in = 1 << 18,
                              .bytes_out = 1 << 18,
                              .bytes_state = 1 << 18,
                              .cpu_cluster = cluster,
                              .gpu_cluster = cluster,
                              .priority = priority};
    REQUIRE(t.kernels.try_push_back(800 * us));
    REQUIRE(out.table.add(t));
  };
  add("a", 8000, 0, 2);
  add("b", 10'000, 0, 1);
  add("c", 12'000, 0, 0);
  add("d", 20'000, 1, 3);
  return out;
}

auto ask(const locked_system& s) -> answers {
  answers out;
  for (std::uint64_t number = 0; number <= variants / 2; ++number) {
    locked_table table = s.table;
    variant vary{number};
    for (auto& t : table.tasks) {
      t.wcet = std::max(vary(t.wcet), t.cpu_in_gpu_section);
      for (auto& k : t.kernels) { k = vary(k); }
    }
    takt::trace heard;
    takt::gpusync_simulation_options how;
    how.horizon = 60_ms;
    how.overheads = true;
    const auto simulated = takt::simulate(s.board, table, s.plan, how, heard);
    out.simulation.push_back(words_of_simulation(simulated, heard));
    out.analysis.push_back(words_of_verdict(takt::analysis::analyze_by<takt::published>(s.board, table, s.plan)));
  }
  out.run = [s] {
    takt::runtime::locked_gpu_run_options how;
    how.length = 1_ms;
    how.real_time = false;
    return refuses(takt::runtime::run(s.board, s.table, s.plan, how));
  };
  return out;
}

auto locked_fields() -> std::string {
  field_table out{"Locked GPUs", ask(locked_gpus())};
  const auto with = [](auto change) {
    locked_system s = locked_gpus();
    change(s);
    return ask(s);
  };
  const auto shape = [&with](auto change) { return with([&](locked_system& s) { change(s.board.shape); }); };
  out.add("cpus, cpu_cluster_size", shape([](auto& c) { c.cpus = 2 * (c.cpu_cluster_size = 1); }));
  out.add("gpus, gpu_cluster_size", shape([](auto& c) { c.gpus = 2 * (c.gpu_cluster_size = 1); }));
  out.add("tokens_per_gpu", shape([](auto& c) { c.tokens_per_gpu = 2; }));
  out.add("copy_engines", shape([](auto& c) { c.copy_engines = 2; }));
  out.add("numa_nodes", shape([](auto& c) { c.numa_nodes = 2; }), "the association says which clusters serve which");
  out.add("migration", shape([](auto& c) { c.migration = takt::migration_path::system_memory; }));
  out.add("tokens", shape([](auto& c) { c.tokens = takt::token_protocol::r2dglp; }));
  out.add("engines", shape([](auto& c) { c.engines = takt::service_order::priority; }));
  out.add("scheduler", shape([](auto& c) { c.scheduler = takt::cpu_scheduler::given_priority; }));
  out.add("uncontended", shape([](auto& c) { c.uncontended = takt::uncontended_gpus::dedicated; }));
  out.add("dma_chunk", shape([](auto& c) { c.dma_chunk = 1 << 14; }));
  out.add("association", shape([](auto& c) { c.association.cpu_clusters = {1, 2}; }));
  out.add("costs.to_device", with([](auto& s) { s.board.costs.kinds[0].setup *= 4; }));
  out.add("costs.to_host", with([](auto& s) { s.board.costs.kinds[1].setup *= 4; }));
  out.add("costs.peer", with([](auto& s) { s.board.costs.kinds[2].setup *= 4; }));
  out.add("overheads", with([](auto& s) { s.board.overheads.schedule = 5000; }));
  const auto task = [&with](auto change) { return with([&](locked_system& s) { change(s.table.tasks[0]); }); };
  out.add("task.wcet", task([](auto& t) { t.wcet *= 2; }));
  out.add("task.period", task([](auto& t) { t.period *= 2; }));
  out.add("task.deadline", task([](auto& t) { t.deadline = 2'000'000; }));
  out.add("task.priority", with([](auto& s) { s.table.tasks[0].priority = 0; }), "only fixed priorities read it");
  out.add("task.cpu_in_gpu_section", task([](auto& t) { t.cpu_in_gpu_section *= 2; }));
  out.add("task.kernels", task([](auto& t) { t.kernels[0] *= 2; }));
  out.add("task.bytes_in", task([](auto& t) { t.bytes_in *= 2; }));
  out.add("task.bytes_out", task([](auto& t) { t.bytes_out *= 2; }));
  out.add("task.bytes_state", task([](auto& t) { t.bytes_state *= 2; }));
  out.add("task.cpu_cluster", with([](auto& s) { s.table.tasks[3].cpu_cluster = 0; }));
  out.add("task.gpu_cluster", with([](auto& s) { s.table.tasks[3].gpu_cluster = 0; }));
  out.add("plan.cores", with([](auto& s) {
            for (const std::int32_t c : {0, 0, 1, 1}) { s.plan.cores.unchecked_push_back(c); }
          }));
  out.add("plan.shares", with([](auto& s) {
            for (const std::int32_t g : {0, 0, 1, 1}) { s.plan.shares.unchecked_push_back({g, 0}); }
          }));
  out.add("plan.priorities", with([](auto& s) {
            for (const std::int32_t p : {3, 2, 1, 0}) { s.plan.priorities.unchecked_push_back(p); }
          }));
  out.add("plan.percents", with([](auto& s) { s.plan.percents.resize(4, 20); }));
  out.add("plan.tokens", with([](auto& s) { s.plan.tokens.resize(4, 1); }));
  return out.text();
}

constexpr auto marker = "<!-- The tables below are made by tests/structure/platforms_test.cpp. -->\n\n";

TEST_CASE(
    "each field of a platform and its tasks is read, refused or left alone for a reason, as docs/platforms.md says") {
  std::string tables = chain_fields();
  tables += kernel_fields("Whole kernels on levels of stream priority", takt::levels(takt::fixed_priority), "", "",
                          "one kernel at a time runs, whatever core it asks for", "as `on_sm`")
                .text();
  tables += kernel_fields("Whole kernels, one after the other", takt::nonpreemptive(takt::fixed_priority),
                          "nothing is preempted", "nothing is preempted",
                          "one kernel at a time runs, whatever core it asks for", "as `on_sm`")
                .text();
  tables += graph_fields();
  tables += share_fields();
  tables += locked_fields();
  takt_tests::expect_table("docs/platforms.md", marker, tables);
}

}  // namespace
