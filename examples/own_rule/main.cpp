// SPDX-License-Identifier: Apache-2.0
// A rule of one's own: the shortest job first, preemptively, on one processor. An order, a server and a bound make it
// one, and it combines with every other pool.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

#include <takt/compose.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/simulation.hpp>

namespace {
using namespace std::chrono_literals;

struct by_length {
  [[nodiscard]] static constexpr auto point(const takt::job_timing& t, takt::ticks /*release*/,
                                            takt::priority_point& out) noexcept -> bool {
    out = {t.wcet, t.task};
    return true;
  }
};

struct shortest_first {
  using is_takt_rule = void;
  static constexpr std::string_view name = "shortest first";
  static constexpr bool partitioned = true;

  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_length { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> takt::unit_server<true, Capacity> {
    return takt::unit_server<true, Capacity>{units};
  }
  static constexpr void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) {
    takt::analysis::preemptive_priority_responses(visits);
  }
};

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33ms), takt::cpu(4ms), takt::copy(500us), takt::kernel(takt::work(12ms))),
    takt::task("control", takt::period(5ms), takt::cpu(700us)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), shortest_first{}), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 2), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(verdict.schedulable());
}  // namespace
auto main() -> int {
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10s});
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    std::cout << seen.tasks[i].name << ": at most " << takt::report::format_duration(seen.tasks[i].worst_response)
              << ", proven " << takt::report::format_duration(verdict.tasks[i].bound.value) << '\n';
  }
  return seen.misses() == 0 ? 0 : 1;
}
