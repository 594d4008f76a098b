// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/analysis/as_published.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

#include "support/traces.hpp"
#include "vectors/exact_number.hpp"

namespace {

using namespace takt::analysis::gpusync;
using takt::cpu_scheduler;
using takt::migration_path;
using takt_vectors::exact;

using table = takt::task_rows<takt::gpusync_task<exact, 2>, 8>;
using board = takt::gpusync_board<takt::linear_transfer_costs<exact>>;
using list = std::vector<std::string>;

[[nodiscard]] auto board_of(const takt::gpusync_configuration& c) -> board {
  board out;
  out.shape = c;
  out.shape.dma_chunk = 100;
  out.costs.kinds = {takt::linear_cost<exact>{2, 1, 10}, {3, 1, 10}, {1, 1, 25}};
  return out;
}

struct bytes {
  std::int64_t in;
  std::int64_t out;
  std::int64_t state;
};

[[nodiscard]] auto gpu_task(int wcet, int section, int period, std::initializer_list<int> kernels, bytes moved,
                            std::int32_t cpu = 0, std::int32_t gpu = 0) -> table::task_type {
  table::task_type t{.wcet = wcet,
                     .period = period,
                     .deadline = period,
                     .cpu_in_gpu_section = section,
                     .bytes_in = moved.in,
                     .bytes_out = moved.out,
                     .bytes_state = moved.state,
                     .cpu_cluster = cpu,
                     .gpu_cluster = gpu};
  for (const int k : kernels) { t.kernels.unchecked_push_back(k); }
  return t;
}
[[nodiscard]] auto cpu_task(int wcet, int period, std::int32_t cpu = 0) -> table::task_type {
  return {.wcet = wcet, .period = period, .deadline = period, .cpu_cluster = cpu};
}

[[nodiscard]] auto w3_tasks() -> table {
  table out;
  out.add(gpu_task(20, 10, 2000, {30}, {100, 250, 200}));
  out.add(gpu_task(30, 10, 2400, {25, 15}, {250, 50, 0}));
  out.add(gpu_task(25, 5, 4000, {40}, {200, 200, 100}));
  out.add(gpu_task(15, 5, 3200, {20}, {50, 100, 0}));
  out.add(gpu_task(40, 5, 6000, {10}, {100, 100, 100}));
  out.add(cpu_task(200, 4000));
  return out;
}
[[nodiscard]] auto w3_configuration(std::int32_t tokens) -> takt::gpusync_configuration {
  return {.cpus = 4,
          .cpu_cluster_size = 4,
          .gpus = 2,
          .gpu_cluster_size = 2,
          .tokens_per_gpu = tokens,
          .migration = migration_path::peer_to_peer};
}

/// One value of each task.
template <class Value>
[[nodiscard]] auto each(const set_bounds<table>& found, const Value& value) -> list {
  list out;
  for (const auto& t : found.tasks) { out.push_back(exact(value(t)).str()); }
  return out;
}
[[nodiscard]] auto inflated(const set_bounds<table>& found) -> list {
  return each(found, [](const auto& t) { return t.inflated.wcet; });
}
[[nodiscard]] auto lateness(const set_bounds<table>& found) -> list {
  return each(found, [](const auto& t) { return t.lateness; });
}
[[nodiscard]] auto copy_waits(const set_bounds<table>& found) -> list {
  return each(found, [](const auto& t) { return t.engines.copies.time; });
}
[[nodiscard]] auto sections(const set_bounds<table>& found) -> list {
  return each(found, [](const auto& t) { return t.section.time; });
}
[[nodiscard]] auto token_waits(const set_bounds<table>& found) -> list {
  return each(found, [](const auto& t) { return t.tokens.total().time; });
}

TEST_CASE("W3: a cluster of two GPUs with migration between them and two tokens each" *
          takt_tests::traces("GSA-10 GSA-11 GSA-12 GSA-18")) {
  const table tasks = w3_tasks();
  const board platform = board_of(w3_configuration(2));
  REQUIRE_FALSE(takt::validate_gpusync(platform, tasks));
  const auto found = analyze_set(platform, tasks);
  CHECK(each(found, [](const auto& t) { return t.own.copy_time(); }) == list{"56", "39", "55", "20", "30", "0"});
  CHECK(each(found, [](const auto& t) { return t.engines.execution.time; }) == list{"40", "80", "30", "40", "40", "0"});
  CHECK(each(found, [](const auto& t) { return t.engines.simple.time; }) ==
        list{"224", "156", "193", "78", "117", "0"});
  CHECK(each(found, [](const auto& t) { return t.engines.dual.time; }) == list{"224", "156", "193", "78", "117", "0"});
  CHECK(each(found, [](const auto& t) { return t.engines.chains.time; }) == list{"197", "123", "160", "61", "99", "0"});
  CHECK(copy_waits(found) == list{"197", "123", "160", "61", "99", "0"});
  CHECK(sections(found) == list{"333", "292", "290", "146", "184", "0"});
  CHECK(found.tasks[0].tokens.sections_ahead == 1);
  CHECK(token_waits(found) == list{"292", "333", "333", "333", "333", "0"});
  CHECK(inflated(found) == list{"635", "645", "643", "489", "552", "200"});
  CHECK(found.clusters[0].s.str() == "21333517/20476");
  CHECK(lateness(found) == list(6, exact(exact("21333517/20476") / 4).str()));
  CHECK(found.passes == 2);
  CHECK(found.schedulable());
}

TEST_CASE("W3b: with one token per GPU three token sections are ahead" * takt_tests::traces("GSA-18")) {
  const auto found = analyze_set(board_of(w3_configuration(1)), w3_tasks());
  CHECK(each(found, [](const auto& t) { return t.engines.total().time; }) == list{"41", "5", "23", "5", "18", "0"});
  CHECK(sections(found) == list{"137", "94", "123", "50", "63", "0"});
  CHECK(found.tasks[4].tokens.sections_ahead == 3);
  CHECK(token_waits(found) == list{"340", "411", "411", "411", "411", "0"});
  CHECK(inflated(found) == list{"487", "525", "554", "471", "509", "200"});
  CHECK(lateness(found) == list(6, "20767811/256000"));
}

TEST_CASE("W3 without a limit of tokens: chains are as with as many tokens on each GPU as there are tasks" *
          takt_tests::traces("GSA-14")) {
  const auto free = analyze_set(board_of(w3_configuration(takt::unlimited_tokens)), w3_tasks());
  const auto many = analyze_set(board_of(w3_configuration(5)), w3_tasks());
  const auto chains = [](const auto& t) { return t.engines.chains.time; };
  CHECK(each(free, [](const auto& t) { return t.engines.simple.time; }) ==
        each(many, [](const auto& t) { return t.engines.simple.time; }));
  CHECK(each(free, chains) == each(many, chains));
  CHECK(copy_waits(free) == copy_waits(many));
  CHECK(lateness(free) == lateness(many));
  CHECK(each(free, [](const auto& t) { return t.engines.dual.time; }) == list{"268", "206", "253", "104", "156", "0"});
  CHECK(copy_waits(free) == list{"268", "192", "252", "100", "152", "0"});
}

TEST_CASE("W4: migration through system memory, two copy engines" * takt_tests::traces("GSA-15")) {
  auto c = w3_configuration(2);
  c.migration = migration_path::system_memory;
  c.scheduler = cpu_scheduler::earliest_deadline;
  const auto found = analyze_set(board_of(c), w3_tasks());
  CHECK(copy_waits(found) == list{"101", "49", "75", "25", "50", "0"});
  CHECK(sections(found) == list{"277", "218", "225", "110", "155", "0"});
  CHECK(token_waits(found) == list{"225", "277", "277", "277", "277", "0"});
  CHECK(inflated(found) == list{"512", "515", "522", "397", "467", "200"});
  CHECK(lateness(found) == list{"384", "1545/4", "783/2", "1191/4", "1401/4", "150"});
}

TEST_CASE("W4b: migration through system memory, one copy engine" * takt_tests::traces("GSA-16")) {
  auto c = w3_configuration(2);
  c.migration = migration_path::system_memory;
  c.copy_engines = 1;
  c.scheduler = cpu_scheduler::earliest_deadline;
  const auto found = analyze_set(board_of(c), w3_tasks());
  CHECK(copy_waits(found) == list{"104", "52", "78", "26", "52", "0"});
  CHECK(inflated(found) == list{"518", "521", "528", "401", "472", "200"});
}

TEST_CASE("coarse bounds are above the detailed ones in W3 and W4" * takt_tests::traces("GSA-7")) {
  for (const auto path : {migration_path::peer_to_peer, migration_path::system_memory}) {
    auto c = w3_configuration(2);
    c.migration = path;
    const table tasks = w3_tasks();
    const auto found = analyze_set(board_of(c), tasks);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& t = found.tasks[i];
      const auto coarse = coarse_engine_waits<exact>(c, 5, t.own, 40, 13);
      const std::int64_t ahead = path == migration_path::peer_to_peer ? 3 : 1;
      CHECK(coarse.execution.time == 40 * t.own.kernels);
      CHECK(coarse.copies.time == 13 * ahead * (t.own.copies() - t.own.state_peer.count()));
      CHECK(coarse.migrations.time == 13 * ahead * t.own.state_peer.count());
      CHECK(t.engines.execution.time <= coarse.execution.time);
      CHECK(t.engines.copies.time <= coarse.copies.time + coarse.migrations.time);
    }
  }
}

