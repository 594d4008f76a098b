// EXPECT: takt: the method that is asked, which is the template argument, cannot judge this board
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::edf));
struct my_method {
  static constexpr std::string_view name = "mine";
#ifdef TAKT_FIXED
  static constexpr void responds(const auto& /*table*/, const auto& /*stations*/, std::span<takt::ticks> /*bounds*/) {}
#endif
};
constexpr auto verdict = takt::analyze(
    other, takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(4_ms))), takt::methods<my_method>{});
