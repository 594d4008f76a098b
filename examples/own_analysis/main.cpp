// SPDX-License-Identifier: Apache-2.0
// An analysis and a search of one's own: a rule without a bound, the youngest job first, is bounded by the longest busy
// period of a core, and all places of tasks are tried.
#include <cstdint>
#include <iostream>
#include <span>

#include <takt/compose.hpp>
#include <takt/simulation.hpp>

namespace {
using namespace takt;
using namespace takt::literals;
struct by_youth {
  static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    out = {-release, t.task};
    return true;
  }
};
struct youngest_first : nonpreemptive_rule<edf_rule> {
  static constexpr std::string_view name = "youngest first";
  static constexpr auto job_order(std::int32_t /*units*/) -> by_youth { return {}; }
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
  for (std::int32_t code = 0; code < 4 && !test(out).schedulable(); ++code) {
    out.cores.clear();
    static_cast<void>(out.cores.push_back(code & 1) && out.cores.push_back(code >> 1));
  }
  return out;
};
}  // namespace
template <>
inline constexpr busy_period takt::analysis::known_method<decltype(board)>{};
constexpr auto proof = takt::analyze(board, tasks, takt::allocate(board, tasks, places));
static_assert(proof.schedulable() && proof.method == "busy period");
auto main() -> int {
  const auto seen = takt::simulate(board, tasks, proof.plan);
  for (const auto& t : seen.tasks) { std::cout << t.name << ": " << t.worst_response << " ns\n"; }
  return seen.misses() == 0 ? 0 : 1;
}
