// SPDX-License-Identifier: Apache-2.0
// A rule of one's own: the shortest job first, preemptively, on one processor. An order, a server and a bound make it
// one, and it combines with every other pool.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

struct by_length {
  static constexpr auto point(const takt::job_timing& t, takt::ticks, takt::priority_point& out) noexcept -> bool {
    out = {t.wcet, t.task};
    return true;
  }
};
struct shortest_first {
  using is_takt_rule = void;
  static constexpr std::string_view name = "shortest first";
  static constexpr bool partitioned = true;
  static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_length { return {}; }
  template <std::size_t Capacity>
  static constexpr auto make_server(std::int32_t units) {
    return takt::unit_server<true, Capacity>{units};
  }
  static constexpr void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) {
    takt::analysis::preemptive_priority_responses(visits);
  }
};

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::cpu(4_ms), takt::copy(500_us), takt::kernel(takt::work(6_ms))),
    takt::task("control", takt::period(5_ms), takt::cpu(700_us)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), shortest_first{}), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(verdict.schedulable());

auto main() -> int {
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10_s});
  takt::explain(std::cout, board, tasks, verdict, seen);
  return seen.misses() == 0 ? 0 : 1;
}
