// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <takt/systems/locked_gpus/figures/studied_sets.hpp>
#include <takt/systems/locked_gpus/plans/partition.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>

#include "support/environment.hpp"
#include "support/traces.hpp"
#include "vectors/exact_number.hpp"

namespace {

using namespace takt;
using takt_vectors::exact;

template <class Number>
using board = gpusync_board<linear_transfer_costs<Number>>;
template <class Number>
using table = task_rows<gpusync_task<Number, 1>, 24>;

template <class Number>
constexpr auto costs() -> linear_transfer_costs<Number> {
  return {{{{Number(2), 1, 10}, {Number(3), 1, 10}, {Number(1), 1, 25}}}};
}

struct row {
  std::int64_t wcet;
  std::int64_t period;
  std::int64_t kernel;  ///< 0: no GPU
};

template <class Number>
constexpr auto tasks_of(std::initializer_list<row> rows) -> table<Number> {
  table<Number> out;
  for (const row& r : rows) {
    gpusync_task<Number, 1> t{.wcet = Number(r.wcet), .period = Number(r.period), .deadline = Number(r.period)};
    if (r.kernel > 0) {
      t.kernels.unchecked_push_back(Number(r.kernel));
      t.gpu = true;
    }
    static_cast<void>(out.add(t));
  }
  return out;
}

template <class Number>
constexpr auto four_by_two(std::int32_t cpu_cluster, std::int32_t gpu_cluster) -> board<Number> {
  return {
      {.cpus = 4, .cpu_cluster_size = cpu_cluster, .gpus = 2, .gpu_cluster_size = gpu_cluster}, costs<Number>(), {}};
}

[[nodiscard]] auto gpus_of(const auto& t) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < t.size(); ++i) { out.push_back(t.tasks[i].gpu_cluster); }
  return out;
}
[[nodiscard]] auto cpus_of(const auto& t) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < t.size(); ++i) { out.push_back(t.tasks[i].cpu_cluster); }
  return out;
}
using places = std::vector<std::int32_t>;

[[nodiscard]] auto rounds(int otherwise) -> int {
  return takt_tests::from_environment<int>("TAKT_GPUSYNC_SETS", otherwise);
}

}  // namespace

TEST_CASE("phase 1: GPU tasks go to the least loaded GPU cluster, longest sections first, ties by position" *
          takt_tests::traces("GSA-26")) {
  // Loads of the sections: 0.1, 0.4, 0.3, 0.1; so 0.4 | 0.3, then 0.1 and 0.1 to the second, and to the first on a tie.
  auto t = tasks_of<ticks>({{1, 100, 10}, {1, 100, 40}, {1, 100, 30}, {1, 100, 10}});
  CHECK(partition_gpusync(four_by_two<ticks>(2, 1), t).placed());
  CHECK(gpus_of(t) == places{1, 0, 1, 0});
  // CPU time outside of the section does not count: it would take the second task first.
  auto other = tasks_of<ticks>({{1, 100, 20}, {90, 100, 10}, {1, 100, 15}});
  CHECK(partition_gpusync(four_by_two<ticks>(2, 1), other).placed());
  CHECK(gpus_of(other) == places{0, 1, 1});
}

TEST_CASE("phase 2: GPU tasks go to CPU clusters that their GPUs serve, by all of their load" *
          takt_tests::traces("GSA-26")) {
  // One GPU cluster for four CPUs: 0.41, 0.31, 0.21, 0.16 to each its own, then 0.11 to the least loaded.
  auto t = tasks_of<ticks>({{1, 100, 10}, {1, 100, 40}, {1, 100, 20}, {1, 100, 30}, {1, 100, 15}});
  CHECK(partition_gpusync(four_by_two<ticks>(1, 2), t).placed());
  CHECK(cpus_of(t) == places{3, 0, 2, 1, 3});
  // Two GPUs on four CPUs serve two of these each: the others have no GPU tasks.
  auto shape = four_by_two<ticks>(2, 1);
  auto u = tasks_of<ticks>({{1, 100, 10}, {1, 100, 40}, {1, 100, 20}, {1, 100, 30}});
  CHECK(partition_gpusync(shape, u).placed());
  for (std::size_t i = 0; i < u.size(); ++i) {
    CHECK(shape.shape.serves(u.tasks[i].gpu_cluster, u.tasks[i].cpu_cluster));
  }
  shape = {{.cpus = 4, .cpu_cluster_size = 1, .gpus = 1, .tokens = token_protocol::r2dglp}, costs<ticks>(), {}};
  shape.shape.association.cpu_clusters[0] = 0b0100;
  CHECK(partition_gpusync(shape, u).placed());
  CHECK(cpus_of(u) == places{2, 2, 2, 2});
}

