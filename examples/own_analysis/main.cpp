// SPDX-License-Identifier: Apache-2.0
// An analysis and a search of one's own: a rule without a bound, the youngest job first, is bounded by busy periods of
// a core, and places are tried.
#include <iostream>
#include <span>

#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/takt.hpp>

using namespace takt;
using namespace takt::literals;
struct youngest_first : nonpreemptive_rule<edf_rule> {
  static constexpr std::string_view name = "youngest first";
  static constexpr auto job_order(std::int32_t /*units*/) -> youngest_first { return youngest_first{}; }
  static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    return out = {-release, t.task}, true;
  }
};
constexpr auto board = platform(pool(processors(2), youngest_first{}));
constexpr auto tasks = task_set(task("log", period(40_ms), cpu(24_ms)), task("plan", period(50_ms), cpu(28_ms)));
struct busy_period {
  static constexpr std::string_view name = "busy period";
  static constexpr void responds(const auto& table, const auto& /*stations*/, std::span<ticks> bounds) {
    for (const auto& v : table.visits) {
      const auto& own = table.tasks[v.task];
      if (own.visit_count > 1 || own.jitter > 0) { return; }
      for (ticks last = 0, end = 1; last != end && end <= own.deadline; bounds[v.task] = end) {
        last = end;
        end = 0;
        for (const auto& u : table.visits) {
          end += u.station == v.station ? ceil_divide(last, table.tasks[u.task].period) * u.upper : 0;
        }
      }
    }
  }
};
constexpr auto places = [](const auto& /*board*/, const auto& /*tasks*/, const auto& test) {
  plan<2> out;
  static_cast<void>(out.cores.resize(2));
  while (!test(out).schedulable() && out.cores[0] < 1) { ++out.cores[0]; }
  return out;
};
constexpr methods<busy_period> mine;
constexpr auto proof = takt::analyze(board, tasks, takt::allocate(board, tasks, places, mine), mine);
static_assert(proof.schedulable() && proof.method == "busy period");
auto main() -> int { takt::explain(std::cout, board, tasks, proof, takt::simulate(board, tasks, proof.plan)); }
