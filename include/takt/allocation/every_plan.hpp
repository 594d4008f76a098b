// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/allocation/plan_space.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_source.hpp>

namespace takt::inline TAKT_ABI {

/// Says whether something holds for every plan, of how many this was asked, and whether it held for all.
struct every_plan_result {
  bool is_known = false;  ///< the plans could be counted, and all were asked until one said no
  bool holds = false;
  std::size_t plans = 0;
};

namespace detail {

/// Hands out the parts of GPUs in every way in which each task with kernels gets one.
template <std::size_t N, class Plan, class F>
class part_walk {
 public:
  constexpr part_walk(const plan_space<N>& space, const Plan& p, const F& f) : space_{&space}, plan_{p}, f_{&f} {
    for (std::size_t g = 0; g < space.gpus.size(); ++g) { left_[g] = space.gpus[g].units; }
    plan_.shares.clear();
    plan_.percents.clear();
    for (std::size_t i = 0; i < space.asks.size(); ++i) {
      // Bound: one per task, at most N.
      plan_.shares.unchecked_push_back({});
      if (space.by_percent) { plan_.percents.unchecked_push_back(0); }
    }
  }
  /// Returns false as soon as f does.
  constexpr auto run() -> bool { return visit(0); }

 private:
  constexpr auto visit(std::size_t i) -> bool {
    if (i == space_->asks.size()) { return (*f_)(plan_); }
    if (!space_->asks[i]) { return visit(i + 1); }
    for (std::size_t g = 0; g < space_->gpus.size(); ++g) {
      const auto& gpu = space_->gpus[g];
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

  const plan_space<N>* space_;
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
                                                  const F& f) -> every_plan_result {
  const auto space = detail::plan_space_of(board, tasks);
  every_plan_result out;
  bool asks = false;
  for (const bool a : space.asks) { asks = asks || a; }
  const bool is_open = space.reads_priorities || (space.chooses_cores() && space.processors > space.cluster_size) ||
                       (asks && !space.hands_out && space.gpus.size() > 1);
  if (is_open) { return out; }
  if (!asks || !space.hands_out) {
    out.plans = 1;
    out.is_known = most > 0;
    out.holds = out.is_known && f(p);
    return out;
  }
  const auto count = [&](const plan<N, V>& /*one*/) { return ++out.plans <= most; };
  out.is_known = detail::part_walk{space, p, count}.run();
  if (!out.is_known || out.plans == 0) { return {.plans = out.plans}; }
  out.holds = detail::part_walk{space, p, f}.run();
  return out;
}

}  // namespace takt::inline TAKT_ABI
