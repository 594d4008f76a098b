// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/rules/shares/share_policy.hpp>
#include <takt/rules/shares/share_scheduler.hpp>

namespace takt::inline TAKT_ABI {

/// The scheduler of WAMP2S, as it also runs on a device, as a policy of a pool. It estimates the progress of jobs; the
/// server knows the real one.
template <std::size_t MaxTasks, CoRunPredictor Predictor, JobProgress Progress = fixed_progress>
class scheduled_shares {
 public:
  using scheduler_type = share_scheduler<MaxTasks, Predictor, Progress>;

  constexpr scheduled_shares()
      : scheduled_shares(detail::no_applications<MaxTasks>, Predictor{detail::no_applications<MaxTasks>}) {}
  constexpr scheduled_shares(const application_set<MaxTasks>& table, const Predictor& predictor,
                             const share_rules& rules = wamp2s_robust, const share_triggers& triggers = every_change)
      : scheduler_{table, predictor, rules, triggers} {}

  [[nodiscard]] constexpr auto scheduler() const noexcept -> const scheduler_type& { return scheduler_; }

  [[nodiscard]] constexpr auto error() const noexcept -> model_error { return scheduler_.error(); }
  constexpr void release(std::size_t task, ticks release, ticks deadline) {
    static_cast<void>(scheduler_.release(task, release, deadline));
  }
  constexpr void complete(std::size_t task) { static_cast<void>(scheduler_.complete(task)); }
  constexpr void abort(std::size_t task) { static_cast<void>(scheduler_.abort(task)); }
  constexpr void in_force(const share_allocation<MaxTasks>& shares, ticks now) { scheduler_.in_force(shares, now); }
  constexpr auto decide(ticks now) -> share_step {
    const auto& d = scheduler_.decide(now);
    return {.operated = d.kind == decision_kind::operated,
            .skipped = d.kind == decision_kind::kept,
            .refilled = d.kind == decision_kind::refilled,
            .schedulable = d.schedulable,
            .predictions = d.predictions,
            .predictor_calls = d.predictor_calls,
            .share_changes = d.changed};
  }
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share { return scheduler_.held(task); }
  [[nodiscard]] constexpr auto reference_time(std::size_t task) const noexcept -> ticks {
    return scheduler_.reference_time(task);
  }

 private:
  scheduler_type scheduler_;
};

}  // namespace takt::inline TAKT_ABI