TEST_CASE("W5: direct blocking that counts one cluster's CPUs accepts a set that overloads the GPUs" *
          takt_tests::traces("GSA-19")) {
  table tasks;
  for (std::int32_t cpu = 0; cpu < 4; ++cpu) { tasks.add(gpu_task(2, 1, 200, {110}, {0, 0, 0}, cpu)); }
  const board platform = board_of({.cpus = 4, .cpu_cluster_size = 1, .gpus = 2, .gpu_cluster_size = 2});
  REQUIRE_FALSE(takt::validate_gpusync(platform, tasks));
  CHECK(platform.shape.protocol() == takt::token_protocol::ck_omlp);

  const auto printed = analyze_set<as_published::direct_blocking>(platform, tasks);
  CHECK(printed.schedulable());
  CHECK(printed.tasks[0].inflated.wcet == 112);
  CHECK(printed.tasks[0].response.value == 200);
  // Four kernels of 110 in every 200, on two GPUs.
  CHECK(4 * 110 > 2 * 200);

  const auto sound = analyze_set(platform, tasks);
  CHECK(sound.tasks[0].tokens.direct.time == 111);
  CHECK(sound.tasks[0].tokens.indirect.time == 0);
  CHECK(sound.tasks[0].inflated.wcet == 223);
  CHECK(sound.status == takt::obstacle::processors);
}