TEST_CASE("phase 3: tasks without GPUs fill up, and waits of GPU tasks count as load before" *
          takt_tests::traces("GSA-26")) {
  // Two CPU clusters of two with a GPU each. Loads of the GPU tasks: 0.25 | 0.1 + 0.1 = 0.2, but the two that share a
  // GPU wait for each other: 0.1 more each.
  const auto waiting = [] {
    return tasks_of<ticks>({{5, 100, 20}, {1, 100, 9}, {1, 100, 9}, {10, 100, 0}, {40, 100, 0}});
  };
  auto t = waiting();
  CHECK(partition_gpusync(four_by_two<ticks>(2, 1), t).placed());
  CHECK(gpus_of(t) == places{0, 1, 1, no_cluster, no_cluster});
  CHECK(t.tasks[4].cpu_cluster == t.tasks[0].cpu_cluster);
  CHECK(t.tasks[3].cpu_cluster == t.tasks[1].cpu_cluster);
  // Without the waits the second cluster would be the emptier one: so it is where each has a GPU of its own.
  auto apart = tasks_of<ticks>({{5, 100, 20}, {1, 100, 18}, {40, 100, 0}});
  CHECK(partition_gpusync(four_by_two<ticks>(2, 1), apart).placed());
  CHECK(apart.tasks[2].cpu_cluster == apart.tasks[1].cpu_cluster);
}

TEST_CASE("earlier places do not matter, and a constant set is placed at compile time" * takt_tests::traces("GSA-26")) {
  constexpr auto placed = [](std::int32_t before) {
    auto t = tasks_of<ticks>({{1, 100, 10}, {1, 100, 40}, {30, 100, 0}, {10, 100, 0}});
    for (std::size_t i = 0; i < t.size(); ++i) { t.tasks[i].cpu_cluster = before; }
    t.tasks[0].gpu_cluster = before;
    const bool well = partition_gpusync(four_by_two<ticks>(2, 1), t).placed();
    return well ? t.tasks[2].cpu_cluster * 2 + t.tasks[3].cpu_cluster : -1;
  };
  static_assert(placed(0) == placed(1) && placed(0) == 3 - 1);
}

TEST_CASE("integers place as exact fractions do" * takt_tests::traces("GSA-26")) {
  table<ticks> drawn;
  for (int k = 0; k < rounds(40); ++k) {
    const auto any = static_cast<std::size_t>(k * 11 % 57);
    auto group = generation::studied_group_at(static_cast<std::size_t>(k * 37 % 486));
    group.utilization = 1 + group.utilization % 2;
    REQUIRE(generation::generate(generation::options_of(group, 3000), 9, static_cast<std::uint64_t>(k), drawn) ==
            model_fault::none);
    table<exact> fractions;
    for (const auto& t : drawn.tasks) {
      gpusync_task<exact, 1> f{.wcet = t.wcet, .period = t.period, .deadline = t.deadline};
      f.cpu_in_gpu_section = t.cpu_in_gpu_section;
      for (const ticks q : t.kernels) { f.kernels.unchecked_push_back(q); }
      f.bytes_in = t.bytes_in;
      f.bytes_out = t.bytes_out;
      f.bytes_state = t.bytes_state;
      f.gpu = t.gpu;
      static_cast<void>(fractions.add(f));
    }
    const auto& c = studied_configurations[any].value;
    REQUIRE(partition_gpusync(board<ticks>{c, costs<ticks>(), {}}, drawn).placed());
    REQUIRE(partition_gpusync(board<exact>{c, costs<exact>(), {}}, fractions).placed());
    CAPTURE(k);
    CHECK(gpus_of(drawn) == gpus_of(fractions));
    CHECK(cpus_of(drawn) == cpus_of(fractions));
    CHECK_FALSE(validate_gpusync(board<ticks>{c, costs<ticks>(), {}}, drawn));
  }
}

