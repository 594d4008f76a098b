// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>

#include <doctest/doctest.h>

#include <takt/generation/block_workloads.hpp>

namespace {

namespace gen = takt::generation;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks = takt::runtime_task_set<16, 256>;

[[nodiscard]] auto drawn(const gen::block_workload_options& o, std::uint64_t seed, std::uint64_t index)
    -> std::unique_ptr<tasks> {
  auto out = std::make_unique<tasks>();
  REQUIRE(gen::generate(o, seed, index, 1, *out) == takt::model_fault::none);
  return out;
}

/// What a visit takes with the board to itself.
[[nodiscard]] auto alone(const takt::runtime_visit& v, const takt::hardware& board) -> ticks {
  if (v.where != resource_kind::gpu) { return v.time.upper; }
  const takt::gpu_hardware& gpu = board.gpus[0];
  const std::int64_t at_once = std::int64_t{gpu.sms} * (gpu.threads_per_sm / v.threads);
  return (v.blocks + at_once - 1) / at_once * v.block_length;
}

}  // namespace

TEST_CASE("the jobs of a set take the utilization that was asked for, alone on the board") {
  for (const std::int64_t permille : {200, 1000, 2500}) {
    const gen::block_workload_options o{.tasks = 5, .kernels = 2, .utilization_permille = permille};
    const auto board = gen::board_of(o);
    for (std::uint64_t index = 0; index < 50; ++index) {
      const auto set = drawn(o, 7, index);
      double sum = 0;
      for (std::size_t i = 0; i < set->size(); ++i) {
        ticks time = 0;
        for (std::size_t p = 0; p < set->tasks[i].visit_count; ++p) { time += alone(set->visit(i, p), board); }
        sum += static_cast<double>(time) / static_cast<double>(set->tasks[i].period);
      }
      CHECK(sum <= static_cast<double>(permille) / 1000 + 1e-9);
      CHECK(sum == doctest::Approx(static_cast<double>(permille) / 1000).epsilon(1e-3));
    }
  }
}

TEST_CASE("a set is the same for a seed and an index, and another for others") {
  const gen::block_workload_options o;
  const auto first = drawn(o, 1, 4);
  CHECK(first->visits == drawn(o, 1, 4)->visits);
  CHECK(first->visits != drawn(o, 2, 4)->visits);
  CHECK(first->visits != drawn(o, 1, 5)->visits);
}

TEST_CASE("kernels stand between copies, the copies between CPU time, and periods are within their range") {
  const gen::block_workload_options o{.kernels = 3};
  const auto set = drawn(o, 3, 0);
  for (std::size_t i = 0; i < set->size(); ++i) {
    const auto& t = set->tasks[i];
    REQUIRE(t.visit_count == 13);
    CHECK(t.period >= o.period.least);
    CHECK(t.period <= o.period.most);
    CHECK(t.deadline == t.period);
    for (std::size_t p = 0; p < t.visit_count; ++p) {
      constexpr resource_kind places[] = {resource_kind::processor, resource_kind::copy_engine, resource_kind::gpu,
                                          resource_kind::copy_engine};
      CHECK(set->visit(i, p).where == places[p % 4]);
      CHECK(set->visit(i, p).predecessors == (p == 0 ? 0 : takt::visit_mask{1} << (p - 1)));
    }
    CHECK(set->visit(i, 2).known.has(visit_fact::grid));
    CHECK(set->visit(i, 2).preemption_cost == set->visit(i, 2).block_length);
  }
}

TEST_CASE("without copies a board has no copy engine, and options out of range are refused") {
  CHECK(gen::board_of({.copy_percent = 0}).copy_engines == 0);
  CHECK(drawn({.copy_percent = 0}, 1, 1)->tasks[0].visit_count == 3);
  tasks out;
  for (const auto& o :
       {gen::block_workload_options{.tasks = 0}, gen::block_workload_options{.kernels = 9},
        gen::block_workload_options{.kernel_percent = {95, 95}},
        gen::block_workload_options{.kernel_percent = {50, 40}}, gen::block_workload_options{.utilization_permille = 0},
        gen::block_workload_options{.sms = 0}, gen::block_workload_options{.processors = 0}}) {
    CHECK(gen::generate(o, 1, 1, 1, out) == takt::model_fault::options_out_of_range);
  }
  CHECK(gen::generate({.tasks = 17}, 1, 1, 1, out) == takt::model_fault::set_does_not_fit);
}
