// SPDX-License-Identifier: Apache-2.0
// A resource of one's own beside the GPU: an NPU whose visits are known by their layers. The rule derives their times.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

struct npu {};
/// A fact: so many layers, each of which takes at most so long.
struct layers {
  static constexpr std::string_view name = "layers";
  std::int64_t count = 0;
  takt::duration each{};
};
/// One network after the other, the earliest deadline first; each is loaded before it runs.
struct loads_networks : takt::nonpreemptive_rule<takt::edf_rule> {
  takt::duration load{};

  constexpr explicit loads_networks(takt::duration time) : load{time} {}
  [[nodiscard]] constexpr auto view(const layers& l) const -> takt::interval<takt::ticks> {
    return {0, load.count() + l.count * l.each.count()};
  }
  static constexpr void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) {
    takt::analysis::nonpreemptive_edf_responses(visits);
  }
};

constexpr auto tasks = takt::task_set(
    takt::task("detect", takt::period(33_ms), takt::cpu(1_ms), takt::copy(500_us), takt::kernel(takt::work(6_ms)),
               takt::visit<npu>(layers{.count = 12, .each = 250_us}), takt::cpu(1_ms)),
    takt::task("gaze", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(layers{.count = 8, .each = 300_us})));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 1), takt::federated), takt::pool(npu{}, loads_networks{800_us}));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(verdict.schedulable());

auto main() -> int {
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10_s});
  takt::explain(std::cout, board, tasks, verdict, seen);
  return seen.misses() == 0 ? 0 : 1;
}