[[nodiscard]] auto with_overheads(const takt::gpusync_configuration& c) -> board {
  board out = board_of(c);
  out.overheads = {.schedule = 1,
                   .context_switch = 1,
                   .cache_loss = 1,
                   .interrupt_cache_loss = 1,
                   .tick = 1,
                   .tick_quantum = 100,
                   .release = 1,
                   .event_latency = 1,
                   .ipi = 1,
                   .system_call_in = 1,
                   .system_call_out = 1,
                   .lock = 1,
                   .unlock = 1,
                   .top_half = 2,
                   .bottom_half = 5};
  return out;
}
[[nodiscard]] auto w6_tasks(std::int32_t last_cpu_cluster) -> table {
  table out;
  out.add(gpu_task(20, 10, 1500, {30}, {100, 250, 0}));
  out.add(gpu_task(30, 10, 2000, {25, 15}, {250, 50, 0}));
  out.add(cpu_task(100, 2000));
  out.add(gpu_task(15, 5, 800, {20}, {50, 100, 0}, last_cpu_cluster, 1));
  return out;
}

TEST_CASE("W6: overheads, CPUs and GPUs partitioned without a limit of tokens" *
          takt_tests::traces("GSA-20 GSA-21 GSA-22")) {
  const auto found =
      analyze_set<as_published::free_requests>(with_overheads({.cpus = 2,
                                                               .cpu_cluster_size = 1,
                                                               .gpus = 2,
                                                               .gpu_cluster_size = 1,
                                                               .tokens_per_gpu = takt::unlimited_tokens}),
                                               w6_tasks(1));
  CHECK(inflated(found) == list{"177949/293", "233756/293", "52807/293", "91645/391"});
  CHECK(each(found, [](const auto& t) { return t.engines.execution.time; }) == list{"55", "120", "0", "0"});
  CHECK(copy_waits(found) == list{"118", "169", "0", "0"});
  CHECK(sections(found) == list{"417", "566", "0", "143"});
  CHECK(each(found, [](const auto& t) { return t.top_halves; }) == list{"12", "15", "27", "0"});
}

