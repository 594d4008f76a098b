// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>

#include <takt/allocation/analyze.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/analysis/as_published.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>
#include <takt/systems/methods.hpp>

#include "support/environment.hpp"
#include "support/traces.hpp"
#include "vectors/exact_number.hpp"

namespace {

using namespace takt::analysis::gpusync;
using takt::cpu_scheduler;
using takt::migration_path;
using takt::service_order;
using takt::ticks;
using takt_vectors::exact;

template <class Number>
using table = takt::task_rows<takt::gpusync_task<Number, 2>, 12>;
template <class Number>
using board = takt::gpusync_board<takt::linear_transfer_costs<Number>>;

/// How many random sets a test draws.
[[nodiscard]] auto rounds(int otherwise) -> int {
  return takt_tests::from_environment<int>("TAKT_GPUSYNC_SETS", otherwise);
}

class dice {
 public:
  explicit dice(std::uint32_t seed) : engine_{seed} {}
  [[nodiscard]] auto draw(std::int64_t low, std::int64_t high) -> std::int64_t {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

struct drawn_set {
  board<ticks> platform;
  table<ticks> tasks;
};

/// `whole_chunks`: every transfer is a multiple of the chunk.
[[nodiscard]] auto draw_set(dice& d, bool whole_chunks) -> drawn_set {
  drawn_set out;
  const auto any = static_cast<std::size_t>(d.draw(0, 56));
  out.platform.shape = takt::studied_configurations[any].value;
  auto& c = out.platform.shape;
  c.cpus = 4;
  c.cpu_cluster_size = c.cpu_cluster_size == 12 ? 4 : c.cpu_cluster_size == 6 ? 2 : 1;
  c.gpus = 4;
  c.gpu_cluster_size = c.gpu_cluster_size > 4 ? 4 : c.gpu_cluster_size;
  c.numa_nodes = 1;
  c.dma_chunk = 100;
  if (d.draw(0, 1) == 0) { c.scheduler = cpu_scheduler::earliest_deadline; }
  if (d.draw(0, 3) == 0) { c.copy_engines = 1; }
  for (auto& kind : out.platform.costs.kinds) { kind = {d.draw(0, 20), d.draw(1, 9), d.draw(1, 7)}; }
  auto& o = out.platform.overheads;
  for (ticks* cost : {&o.schedule, &o.context_switch, &o.cache_loss, &o.interrupt_cache_loss, &o.tick, &o.release,
                      &o.event_latency, &o.ipi, &o.system_call_in, &o.lock, &o.unlock, &o.top_half, &o.bottom_half}) {
    *cost = d.draw(0, 3);
  }
  o.tick_quantum = d.draw(0, 1) * 1000;
  const std::int64_t n = d.draw(1, 9);
  for (std::int64_t i = 0; i < n; ++i) {
    const ticks period = d.draw(30, 300) * 100;
    table<ticks>::task_type t{.wcet = d.draw(20, 900), .period = period, .deadline = period};
    t.cpu_cluster = static_cast<std::int32_t>(d.draw(0, c.cpu_clusters() - 1));
    const auto a = static_cast<std::int32_t>(d.draw(0, c.gpu_clusters() - 1));
    if (c.serves(a, t.cpu_cluster)) {
      t.gpu_cluster = a;
      t.cpu_in_gpu_section = d.draw(0, 20);
      for (std::int64_t q = d.draw(0, 2); q > 0; --q) { t.kernels.unchecked_push_back(d.draw(1, 400)); }
      const std::int64_t unit = whole_chunks ? 100 : 50;
      t.bytes_in = d.draw(0, 4) * unit;
      t.bytes_out = d.draw(0, 4) * unit;
      t.bytes_state = d.draw(0, 3) * unit;
    }
    out.tasks.add(t);
  }
  return out;
}

[[nodiscard]] auto exactly(const board<ticks>& b) -> board<exact> {
  board<exact> out;
  out.shape = b.shape;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& kind = b.costs.kinds[k];
    out.costs.kinds[k] = {exact(kind.setup), kind.numerator, kind.denominator};
  }
  const auto& o = b.overheads;
  out.overheads = {.schedule = o.schedule,
                   .context_switch = o.context_switch,
                   .cache_loss = o.cache_loss,
                   .interrupt_cache_loss = o.interrupt_cache_loss,
                   .tick = o.tick,
                   .tick_quantum = o.tick_quantum,
                   .release = o.release,
                   .event_latency = o.event_latency,
                   .ipi = o.ipi,
                   .system_call_in = o.system_call_in,
                   .system_call_out = o.system_call_out,
                   .lock = o.lock,
                   .unlock = o.unlock,
                   .top_half = o.top_half,
                   .bottom_half = o.bottom_half};
  return out;
}
[[nodiscard]] auto exactly(const table<ticks>& tasks) -> table<exact> {
  table<exact> out;
  for (const auto& t : tasks.tasks) {
    table<exact>::task_type e{.wcet = t.wcet,
                              .period = t.period,
                              .deadline = t.deadline,
                              .cpu_in_gpu_section = t.cpu_in_gpu_section,
                              .bytes_in = t.bytes_in,
                              .bytes_out = t.bytes_out,
                              .bytes_state = t.bytes_state,
                              .cpu_cluster = t.cpu_cluster,
                              .gpu_cluster = t.gpu_cluster};
    for (const ticks k : t.kernels) { e.kernels.unchecked_push_back(k); }
    out.add(e);
  }
  return out;
}

TEST_CASE("whole ticks round every bound upwards and accept nothing that exact fractions refuse" *
          takt_tests::traces("GSA-6 GSA-9")) {
  dice d{11};
  int accepted = 0;
  int refused = 0;
  const int sets = rounds(60);
  for (int round = 0; round < sets; ++round) {
    const drawn_set s = draw_set(d, false);
    REQUIRE_FALSE(takt::validate_gpusync(s.platform, s.tasks));
    const auto rounded = analyze_set(s.platform, s.tasks);
    options<exact> few;
    few.passes = 40;  // exact fractions may need very many small steps
    const auto found = analyze_set(exactly(s.platform), exactly(s.tasks), few);
    if (found.status == takt::obstacle::passes) { continue; }
    CHECK((found.schedulable() || !rounded.schedulable()));
    accepted += rounded.schedulable() ? 1 : 0;
    refused += found.schedulable() ? 0 : 1;
    if (!rounded.schedulable() || !found.schedulable()) { continue; }
    for (std::size_t i = 0; i < s.tasks.size(); ++i) {
      CHECK(exact(rounded.tasks[i].engines.total().time) >= found.tasks[i].engines.total().time);
      CHECK(exact(rounded.tasks[i].inflated.wcet) >= found.tasks[i].inflated.wcet);
      CHECK(exact(rounded.tasks[i].response.value) >= found.tasks[i].response.value);
      CHECK(exact(rounded.tasks[i].inflated.wcet) <= found.tasks[i].inflated.wcet * exact(21) / 20 + 400);
    }
  }
  CHECK(accepted > sets / 6);
  CHECK(refused > sets / 12);
}

TEST_CASE("with full chunks the chains are never above the dual bound, but above the printed one" *
          takt_tests::traces("GSA-12 GSA-14")) {
  dice d{5};
  int printed_too_small = 0;
  int compared = 0;
  const int sets = rounds(300);
  for (int round = 0; round < sets; ++round) {
    drawn_set s = draw_set(d, true);
    s.platform.shape.migration = migration_path::peer_to_peer;
    s.platform.shape.copy_engines = 2;
    s.platform.overheads = {};
    if (s.platform.shape.gpu_cluster_size == 1) { continue; }
    options<ticks> once;
    once.passes = 1;
    const auto sound = analyze_set(s.platform, s.tasks, once);
    const auto printed = analyze_set<as_published::dual_bound>(s.platform, s.tasks, once);
    for (std::size_t i = 0; i < s.tasks.size(); ++i) {
      const auto& e = sound.tasks[i].engines;
      if (!e.has_chains) { continue; }
      REQUIRE(e.chains.exact);
      ++compared;
      CHECK(e.chains.time <= e.dual.time);
      CHECK(e.dual.time <= e.simple.time);
      CHECK(e.copies.time == e.chains.time);
      printed_too_small += printed.tasks[i].engines.dual.time < e.chains.time ? 1 : 0;
    }
  }
  CHECK(compared > sets / 2);
  CHECK(printed_too_small > 0);
}

TEST_CASE("few tasks, and under the CK-OMLP few CPUs, leave fewer rivals than tokens do" *
          takt_tests::traces("GSA-17")) {
  takt::gpusync_configuration c{
      .cpus = 8, .cpu_cluster_size = 4, .gpus = 2, .gpu_cluster_size = 1, .tokens_per_gpu = 3};
  CHECK(rivals_of(c, 0, 9).direct == 2);
  CHECK(rivals_of(c, 0, 2).direct == 1);
  CHECK(rivals_of(c, 0, 1).execution == 0);
  c.tokens_per_gpu = takt::unlimited_tokens;
  CHECK(rivals_of(c, 0, 9).direct == 8);
  c = {.cpus = 2, .cpu_cluster_size = 1, .gpus = 4, .gpu_cluster_size = 4, .tokens_per_gpu = 3};
  CHECK(c.protocol() == takt::token_protocol::ck_omlp);
  CHECK(rivals_of(c, 0, 9).transitive == 1);
  CHECK(rivals_of(c, 0, 9).direct == 1);
  c.cpu_cluster_size = 2;
  CHECK(rivals_of(c, 0, 9).transitive == 8);
  c.tokens_per_gpu = 2;
  CHECK(rivals_of(c, 0, 5).transitive == 4);
  CHECK(rivals_of<as_published::rules>(c, 0, 5).transitive == 7);
}

TEST_CASE("token sections ahead: three cases, and two forms of the middle one" * takt_tests::traces("GSA-18")) {
  takt::gpusync_configuration c{
      .cpus = 8, .cpu_cluster_size = 8, .gpus = 3, .gpu_cluster_size = 3, .tokens_per_gpu = 1};
  const auto ahead = [&](std::int64_t users, token_queue_limit limit) {
    return takt::analysis::gpusync::detail::r2dglp_sections(c, users, limit);
  };
  CHECK(ahead(3, token_queue_limit::cpus_per_token) == 0);
  CHECK(ahead(4, token_queue_limit::cpus_per_token) == 2);
  CHECK(ahead(4, token_queue_limit::users_per_token) == 1);
  CHECK(ahead(8, token_queue_limit::users_per_token) == 2);
  CHECK(ahead(9, token_queue_limit::users_per_token) == 5);
  c.tokens_per_gpu = takt::unlimited_tokens;
  CHECK(ahead(9, token_queue_limit::cpus_per_token) == 0);
}

TEST_CASE("the CK-OMLP counts no more sections of a CPU cluster than it has CPUs, and loans for all jobs" *
          takt_tests::traces("GSA-19")) {
  table<ticks> tasks;
  for (std::int32_t cpu : {0, 0, 1, 1}) {
    table<ticks>::task_type t{.wcet = 1, .period = 1000, .deadline = 1000, .cpu_cluster = cpu, .gpu_cluster = 0};
    t.kernels.unchecked_push_back(10 * (static_cast<ticks>(tasks.size()) + 1));
    tasks.add(t);
  }
  tasks.add({.wcet = 5, .period = 1000, .deadline = 1000, .cpu_cluster = 1});
  board<ticks> platform;
  platform.shape = {.cpus = 2, .cpu_cluster_size = 1, .gpus = 1, .gpu_cluster_size = 1};
  REQUIRE_FALSE(takt::validate_gpusync(platform, tasks));
  const auto found = analyze_set(platform, tasks);
  // One token and two CPUs: one section of the other CPU.
  CHECK(found.tasks[0].tokens.direct.time == 40);
  CHECK(found.tasks[3].tokens.direct.time == 20);
  // A loan lasts for the wait and the section of another job of the same CPU.
  CHECK(found.tasks[0].tokens.indirect.time == 20 + 40);
  CHECK(found.tasks[1].tokens.indirect.time == 10 + 40);
  CHECK(found.tasks[4].tokens.direct.time == 0);
  CHECK(found.tasks[4].tokens.indirect.time == 40 + 20);
  CHECK(found.schedulable());
}

[[nodiscard]] auto gpu_task(ticks wcet, ticks period, ticks kernel, std::int32_t cpu = 0) -> table<ticks>::task_type {
  table<ticks>::task_type t{.wcet = wcet, .period = period, .deadline = period, .cpu_cluster = cpu, .gpu_cluster = 0};
  t.kernels.unchecked_push_back(kernel);
  return t;
}

TEST_CASE("queues for all CPUs may hold more requests than the CPUs that share the tokens have" *
          takt_tests::traces("GSA-19")) {
  table<ticks> tasks;
  for (std::int32_t i = 0; i < 6; ++i) {
    auto t = gpu_task(10, 1000, 20 + i);
    t.cpu_cluster = i % 3;
    tasks.add(t);
  }
  board<ticks> platform;
  platform.shape = {.cpus = 12, .gpus = 8, .gpu_cluster_size = 2};
  const auto direct = [&](bool for_all_cpus) {
    platform.shape.tokens.for_all_cpus = for_all_cpus;
    const auto found = analyze_set(platform, tasks);
    CHECK(found.schedulable());
    return found.tasks[0].tokens.direct.time;
  };
  CHECK(platform.shape.sharing_cpus(0) == 3);
  CHECK(direct(false) == 25);      // ceil(3 / 2) - 1 sections
  CHECK(direct(true) == 25 + 24);  // ceil(6 / 2) - 1, one of each other CPU
}

TEST_CASE("rate-monotonic tasks of one CPU have the responses of Joseph and Pandya" * takt_tests::traces("GSA-51")) {
  table<ticks> tasks;
  for (const auto& [wcet, period] : {std::pair{3, 13}, {1, 4}, {2, 6}}) {
    tasks.add({.wcet = wcet, .period = period, .deadline = period});
  }
  board<ticks> platform;
  platform.shape.scheduler = cpu_scheduler::shortest_period;
  auto found = analyze_set(platform, tasks);
  CHECK(found.schedulable());
  CHECK(found.tasks[0].response.value == 10);
  CHECK(found.tasks[1].response.value == 1);
  CHECK(found.tasks[2].response.value == 3);
  tasks.tasks[0].wcet = 6;
  CHECK_FALSE(analyze_set(platform, tasks).schedulable());
  tasks.tasks[0].wcet = 3;
  platform.shape.scheduler = cpu_scheduler::given_priority;
  for (std::size_t i = 0; i < 3; ++i) { tasks.tasks[i].priority = static_cast<std::int32_t>(i); }
  found = analyze_set(platform, tasks);
  CHECK(found.tasks[0].response.value == 3);
  CHECK(found.tasks[1].response.value == 4);
}

TEST_CASE("rate-monotonic tasks of two CPUs, with jobs carried in" * takt_tests::traces("GSA-51")) {
  table<ticks> tasks;
  for (const auto& [wcet, period] : {std::pair{2, 10}, {3, 10}, {4, 10}}) {
    tasks.add({.wcet = wcet, .period = period, .deadline = period});
  }
  board<ticks> platform;
  platform.shape = {.cpus = 2, .cpu_cluster_size = 2, .scheduler = cpu_scheduler::shortest_period};
  const auto found = analyze_set(platform, tasks);
  CHECK(found.schedulable());
  CHECK(found.tasks[1].response.value == 3);
  CHECK(found.tasks[2].response.value == 6);  // starts when the shorter of the others ends, at 2
}

TEST_CASE("by deadline every overlapping section of the same engine may be ahead" * takt_tests::traces("GSA-52")) {
  table<ticks> tasks;
  for (const ticks kernel : {7, 5, 3}) { tasks.add(gpu_task(10, 1000, kernel)); }
  board<ticks> platform;
  platform.shape = {
      .tokens_per_gpu = 2, .engines = service_order::priority, .scheduler = cpu_scheduler::earliest_deadline};
  const auto found = analyze_set(platform, tasks);
  // Two jobs of each other task overlap with one that is pending for at most its period.
  CHECK(found.tasks[0].engines.execution.time == 2 * 5 + 2 * 3);
  platform.shape.engines = service_order::first_come;
  CHECK(analyze_set(platform, tasks).tasks[0].engines.execution.time == 5);
}

TEST_CASE("under fixed priorities a less important section precedes when it runs already, or by a loan" *
          takt_tests::traces("GSA-52")) {
  table<ticks> tasks;
  for (const ticks kernel : {2, 30, 50, 70}) { tasks.add(gpu_task(10, 1000 * kernel, kernel)); }
  board<ticks> platform;
  platform.shape = {
      .tokens_per_gpu = 2, .engines = service_order::priority, .scheduler = cpu_scheduler::shortest_period};
  auto found = analyze_set(platform, tasks);
  // Nobody is more important than the first task: the longest section that runs already.
  CHECK(found.tasks[0].engines.execution.time == 70);
  // The second: of the first, as many as its jobs overlap, each of which may also wait for one section of one of the
  // others, and so lend it its priority (queues of one request, one donor each).
  const ticks jobs = (30'000 + 2'000 + 1'999) / 2'000;
  CHECK(found.tasks[1].engines.execution.time == 2 * jobs + 2 * 70 + 2 * 50);
  // The same without inheritance, as there is a token for everybody: one section that runs already.
  platform.shape.tokens_per_gpu = takt::unlimited_tokens;
  found = analyze_set(platform, tasks);
  CHECK(found.tasks[1].engines.execution.time == 2 * jobs + 70);
  CHECK(found.tasks[3].engines.execution.time >= 2 * 35 + 30 + 50);
  // With one engine for all copies each of the two of the first waits for the longest of the others.
  for (auto& t : tasks.tasks) { t.bytes_in = t.bytes_out = 1 << 20; }
  platform.shape.tokens_per_gpu = 2;
  platform.shape.copy_engines = 1;
  platform.costs.kinds = {{{5, 1, 1 << 20}, {7, 1, 1 << 20}, {}}};
  found = analyze_set(platform, tasks);
  CHECK(found.tasks[0].engines.copies.time == 2 * 8);
  CHECK(found.tasks[1].engines.copies.time == jobs * (6 + 8) + 2 * 2 * (6 + 8));
  platform.shape.tokens_per_gpu = takt::unlimited_tokens;
  CHECK(analyze_set(platform, tasks).tasks[1].engines.copies.time == jobs * (6 + 8) + 2 * 8);
}

TEST_CASE("a job that lends its priority lends it to as many requests as a token queue holds" *
          takt_tests::traces("GSA-52")) {
  table<ticks> tasks;
  for (const ticks kernel : {2, 30, 50, 70, 90}) { tasks.add(gpu_task(10, 100'000, kernel)); }
  tasks.tasks[0].cpu_cluster = 1;
  board<ticks> platform;
  platform.shape = {.cpus = 4,
                    .gpus = 2,
                    .tokens_per_gpu = 2,
                    .engines = service_order::priority,
                    .scheduler = cpu_scheduler::shortest_period};
  REQUIRE(platform.shape.protocol() == takt::token_protocol::ck_omlp);
  REQUIRE(platform.shape.sharing_cpus(0) == 2);
  // Two jobs of the first task lend: to one token section each, or to two where queues are as long as for four CPUs.
  auto found = analyze_set(platform, tasks);
  CHECK(found.tasks[1].engines.execution.time == 2 * 2 + 2 * 90 + 70);
  platform.shape.tokens.for_all_cpus = true;
  found = analyze_set(platform, tasks);
  CHECK(found.tasks[1].engines.execution.time == 2 * 2 + 2 * 90 + 2 * 70 + 50);
}

TEST_CASE("where state moves between GPUs all copies of the cluster may be ahead" * takt_tests::traces("GSA-52")) {
  table<ticks> tasks;
  for (int i = 0; i < 3; ++i) {
    auto t = gpu_task(10, 1000, 5);
    t.bytes_in = 10;
    t.bytes_state = 20;
    tasks.add(t);
  }
  board<ticks> platform;
  platform.shape = {.gpus = 2,
                    .gpu_cluster_size = 2,
                    .tokens_per_gpu = 1,
                    .migration = migration_path::peer_to_peer,
                    .engines = service_order::priority,
                    .scheduler = cpu_scheduler::shortest_period};
  platform.costs.kinds = {takt::linear_cost<ticks>{0, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  REQUIRE_FALSE(takt::validate_gpusync(platform, tasks));
  CHECK(analyze_set(platform, tasks).tasks[0].engines.copies.time == 2 * 2 * (10 + 20));
}

TEST_CASE("interrupts of a GPU are charged on the CPUs that it serves, and on no others" *
          takt_tests::traces("GSD-83")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add({.wcet = 10, .period = 1000, .deadline = 1000, .cpu_cluster = 0});
  tasks.add({.wcet = 10, .period = 1000, .deadline = 1000, .cpu_cluster = 1});
  board<ticks> platform;
  platform.shape = {.cpus = 2, .cpu_cluster_size = 1, .gpus = 2, .gpu_cluster_size = 1};
  platform.overheads.top_half = 3;
  const auto found = analyze_set(platform, tasks);
  CHECK(found.tasks[1].top_halves == 2);
  CHECK(found.tasks[1].inflated.wcet == 10 + 2 * 3);
  CHECK(found.tasks[2].top_halves == 0);
  CHECK(found.tasks[2].inflated.wcet == 10);
}

TEST_CASE("threads that handle interrupts and callbacks lengthen the sections of an engine and cost its user" *
          takt_tests::traces("GSA-21")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add(gpu_task(10, 1000, 8));
  board<ticks> platform;
  platform.shape.tokens_per_gpu = 2;
  const auto without = analyze_set(platform, tasks);
  platform.overheads.bottom_half = 4;
  const auto with = analyze_set(platform, tasks);
  // One other operation can be under way, and its interrupt be handled first.
  CHECK(with.tasks[0].engines.execution.time == without.tasks[0].engines.execution.time + 4);
  CHECK(with.tasks[0].inflated.wcet == without.tasks[0].inflated.wcet + 4 + 2 * 4);
}

TEST_CASE("no more interrupts are ahead than jobs that share the GPU" * takt_tests::traces("GSA-21")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add(gpu_task(10, 1000, 8));
  board<ticks> platform;
  platform.shape.tokens_per_gpu = takt::unlimited_tokens;
  const auto without = analyze_set(platform, tasks);
  platform.overheads.bottom_half = 4;
  const auto with = analyze_set(platform, tasks);
  CHECK(platform.shape.engines_per_gpu() == 3);
  CHECK(with.tasks[0].engines.execution.time == without.tasks[0].engines.execution.time + 4);
  CHECK(with.tasks[0].inflated.wcet == without.tasks[0].inflated.wcet + 4 + 2 * 4);
  const auto printed = analyze_set<as_published::free_requests>(platform, tasks);
  CHECK(printed.tasks[0].engines.execution.time == without.tasks[0].engines.execution.time + 2 * 4);
  table<ticks> one;
  one.add(gpu_task(10, 1000, 7));
  CHECK(analyze_set(platform, one).tasks[0].inflated.wcet == 10 + 7 + 4);
}

TEST_CASE("tasks that have a GPU each wait for nobody, keep their state where it is, and share no interrupts" *
          takt_tests::traces("GSA-17")) {
  table<ticks> tasks;
  for (ticks kernel = 7; kernel < 9; ++kernel) {
    auto t = gpu_task(10, 1000, kernel);
    t.bytes_in = t.bytes_state = 100;
    tasks.add(t);
  }
  board<ticks> platform;
  platform.shape.gpus = platform.shape.gpu_cluster_size = 2;
  platform.shape.tokens_per_gpu = 2;
  platform.shape.uncontended = takt::uncontended_gpus::dedicated;
  for (auto& cost : platform.costs.kinds) { cost = {2, 1, 10}; }
  platform.overheads.bottom_half = 4;
  for (const auto path : {migration_path::system_memory, migration_path::peer_to_peer}) {
    platform.shape.migration = path;
    const auto alone = analyze_set(platform, tasks);
    CHECK(alone.tasks[0].engines.total().time == 0);
    CHECK(alone.tasks[0].tokens.total().time == 0);
    CHECK(alone.tasks[0].own.migration_time() == 0);
    CHECK(alone.tasks[0].inflated.wcet == 10 + 7 + 12 + 2 * 4);
    platform.shape.uncontended = takt::uncontended_gpus::shared;
    const auto shared = analyze_set(platform, tasks);
    CHECK(shared.tasks[0].engines.execution.time == 8 + 4);
    CHECK(shared.tasks[0].own.migration_time() > 0);
    platform.shape.uncontended = takt::uncontended_gpus::dedicated;
  }
  tasks.add(gpu_task(10, 1000, 9));
  const auto contended = analyze_set(platform, tasks);
  CHECK(contended.tasks[0].engines.execution.time == 9 + 4);
  CHECK(contended.tasks[0].own.migration_time() > 0);
}

TEST_CASE("token sections do not grow with other tasks' interrupts, a limit that is documented" *
          takt_tests::traces("GSA-23")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add(gpu_task(10, 1000, 8));
  board<ticks> platform;
  const auto without = analyze_set(platform, tasks);
  platform.overheads.top_half = 100;
  const auto with = analyze_set(platform, tasks);
  CHECK(with.tasks[0].section.time == without.tasks[0].section.time);
  CHECK(with.tasks[0].tokens.direct.time == without.tasks[0].tokens.direct.time);
  CHECK(with.tasks[0].inflated.wcet >= without.tasks[0].inflated.wcet + 100);
}

TEST_CASE("a token section contains what its holder's own requests cost" * takt_tests::traces("GSA-21")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add(gpu_task(10, 1000, 8));
  board<ticks> platform;
  const auto without = analyze_set(platform, tasks);
  platform.overheads.lock = 30;
  platform.overheads.cache_loss = 5;
  const auto with = analyze_set(platform, tasks);
  CHECK(with.tasks[0].section.time == without.tasks[0].section.time + 30 + 2 * 5);
  CHECK(with.tasks[0].tokens.direct.time == without.tasks[0].tokens.direct.time + 30 + 2 * 5);
  const auto recorded = analyze_set<as_published::free_requests>(platform, tasks);
  CHECK(recorded.tasks[0].section.time == without.tasks[0].section.time);
}

TEST_CASE("a late deadline lets more jobs overlap, also where all deadlines are met" * takt_tests::traces("GSA-8")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add(gpu_task(10, 100, 8));
  tasks.tasks[0].deadline = 3000;
  const std::array<ticks, 2> responses{3000, 100};
  const takt::analysis::gpusync::detail::job_overlaps<table<ticks>> overlaps(tasks, responses, guarantee::deadlines);
  CHECK(overlaps.count(0, 1) == 31);
  CHECK(overlaps.count(1, 0) == 4);
}

TEST_CASE("overflow, overload by interrupts, and sets that never settle have a status" * takt_tests::traces("GSA-9")) {
  table<ticks> tasks;
  tasks.add(gpu_task(10, 1000, 7));
  tasks.add(gpu_task(10, 1000, 8));
  board<ticks> platform;
  platform.shape.tokens_per_gpu = 2;
  platform.overheads.tick = 5;
  platform.overheads.tick_quantum = 5;
  CHECK(analyze_set(platform, tasks).status == takt::obstacle::interrupts);
  platform.overheads = {};
  platform.overheads.event_latency = 1000;
  CHECK(analyze_set(platform, tasks).status == takt::obstacle::interrupts);
  platform.overheads = {};
  platform.overheads.bottom_half = INT64_MAX / 2;
  CHECK(analyze_set(platform, tasks).status == takt::obstacle::overflow);
  platform.overheads = {};
  tasks.tasks[0].period = 1;
  tasks.tasks[0].deadline = tasks.tasks[1].deadline = takt::longest_transfer_time;
  REQUIRE_FALSE(takt::validate_gpusync(platform, tasks));
  CHECK(analyze_set(platform, tasks).status == takt::obstacle::overflow);
}

TEST_CASE("the door: a verdict whose terms add up to each response" * takt_tests::traces("GSA-6")) {
  dice d{3};
  int proven = 0;
  for (int round = 0; round < 60; ++round) {
    const drawn_set s = draw_set(d, false);
    const auto v = takt::analysis::analyze_by<takt::published>(s.platform, s.tasks);
    CHECK((v.status == takt::verdict_status::schedulable || v.status == takt::verdict_status::not_proven));
    CHECK((v.method == "locked-gpus-ck-omlp" || v.method == "locked-gpus-r2dglp"));
    if (!v.schedulable()) { continue; }
    ++proven;
    const auto evidence = takt::analysis::gpusync::evidence_of(s.platform, s.tasks, v.plan);
    for (std::size_t i = 0; i < s.tasks.size(); ++i) {
      const auto terms = evidence.terms(i);
      CHECK(v.tasks[i].bound.exists);
      CHECK(terms.sum() == v.tasks[i].bound.value);
      CHECK(terms.overheads >= 0);
      CHECK(v.tasks[i].meets == (v.tasks[i].bound.value <= v.tasks[i].deadline));
    }
  }
  CHECK(proven > 5);
}

TEST_CASE("the door: of a set that is not proven no response is a bound, whatever was evaluated" *
          takt_tests::traces("GSA-6")) {
  dice d{3};
  options<ticks> hard;
  hard.wanted = guarantee::deadlines;
  int evaluated = 0;
  for (int round = 0; round < 60; ++round) {
    const drawn_set s = draw_set(d, false);
    const auto v = takt::analysis::analyze_by<takt::published>(s.platform, s.tasks, takt::plan<1, 1>{}, hard);
    for (std::size_t i = 0; !v.schedulable() && i < v.tasks.size(); ++i) {
      evaluated += v.tasks[i].evaluated ? 1 : 0;
      CHECK_FALSE((v.tasks[i].bound.exists || v.tasks[i].meets));
    }
  }
  CHECK(evaluated > 0);
}

TEST_CASE("the door: a wrong model is a status with the fault, and late tasks are not proven" *
          takt_tests::traces("GSA-6")) {
  drawn_set s;
  s.tasks.add(gpu_task(10, 1000, 7));
  s.tasks.add(gpu_task(10, 20, 8));
  options<ticks> hard;
  hard.wanted = guarantee::deadlines;
  auto v = takt::analysis::analyze_by<takt::published>(s.platform, s.tasks, takt::plan<1, 1>{}, hard);
  CHECK(v.status == takt::verdict_status::not_proven);
  s.tasks.tasks[1].gpu_cluster = 3;
  v = takt::analysis::analyze_by<takt::published>(s.platform, s.tasks);
  CHECK(v.status == takt::verdict_status::invalid_model);
  CHECK(v.error == takt::model_error{takt::model_fault::gpu_cluster_out_of_range, 1});
  s.platform.shape.gpus = 0;
  CHECK(takt::analysis::analyze_by<takt::published>(s.platform, s.tasks).error.fault ==
        takt::model_fault::processors_out_of_range);
}

}  // namespace
