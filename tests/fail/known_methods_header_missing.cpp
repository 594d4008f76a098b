// EXPECT: takt: this question asks a method that knows boards as a whole; include <takt/analysis/judge_known.hpp>
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/analysis/judge_known.hpp>
#endif
#include <takt/takt.hpp>

#include "board.hpp"

struct my_method {
  static constexpr std::string_view name = "mine";
  template <class T>
  static constexpr bool judges = true;
  template <class P, class T, class Plan>
  [[nodiscard]] static constexpr auto judge(const P& /*board*/, const T& /*tasks*/, const Plan& /*plan*/) {
    return takt::verdict<takt::ticks, 1>{};
  }
};
constexpr auto small = takt::platform(takt::pool(takt::processors(1), takt::edf));
constexpr auto verdict =
    takt::analyze(small, takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(4_ms))),
                  takt::plan<1, 1>{}, takt::methods<my_method>{});
