// SPDX-License-Identifier: Apache-2.0
// Tasks that name no core: all doors place them alike, and the plan says where.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

namespace {

constexpr auto tasks = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(6_ms)),
                                      takt::task("b", takt::period(10_ms), takt::cpu(5_ms)),
                                      takt::task("c", takt::period(10_ms), takt::on_core(1), takt::cpu(2_ms)),
                                      takt::task("d", takt::period(10_ms), takt::cpu(1_ms)));
constexpr auto by_method = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                          takt::pool(takt::virtual_sms(4, 2), takt::federated));
constexpr auto by_pools = takt::platform(takt::pool(takt::processors(2), takt::edf));
constexpr auto in_clusters = takt::platform(takt::pool(takt::processors(4), takt::clustered(takt::edf, 2)));

template <class Plan>
[[nodiscard]] auto cores(const Plan& p) -> std::vector<std::int32_t> {
  return {p.cores.begin(), p.cores.end()};
}
using list = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("tasks without a core go where the least load is, greatest demand first, beside those that name theirs") {
  CHECK(cores(takt::analyze(by_method, tasks, takt::published_methods).plan) == list{0, 1, 1, 0});
  CHECK(cores(takt::analyze(by_method, tasks, takt::dedicate(0, 0, 0, 0), takt::published_methods).plan) ==
        list{0, 1, 1, 0});
  CHECK(cores(takt::analyze(by_pools, tasks, takt::published_methods).plan) == list{0, 1, 1, 0});
  CHECK(cores(takt::analyze(by_pools, tasks, takt::plan<4>{}, takt::published_methods).plan) == list{0, 1, 1, 0});
  static_assert(takt::analyze(by_method, tasks, takt::published_methods).schedulable());
  static_assert(takt::analyze(by_pools, tasks, takt::published_methods).schedulable());
}

TEST_CASE("clusters have the first of their processors in the plan") {
  CHECK(cores(takt::analyze(in_clusters, tasks, takt::plan<4>{}, takt::published_methods).plan) == list{2, 0, 1, 2});
}

TEST_CASE("tasks that share a mutex go to one core, that of the one that names it") {
  struct buffer {};
  struct log {};
  const auto lock = takt::locked(takt::priority_ceiling_order);
  const auto board = takt::platform(takt::pool(takt::processors(3), takt::fixed_priority), takt::pool(buffer{}, lock),
                                    takt::pool(log{}, lock));
  const auto one = [](const auto&... attributes) { return takt::task(attributes...); };
  const auto set = takt::task_set(
      one("a", takt::period(10_ms), takt::cpu(2_ms), takt::locks<buffer>(takt::cpu(1_ms))),
      one("b", takt::period(10_ms), takt::cpu(4_ms)),
      one("c", takt::period(10_ms), takt::locks<buffer>(takt::cpu(1_ms)), takt::locks<log>(takt::cpu(1_ms))),
      one("d", takt::period(10_ms), takt::on_core(1), takt::locks<log>(takt::cpu(1_ms))));
  const auto v = takt::analyze(board, set, takt::plan<4>{}, takt::published_methods);
  CHECK_FALSE(v.error);
  CHECK(cores(v.plan) == list{1, 0, 1, 1});
}

TEST_CASE("a plan that says cores is taken at its word, and one core leaves nothing to choose") {
  auto p = takt::dedicate(0, 0, 0, 0);
  for (const std::int32_t core : {1, 0, 0, 0}) { REQUIRE(p.cores.try_push_back(core)); }
  CHECK(cores(takt::analyze(by_method, tasks, p, takt::published_methods).plan) == list{1, 0, 0, 0});
  constexpr auto one = takt::platform(takt::pool(takt::processors(1), takt::edf));
  constexpr auto light = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(1_ms)));
  CHECK(takt::analyze(one, light, takt::plan<1>{}, takt::published_methods).plan.cores.empty());
}

TEST_CASE("a simulation without cores in its plan puts tasks where the analysis has them") {
  const auto responses = [](const auto& board, const auto& plan) {
    const auto seen = takt::simulate(board, tasks, plan, {.horizon = 100_ms});
    REQUIRE_FALSE(seen.error);
    std::vector<takt::ticks> out;
    for (const auto& t : seen.tasks) { out.push_back(t.worst_response); }
    return out;
  };
  const auto check = [&](const auto& board) {
    CHECK(responses(board, takt::plan<4>{}) ==
          responses(board, takt::analyze(board, tasks, takt::published_methods).plan));
    CHECK(takt::simulate(board, tasks, takt::plan<4>{}, {.horizon = 100_ms}).misses() == 0);
  };
  check(by_method);
  check(by_pools);
  check(in_clusters);
}

TEST_CASE("copies as given beside monotonic processors follow the processors, analysed and simulated") {
  constexpr auto set =
      takt::task_set(takt::task("slow", takt::period(20_ms), takt::deadline(8_ms), takt::priority(0), takt::cpu(1_ms),
                                takt::copy(3_ms), takt::kernel(takt::work(1_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("fast", takt::period(10_ms), takt::priority(1), takt::cpu(1_ms), takt::copy(2_ms),
                                takt::kernel(takt::work(1_ms), takt::interleave(1)), takt::cpu(1_ms)));
  const auto with = [](const auto& copies) {
    return takt::platform(takt::pool(takt::processors(1), takt::rate_monotonic),
                          takt::pool(takt::copy_engines(1), copies),
                          takt::pool(takt::virtual_sms(2, 1), takt::federated));
  };
  const auto given = with(takt::nonpreemptive(takt::fixed_priority));
  const auto same = with(takt::nonpreemptive(takt::rate_monotonic));
  const auto first = takt::analyze(given, set, takt::published_methods);
  const auto second = takt::analyze(same, set, takt::published_methods);
  const auto seen = takt::simulate(given, set, takt::dedicate(1, 1), {.horizon = 200_ms});
  const auto other = takt::simulate(same, set, second.plan, {.horizon = 200_ms});
  REQUIRE(first.tasks[1].bound.exists);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(first.tasks[i].bound.value == second.tasks[i].bound.value);
    CHECK(seen.tasks[i].worst_response == other.tasks[i].worst_response);
    if (first.tasks[i].bound.exists) { CHECK(seen.tasks[i].worst_response <= first.tasks[i].bound.value); }
  }
}

TEST_CASE("a graph beside other work runs on the cluster that it names, and a cluster that is not there is refused") {
  const auto board = takt::platform(takt::pool(takt::processors(4), takt::clustered(takt::edf, 2)));
  const auto on = [&](std::int32_t cluster) {
    const auto work = takt::workload(
        takt::graph("first", takt::period(20_ms), takt::on_cluster(0), takt::node("a", takt::cpu(1_ms))),
        takt::graph("second", takt::period(20_ms), takt::on_cluster(cluster), takt::node("b", takt::cpu(1_ms))));
    return takt::flatten(board, work, takt::plan<2, 2>{});
  };
  const auto apart = on(1);
  REQUIRE_FALSE(apart.error);
  CHECK(apart.table.visits[0].station != apart.table.visits[1].station);
  const auto together = on(0);
  CHECK(together.table.visits[0].station == together.table.visits[1].station);
  CHECK(on(2).error.fault == takt::model_fault::core_out_of_range);
  CHECK(on(1 << 30).error.fault == takt::model_fault::core_out_of_range);
}
