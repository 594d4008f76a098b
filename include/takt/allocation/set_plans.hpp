// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/plan_walk.hpp>
#include <takt/allocation/share_choices.hpp>
#include <takt/allocation/share_pool.hpp>
#include <takt/analysis/concepts.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Tries likely plans of a set. The analysis and the effort must outlive it.
template <analysis::PriorityAnalysis A>
class set_plans {
 public:
  using share_list = std::array<sm_share, A::max_tasks>;
  using choices = share_choices<A::max_tasks>;

  constexpr set_plans(A& a, std::uint64_t limit, search_effort& effort)
      : analysis_{&a}, limit_{limit}, effort_{&effort}, needs_{tasks_with_shares(a)} {}

  /// Says how far a plan got.
  struct attempt {
    std::size_t passed;
    bool short_of_sms;  ///< not the analysis but the GPUs ended it
  };

  /// Tries the least passing share of each task in turn, on the GPU that it fills best. Where a task is judged by the
  /// shares of all, the least share of each. Cost: an analysis of each task for each doubling of its share.
  constexpr auto try_least(const choices& set) -> attempt {
    share_pool pool{analysis_->platform()};
    reserve(set);
    for (std::size_t k = 0; k < size(); ++k) {
      sm_share share{};
      bool judged = false;
      if (needs_[k]) {
        release(set, k);
        const auto most = sms_left_for(set, k, pool);
        share = tightest(set, k, most, pool);
        if (share.sms == 0) { return {k, true}; }
        if (A::priority_ordered) {
          share = least_passing_share(set, k, most, pool);
          if (share.sms == 0) { return {k, false}; }
          judged = chosen_[k].sms == share.sms && alike(chosen_[k].gpu, share.gpu);
        }
        pool.take(static_cast<std::size_t>(share.gpu), share.sms);
      }
      assign(k, share);
      if (A::priority_ordered && !judged && !evaluate(k)) { return {k, false}; }
    }
    ++effort_->plans;
    return {A::priority_ordered ? size() : first_failing(), false};
  }

  /// Returns the shares of the plan tried last, by priority.
  [[nodiscard]] constexpr auto shares() const noexcept -> const share_list& { return chosen_; }

 private:
  using sms_by_gpu = std::array<std::int32_t, max_gpus>;

  [[nodiscard]] constexpr auto size() const -> std::size_t { return analysis_->table().size(); }
  [[nodiscard]] constexpr auto alike(std::int32_t a, std::int32_t b) const -> bool {
    const auto& gpus = analysis_->platform().gpus;
    return gpus[static_cast<std::size_t>(a)] == gpus[static_cast<std::size_t>(b)];
  }

  constexpr void assign(std::size_t k, const sm_share& share) {
    chosen_[k] = share;
    analysis_->assign(k, share);
  }
  constexpr auto evaluate(std::size_t k) -> bool { return evaluate_within(limit_, *effort_, *analysis_, k); }
  constexpr auto first_failing() -> std::size_t { return detail::first_failing(limit_, *effort_, *analysis_); }

  /// Holds the least share of each task back for it.
  constexpr void reserve(const choices& set) {
    held_units_ = 0;
    held_ = {};
    for (std::size_t k = 0; k < size(); ++k) {
      if (needs_[k]) { hold(set, k, 1); }
    }
  }
  constexpr void release(const choices& set, std::size_t k) { hold(set, k, -1); }
  constexpr void hold(const choices& set, std::size_t k, std::int32_t times) {
    held_units_ += times * set.least_units(k);
    if (!set.several_gpus(k)) { held_[set.first_gpu(k)] += times * set.rounded_least(k, set.first_gpu(k)); }
  }

  /// Returns the largest share of task k on each GPU beside what is held back.
  [[nodiscard]] constexpr auto sms_left_for(const choices& set, std::size_t k, const share_pool& pool) const
      -> sms_by_gpu {
    sms_by_gpu most{};
    for (std::size_t g = 0; g < pool.size(); ++g) {
      if (!set[k].on(g)) { continue; }
      const std::int32_t unit = pool.gpu(g).granularity;
      std::int32_t units = (pool.free(g) - held_[g]) / unit;
      const std::int32_t spare = pool.units() - held_units_;
      units = spare < units ? spare : units;
      most[g] = set[k].most / unit < units ? set[k].most / unit * unit : units * unit;
    }
    return most;
  }

  /// Returns the least share on the GPU with room that has least left.
  [[nodiscard]] constexpr auto tightest(const choices& set, std::size_t k, const sms_by_gpu& most,
                                        const share_pool& pool) const -> sm_share {
    sm_share out{};
    for (std::size_t g = 0; g < pool.size(); ++g) {
      if (!set[k].on(g) || most[g] < set.rounded_least(k, g)) { continue; }
      if (out.sms == 0 || pool.free(g) < pool.free(static_cast<std::size_t>(out.gpu))) {
        out = {static_cast<std::int32_t>(g), set.rounded_least(k, g)};
      }
    }
    return out;
  }

  /// Returns the least passing share on any GPU with room, none if there is none. Of GPUs alike the fullest is taken.
  constexpr auto least_passing_share(const choices& set, std::size_t k, const sms_by_gpu& most, const share_pool& pool)
      -> sm_share {
    sm_share best{};
    std::uint32_t tried = 0;
    for (std::size_t g = 0; g < pool.size(); ++g) {
      if (!set[k].on(g) || (tried & share_choice::bit(g)) != 0) { continue; }
      std::int32_t widest = 0;
      for (std::size_t other = g; other < pool.size(); ++other) {
        if (!set[k].on(other) || !(pool.gpu(other) == pool.gpu(g))) { continue; }
        tried |= share_choice::bit(other);
        widest = widest < most[other] ? most[other] : widest;
      }
      const std::int32_t sms = least_passing(k, g, set.rounded_least(k, g), widest, pool.gpu(g).granularity);
      if (sms == 0 || (best.sms > 0 && best.sms <= sms)) { continue; }
      best = {};
      for (std::size_t other = g; other < pool.size(); ++other) {
        if (!(pool.gpu(other) == pool.gpu(g)) || most[other] < sms) { continue; }
        const bool tighter = best.sms == 0 || pool.free(other) < pool.free(static_cast<std::size_t>(best.gpu));
        if (tighter) { best = {static_cast<std::int32_t>(other), sms}; }
      }
    }
    return best;
  }

  /// Finds the least passing share by bisection. Exact where more SMs never make the task's bound worse. 0: none.
  constexpr auto least_passing(std::size_t k, std::size_t g, std::int32_t least, std::int32_t most, std::int32_t unit)
      -> std::int32_t {
    const auto passes = [&](std::int32_t sms) {
      assign(k, {static_cast<std::int32_t>(g), sms});
      return evaluate(k);
    };
    if (most < least) { return 0; }
    if (passes(least)) { return least; }
    if (most == least || !passes(most)) { return 0; }
    std::int32_t judged = most;
    while (most - least > unit) {
      judged = least + (most - least) / unit / 2 * unit;
      (passes(judged) ? most : least) = judged;
    }
    return judged == most || passes(most) ? most : 0;
  }

  A* analysis_;
  std::uint64_t limit_;
  search_effort* effort_;
  std::array<bool, A::max_tasks> needs_;
  std::int32_t held_units_ = 0;
  sms_by_gpu held_{};  ///< for tasks that have no other GPU
  share_list chosen_{};
};

}  // namespace takt::inline TAKT_ABI::detail