TEST_CASE("W6: overheads, global CPUs and partitioned GPUs with two tokens each" *
          takt_tests::traces("GSA-20 GSA-21 GSA-22")) {
  const auto found = analyze_set<as_published::free_requests>(
      with_overheads({.cpus = 2, .cpu_cluster_size = 2, .gpus = 2, .gpu_cluster_size = 1, .tokens_per_gpu = 2}),
      w6_tasks(0));
  CHECK(inflated(found) == list{"110431/167", "134264/167", "278431/1169", "364955/1169"});
  CHECK(found.clusters[0].s.str() == "120199364319717101/111228926347378");
  CHECK(found.passes == 3);
  CHECK(found.schedulable());
}

TEST_CASE("W7: removing the longest requests, as printed, is no bound for two copy engines" *
          takt_tests::traces("GSA-12")) {
  table tasks;
  tasks.add(cpu_task(148, 600));
  tasks.add(gpu_task(15, 10, 500, {30}, {50, 250, 0}));
  tasks.add(gpu_task(4, 0, 500, {26, 11}, {0, 250, 200}));
  tasks.add(gpu_task(21, 12, 2000, {38, 26}, {50, 250, 0}));
  const board platform = board_of(w3_configuration(1));
  REQUIRE_FALSE(takt::validate_gpusync(platform, tasks));
  const auto printed = analyze_set<as_published::dual_bound>(platform, tasks);
  const auto sound = analyze_set(platform, tasks);
  CHECK(printed.tasks[2].engines.dual.time == 13);
  // Each of its two migrations waits for a copy out of the GPU that it comes from: a run shows 26.
  CHECK(sound.tasks[2].engines.dual.time == 26);
  CHECK(sound.tasks[2].engines.chains.time == 26);
}

TEST_CASE("the least fixed point: responses grow until they reproduce themselves, and stay" *
          takt_tests::traces("GSA-8 GSA-9")) {
  const auto found = analyze_set(board_of(w3_configuration(2)), w3_tasks());
  REQUIRE(found.schedulable());
  options<exact> one_pass;
  one_pass.passes = 1;
  const auto first = analyze_set(board_of(w3_configuration(2)), w3_tasks(), one_pass);
  CHECK(first.status == takt::obstacle::passes);
  for (std::size_t i = 0; i < 6; ++i) { CHECK(first.tasks[i].response.value <= found.tasks[i].response.value); }
}

TEST_CASE("for deadlines one pass is enough, and lateness decides" * takt_tests::traces("GSA-8")) {
  options<exact> hard;
  hard.wanted = guarantee::deadlines;
  auto found = analyze_set(board_of(w3_configuration(2)), w3_tasks(), hard);
  CHECK(found.passes == 1);
  CHECK(found.status == takt::obstacle::deadline);
  table alone;
  alone.add(gpu_task(20, 10, 2000, {30}, {100, 250, 200}));
  auto c = w3_configuration(2);
  c.cpus = c.cpu_cluster_size = 1;
  found = analyze_set(board_of(c), alone, hard);
  CHECK(found.schedulable());
  CHECK(found.tasks[0].response.value == 2000);
}

TEST_CASE("a quantum rounds times upwards and never a verdict from no to yes" * takt_tests::traces("GSA-9")) {
  options<exact> coarse;
  coarse.quantum = 7;
  const auto fine = analyze_set<as_published::free_requests>(with_overheads(w3_configuration(2)), w3_tasks());
  const auto rounded =
      analyze_set<as_published::free_requests>(with_overheads(w3_configuration(2)), w3_tasks(), coarse);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(rounded.tasks[i].inflated.wcet >= fine.tasks[i].inflated.wcet);
    CHECK(numerator(exact(rounded.tasks[i].inflated.wcet / 7)) * 7 == rounded.tasks[i].inflated.wcet);
  }
  CHECK((fine.schedulable() || !rounded.schedulable()));
}

}  // namespace