TEST_CASE("models that are wrong are refused with their fault, and so are GPUs that serve nobody" *
          takt_tests::traces("GSA-26")) {
  auto t = tasks_of<ticks>({{1, 100, 10}});
  auto shape = four_by_two<ticks>(3, 1);
  CHECK(partition_gpusync(shape, t).error.fault == model_fault::cluster_does_not_divide);
  table<ticks> none;
  CHECK(partition_gpusync(four_by_two<ticks>(2, 1), none).error.fault == model_fault::no_task);
  t.tasks[0].period = 0;
  const auto found = partition_gpusync(four_by_two<ticks>(2, 1), t);
  CHECK(found.status == partition_status::invalid);
  CHECK(found.error == model_error{model_fault::period_not_positive, 0});
  auto fast = tasks_of<ticks>({{1, 2, std::int64_t{1} << 59}, {1, std::int64_t{1} << 60, 1}, {1, 2, 0}});
  CHECK(partition_gpusync(four_by_two<ticks>(2, 1), fast).placed());
}

TEST_CASE("effective utilization counts a kernel as often as it would be slower on a CPU, and no copies" *
          takt_tests::traces("GSA-29")) {
  auto t = tasks_of<exact>({{10, 100, 5}, {30, 90, 0}, {1, 7, 2}});
  for (std::size_t i = 0; i < t.size(); ++i) { t.tasks[i].bytes_in = t.tasks[i].gpu ? 1000 : 0; }
  CHECK(effective_utilization(t, 32) == exact{1, 10} + exact{160, 100} + exact{1, 3} + exact{1 + 64, 7});
  CHECK(effective_utilization(t, 1) == exact{15, 100} + exact{1, 3} + exact{3, 7});
  CHECK(effective_utilization(t, 0) == exact{1, 10} + exact{1, 3} + exact{1, 7});
  const auto whole = tasks_of<ticks>({{10, 100, 5}, {30, 90, 0}, {1, 7, 2}});
  const exact rounded = exact{effective_utilization(whole, 32)} / exact{whole_load<ticks>()};
  CHECK(rounded >= effective_utilization(t, 32));
  CHECK(rounded - effective_utilization(t, 32) <= exact{5} / exact{whole_load<ticks>()});
}

TEST_CASE("loads are rounded up, and those that are too large saturate" * takt_tests::traces("GSA-29")) {
  static_assert(load_of<ticks>(0, 5) == 0);
  static_assert(load_of<ticks>(5, 5) == whole_load<ticks>());
  static_assert(load_of<ticks>(1, 2) == whole_load<ticks>() / 2);
  static_assert(load_of<ticks>(1, 3) == whole_load<ticks>() / 3 + 1);
  static_assert(load_of<ticks>((std::int64_t{1} << 60) - 1, std::int64_t{1} << 60) == whole_load<ticks>());
  static_assert(load_of<ticks>(std::int64_t{1} << 60, 1) == most_load<ticks>());
  static_assert(takt::detail::add_load(most_load<ticks>(), most_load<ticks>()) == most_load<ticks>());
  const auto heavy = tasks_of<ticks>({{1, 2, std::int64_t{1} << 59}, {1, 2, std::int64_t{1} << 59}});
  CHECK(effective_utilization(heavy, 1000) == most_load<ticks>());
  CHECK(effective_utilization(heavy, INT64_MAX) == most_load<ticks>());
}
