// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/allocation/plan_room.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_source.hpp>

namespace takt::inline TAKT_ABI {

/// Says whether something holds for every plan, of how many this was asked, and whether it held for all.
struct every_plan_answer {
  bool is_known = false;  ///< the plans could be counted, and all were asked until one said no
  bool holds = false;
  std::size_t plans = 0;
};

namespace detail {

/// Hands out the parts of GPUs in every way in which each task with kernels gets one.
template <std::size_t N, class Plan, class F>
class part_walk {
 public:
  constexpr part_walk(const plan_room<N>& room, const Plan& p, const F& f) : room_{&room}, plan_{p}, f_{&f} {
    for (std::size_t g = 0; g < room.gpus.size(); ++g) { left_[g] = room.gpus[g].units; }
    plan_.shares.clear();
    plan_.percents.clear();
    for (std::size_t i = 0; i < room.asks.size(); ++i) {
      // Bound: one per task, at most N.
      plan_.shares.unchecked_push_back({});
      if (room.by_percent) { plan_.percents.unchecked_push_back(0); }
    }
  }
  /// Returns false as soon as f does.
  constexpr auto run() -> bool { return visit(0); }

 private:
  constexpr auto visit(std::size_t i) -> bool {
    if (i == room_->asks.size()) { return (*f_)(plan_); }
    if (!room_->asks[i]) { return visit(i + 1); }
    for (std::size_t g = 0; g < room_->gpus.size(); ++g) {
      const auto& gpu = room_->gpus[g];
      for (std::int32_t units = 1; units <= left_[g]; ++units) {
        plan_.shares[i] = {static_cast<std::int32_t>(g), gpu.by_percent ? 0 : units * gpu.step};
        if (gpu.by_percent) { plan_.percents[i] = units; }
        left_[g] -= units;
        const bool goes_on = visit(i + 1);
        left_[g] += units;
        if (!goes_on) { return false; }
      }
    }
    plan_.shares[i] = {};
    return true;
  }

  const plan_room<N>* room_;
  Plan plan_;
  const F* f_;
  std::int32_t left_[max_gpus]{};
};

}  // namespace detail

/// Calls `f` with every plan that a board allows, if these differ only in the parts of GPUs and are at most `most`.
/// That is so where cores and priorities are given, and no GPU without parts is to be chosen. `p`: what the plans have
/// in common. Cost: a call of f for each plan.
template <class P, class T, std::size_t N, std::size_t V, class F>
[[nodiscard]] constexpr auto holds_for_every_plan(const P& board, const T& tasks, const plan<N, V>& p, std::size_t most,
                                                  const F& f) -> every_plan_answer {
  const auto room = detail::plan_room_of(board, tasks);
  every_plan_answer out;
  bool asks = false;
  for (const bool a : room.asks) { asks = asks || a; }
  const bool is_open = room.reads_priorities || (room.chooses_cores() && room.processors > room.together) ||
                       (asks && !room.hands_out && room.gpus.size() > 1);
  if (is_open) { return out; }
  if (!asks || !room.hands_out) {
    out.plans = 1;
    out.is_known = most > 0;
    out.holds = out.is_known && f(p);
    return out;
  }
  const auto count = [&](const plan<N, V>& /*one*/) { return ++out.plans <= most; };
  out.is_known = detail::part_walk{room, p, count}.run();
  if (!out.is_known || out.plans == 0) { return {.plans = out.plans}; }
  out.holds = detail::part_walk{room, p, f}.run();
  return out;
}

}  // namespace takt::inline TAKT_ABI
