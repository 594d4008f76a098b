// SPDX-License-Identifier: Apache-2.0
// A CAN bus as a resource of one's own: frames are visits, the lowest identifier goes first, and a frame on the wire is
// never interrupted. The rule makes time of bytes, stuff bits included.
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

struct can_bus {};
struct frame {  // of so many bytes of data, with an identifier of 11 bits
  static constexpr std::string_view name = "frame";
  std::int64_t bytes = 0;
};
struct arbitration : takt::nonpreemptive_rule<takt::fixed_priority_rule<takt::by_given_priority>> {
  std::int64_t bits_per_second = 500'000;
  [[nodiscard]] constexpr auto view(const frame& f) const -> takt::interval<takt::ticks> {
    const auto time = [&](std::int64_t bits) { return bits * 1'000'000'000 / bits_per_second; };
    const std::int64_t plain = 34 + 8 * f.bytes;  // may be stuffed after every fourth bit; 13 more never are
    return {time(plain + 13), time(plain + 13 + (plain - 1) / 4)};
  }
  static constexpr void responds(std::span<takt::visit_demand> frames, std::int32_t /*buses*/) {
    takt::analysis::nonpreemptive_priority_responses(frames);
  }
};

constexpr auto tasks = takt::task_set(takt::task("brake", takt::period(5_ms), takt::priority(0), takt::on_core(0),
                                                 takt::cpu(300_us), takt::visit<can_bus>(frame{4})),
                                      takt::task("speed", takt::period(10_ms), takt::priority(1), takt::on_core(1),
                                                 takt::cpu(500_us), takt::visit<can_bus>(frame{8})),
                                      takt::task("climate", takt::period(100_ms), takt::priority(2), takt::on_core(1),
                                                 takt::cpu(3_ms), takt::visit<can_bus>(frame{8})));
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),  // one for each ECU
                                      takt::pool(can_bus{}, arbitration{}));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

auto main() -> int {
  takt::explain(std::cout, board, tasks, verdict);
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10_s});
  std::cout << '\n';
  takt::explain(std::cout, board, tasks, verdict, seen);
}
