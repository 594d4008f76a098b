// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <takt/report/fault_text.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>
#include "support/traces.hpp"

namespace {

using takt::gpusync_configuration;
using takt::model_fault;
using takt::ticks;
using takt::token_protocol;

[[nodiscard]] auto studied(std::string_view name) -> gpusync_configuration {
  REQUIRE(takt::find_studied(name) < takt::studied_configurations.size());
  return takt::studied_configurations[takt::find_studied(name)].value;
}

TEST_CASE("the study has 57 different configurations without fault, all of 12 CPUs and 8 GPUs" *
          takt_tests::traces("GSA-1")) {
  std::set<std::string> names;
  for (const auto& c : takt::studied_configurations) {
    names.insert(std::string{c.name()});
    CHECK(takt::fault_of(c.value) == model_fault::none);
    CHECK(c.value.cpus == 12);
    CHECK(c.value.gpus == 8);
    const bool whole = c.value.gpu_cluster_size == 8;
    CHECK_FALSE((whole && c.value.migration == takt::migration_path::peer_to_peer));
    CHECK((c.value.limits_tokens() || c.value.gpu_cluster_size == 1));
  }
  CHECK(names.size() == 57);
  CHECK(takt::find_studied("(C,C3,2)") == 57);

  // Every value is what its name says.
  struct letters {
    std::string_view name;
    std::int32_t size;
    takt::migration_path path = takt::migration_path::none;
  };
  constexpr std::array<letters, 3> cpus{{{"P", 1}, {"C", 6}, {"G", 12}}};
  constexpr std::array<letters, 6> gpus{{{"P", 1, takt::migration_path::none},
                                         {"C2", 2, takt::migration_path::system_memory},
                                         {"C2P2P", 2, takt::migration_path::peer_to_peer},
                                         {"C4", 4, takt::migration_path::system_memory},
                                         {"C4P2P", 4, takt::migration_path::peer_to_peer},
                                         {"G", 8, takt::migration_path::system_memory}}};
  constexpr std::array<letters, 4> tokens{{{"inf", takt::unlimited_tokens}, {"1", 1}, {"2", 2}, {"3", 3}}};
  std::size_t known = 0;
  for (const auto& c : cpus) {
    for (const auto& g : gpus) {
      for (const auto& t : tokens) {
        const std::string name =
            "(" + std::string{c.name} + "," + std::string{g.name} + "," + std::string{t.name} + ")";
        CAPTURE(name);
        const std::size_t at = takt::find_studied(name);
        const bool studied = t.size != takt::unlimited_tokens || g.size == 1;
        REQUIRE((at < 57) == studied);
        if (!studied) { continue; }
        ++known;
        const gpusync_configuration& value = takt::studied_configurations[at].value;
        CHECK(value == gpusync_configuration{.cpus = 12,
                                             .cpu_cluster_size = c.size,
                                             .gpus = 8,
                                             .gpu_cluster_size = g.size,
                                             .tokens_per_gpu = t.size,
                                             .numa_nodes = 2,
                                             .migration = g.path,
                                             .uncontended = takt::uncontended_gpus::dedicated});
        // Association and protocol follow: donation only where a GPU cluster serves several CPU clusters.
        CHECK(value.donates_at_release() == (12 / c.size > 8 / g.size && !(c.size == 1 && g.size == 1)));
        std::int32_t without = 0;
        for (std::int32_t b = 0; b < value.cpu_clusters(); ++b) { without += value.has_gpus(b) ? 0 : 1; }
        CHECK(without == (c.size == 1 && g.size == 1 ? 4 : 0));
      }
    }
  }
  CHECK(known == 57);
}

TEST_CASE("with CPUs and GPUs partitioned four CPUs have no GPU, two on each node" * takt_tests::traces("GSA-1")) {
  const auto c = studied("(P,P,2)");
  std::set<std::int32_t> without;
  for (std::int32_t b = 0; b < c.cpu_clusters(); ++b) {
    if (!c.has_gpus(b)) { without.insert(b); }
  }
  CHECK(without == std::set<std::int32_t>{4, 5, 10, 11});
  for (std::int32_t a = 0; a < 8; ++a) {
    CHECK(c.served_clusters(a) == 1);
    for (std::int32_t b = 0; b < 12; ++b) {
      if (c.serves(a, b)) { CHECK(a / 4 == b / 6); }
    }
  }
}

TEST_CASE("without nodes clusters are associated in order" * takt_tests::traces("GSA-1")) {
  auto c = studied("(P,P,2)");
  c.numa_nodes = 1;
  for (std::int32_t b = 0; b < 12; ++b) { CHECK(c.has_gpus(b) == (b < 8)); }
  const auto partitioned_gpus = studied("(C,P,1)");
  for (std::int32_t a = 0; a < 8; ++a) { CHECK(partitioned_gpus.serves(a, a / 4)); }
}

TEST_CASE("the CK-OMLP is derived exactly where a GPU cluster serves several CPU clusters" *
          takt_tests::traces("GSA-1")) {
  for (const auto& c : takt::studied_configurations) {
    const std::string name{c.name()};
    const bool expected = name.starts_with("(P,C") || name.starts_with("(P,G") || name.starts_with("(C,G");
    CAPTURE(name);
    CHECK((c.value.protocol() == token_protocol::ck_omlp) == expected);
  }
  auto c = studied("(C,C2,2)");
  CHECK(c.protocol() == token_protocol::r2dglp);
  c.tokens = token_protocol::ck_omlp;
  CHECK(c.protocol() == token_protocol::ck_omlp);
  CHECK(takt::fault_of(c) == model_fault::none);
}

TEST_CASE("queues of tokens have places for the CPUs that share them, or under donation for all where that is said") {
  auto c = studied("(P,C2,1)");
  CHECK(c.counted_cpus(0) == 3);
  c.tokens.for_all_cpus = true;
  CHECK(c.counted_cpus(0) == 12);
  CHECK(takt::fault_of(c) == model_fault::none);
  c = studied("(C,C2,2)");
  c.tokens.for_all_cpus = true;
  CHECK(c.counted_cpus(0) == 6);
  CHECK(c.protocol() == token_protocol::r2dglp);
  c.tokens.given = true;
  CHECK(takt::fault_of(c) == model_fault::choice_out_of_range);
}

TEST_CASE("CPUs that share a GPU cluster" * takt_tests::traces("GSA-1")) {
  CHECK(studied("(P,C2,1)").sharing_cpus(0) == 3);
  CHECK(studied("(P,C4,1)").sharing_cpus(0) == 6);
  CHECK(studied("(P,G,1)").sharing_cpus(0) == 12);
  CHECK(studied("(C,G,1)").sharing_cpus(0) == 12);
  CHECK(studied("(G,C2,3)").sharing_cpus(3) == 12);
  CHECK(studied("(G,C2,3)").replicas() == 6);
}

TEST_CASE("the study's scope is the default: fair lateness, engines in order of arrival, chunks of 1 MB" *
          takt_tests::traces("GSA-4")) {
  const gpusync_configuration c;
  CHECK(c.scheduler == takt::cpu_scheduler::fair_lateness);
  CHECK(c.engines == takt::service_order::first_come);
  CHECK(c.copy_engines == 2);
  CHECK(c.dma_chunk == 1'048'576);
}

TEST_CASE("a configuration names its fault" * takt_tests::traces("GSD-62")) {
  const gpusync_configuration good{.cpus = 4, .cpu_cluster_size = 2, .gpus = 4, .gpu_cluster_size = 2};
  CHECK(takt::fault_of(good) == model_fault::none);
  const auto with = [&](auto change) {
    gpusync_configuration c = good;
    change(c);
    return takt::fault_of(c);
  };
  CHECK(with([](auto& c) { c.cpus = 0; }) == model_fault::processors_out_of_range);
  CHECK(with([](auto& c) { c.gpus = 33; }) == model_fault::processors_out_of_range);
  CHECK(with([](auto& c) { c.cpu_cluster_size = 3; }) == model_fault::cluster_does_not_divide);
  CHECK(with([](auto& c) { c.gpu_cluster_size = 0; }) == model_fault::cluster_does_not_divide);
  CHECK(with([](auto& c) { c.tokens_per_gpu = -1; }) == model_fault::tokens_out_of_range);
  CHECK(with([](auto& c) { c.copy_engines = 3; }) == model_fault::copy_engines_out_of_range);
  CHECK(with([](auto& c) { c.dma_chunk = 0; }) == model_fault::chunk_not_positive);
  CHECK(with([](auto& c) { c.association.cpu_clusters[0] = 4; }) == model_fault::association_out_of_range);
  CHECK(with([](auto& c) { c.association.cpu_clusters[7] = 1; }) == model_fault::association_out_of_range);
  CHECK(with([](auto& c) { c.association.cpu_clusters[0] = 3; }) == model_fault::none);
  CHECK(with([](auto& c) {
          c.association.cpu_clusters[0] = 3;
          c.tokens = token_protocol::r2dglp;
        }) == model_fault::r2dglp_across_clusters);
  CHECK(with([](auto& c) {
          c.association.cpu_clusters[0] = 3;
          c.tokens_per_gpu = takt::unlimited_tokens;
        }) == model_fault::unlimited_across_clusters);
  for (int f = 0; f <= static_cast<int>(model_fault::time_overflow); ++f) {
    CHECK(takt::describe(static_cast<model_fault>(f)).allowed.empty() == (f == 0));
  }
}

using table = takt::task_rows<takt::gpusync_task<ticks, 2>, 4>;
using board = takt::gpusync_board<>;

[[nodiscard]] auto good_board() -> board {
  board out;
  out.shape = {.cpus = 2, .cpu_cluster_size = 1, .gpus = 2, .gpu_cluster_size = 1};
  out.costs.kinds = {takt::linear_cost<ticks>{10, 1, 1}, {10, 1, 1}, {10, 1, 1}};
  return out;
}
[[nodiscard]] auto good_task() -> table::task_type {
  table::task_type t{.wcet = 20,
                     .period = 100,
                     .deadline = 100,
                     .cpu_in_gpu_section = 10,
                     .bytes_in = 8,
                     .bytes_out = 8,
                     .bytes_state = 8,
                     .cpu_cluster = 1,
                     .gpu_cluster = 1};
  t.kernels.unchecked_push_back(5);
  return t;
}

TEST_CASE("a task names its fault and its place in the set" * takt_tests::traces("GSD-62")) {
  const auto with = [&](auto change, board platform = good_board()) {
    table tasks;
    tasks.add(good_task());
    auto wrong = good_task();
    change(wrong);
    tasks.add(wrong);
    const auto error = takt::validate_gpusync(platform, tasks);
    CHECK((!error || error.task == 1));
    return error.fault;
  };
  constexpr ticks huge = takt::longest_transfer_time + 1;
  CHECK(with([](auto&) {}) == model_fault::none);
  CHECK(with([](auto& t) { t.period = 0; }) == model_fault::period_not_positive);
  CHECK(with([](auto& t) { t.deadline = 0; }) == model_fault::deadline_not_positive);
  CHECK(with([](auto& t) { t.wcet = -1; }) == model_fault::negative_time);
  CHECK(with([](auto& t) { t.kernels[0] = -1; }) == model_fault::negative_time);
  CHECK(with([](auto& t) { t.cpu_in_gpu_section = 21; }) == model_fault::section_exceeds_wcet);
  CHECK(with([](auto& t) { t.bytes_state = -1; }) == model_fault::negative_bytes);
  CHECK(with([](auto& t) { t.cpu_cluster = 2; }) == model_fault::cpu_cluster_out_of_range);
  CHECK(with([](auto& t) { t.gpu_cluster = 2; }) == model_fault::gpu_cluster_out_of_range);
  CHECK(with([](auto& t) { t.gpu_cluster = 0; }) == model_fault::clusters_not_associated);
  CHECK(with([](auto& t) { t.gpu_cluster = takt::no_cluster; }) == model_fault::gpu_demand_without_gpu);
  CHECK(with([](auto& t) {
          t.gpu_cluster = takt::no_cluster;
          t.gpu = true;
        }) == model_fault::gpu_task_not_placed);
  CHECK(with([](auto& t) { t.period = huge; }) == model_fault::time_overflow);
  CHECK(with([](auto& t) { t.bytes_in = INT64_MAX; }) == model_fault::time_overflow);
  CHECK(with([](auto& t) {
          t.wcet = t.cpu_in_gpu_section = 0;
          t.kernels.clear();
          t.bytes_in = t.bytes_out = INT64_MAX / 2 + 1;
        }) == model_fault::time_overflow);
  CHECK(with([](auto& t) { t = {.period = 1, .deadline = 1}; }) == model_fault::no_time);

  board fixed = good_board();
  fixed.shape.scheduler = takt::cpu_scheduler::shortest_period;
  CHECK(with([](auto& t) { t.deadline = 101; }, fixed) == model_fault::deadline_exceeds_period);
  CHECK(with([](auto& t) { t.deadline = 101; }) == model_fault::none);
  fixed.shape.scheduler = takt::cpu_scheduler::given_priority;
  table tasks;
  tasks.add(good_task());
  CHECK(takt::validate_gpusync(fixed, tasks).fault == model_fault::priority_missing);
  tasks.tasks[0].priority = 3;
  CHECK_FALSE(takt::validate_gpusync(fixed, tasks));
  tasks.add(tasks.tasks[0]);
  CHECK(takt::validate_gpusync(fixed, tasks) == takt::model_error{model_fault::duplicate_priority, 1});

  board wrong = good_board();
  wrong.overheads.ipi = -1;
  CHECK(takt::validate_gpusync(wrong, tasks).fault == model_fault::negative_overhead);
  CHECK(takt::validate_gpusync(good_board(), table{}).fault == model_fault::no_task);
}

TEST_CASE("a GPU in the CPUs' memory has no copy engine, and tasks that copy nothing" * takt_tests::traces("GSA-51")) {
  board shared = good_board();
  shared.shape.copy_engines = 0;
  table tasks;
  tasks.add(good_task());
  CHECK(takt::validate_gpusync(shared, tasks).fault == model_fault::copy_without_engine);
  tasks.tasks[0].bytes_in = tasks.tasks[0].bytes_out = 0;
  CHECK_FALSE(takt::validate_gpusync(shared, tasks));
}

}  // namespace
