// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/budget.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::runtime {

/// Tells how long the calling thread has been on a CPU, and the time.
template <class C>
concept BudgetClock = requires(C c) {
  { c.cpu_time() } -> std::same_as<ticks>;
  { c.wall_time() } -> std::same_as<ticks>;
};

struct thread_clocks {
  [[nodiscard]] static auto cpu_time() noexcept -> ticks { return thread_time(); }
  [[nodiscard]] static auto wall_time() noexcept -> ticks { return now(); }
};

/// A job has used more than its budget, and holds no engine.
class budget_exhausted : public std::runtime_error {
 public:
  budget_exhausted(duration budget, duration overrun)
      : runtime_error{"takt: a job has used its budget of " + std::to_string(budget.count()) + " ns and " +
                      std::to_string(overrun.count()) + " ns more"},
        overrun_{overrun} {}
  /// When it was noticed.
  [[nodiscard]] auto overrun() const noexcept -> duration { return overrun_; }

 private:
  duration overrun_;
};

class budget_alarm;

/// What a job may use on CPUs and GPU engines together, and what it has used: its thread's CPU time, and while it holds
/// an engine the time that passes. Waiting for tokens and engines costs nothing, unless it is done busily. A budget
/// that is used up to its end is not overrun.
///
/// The overrun is told once, by an exception, and only from calls that are made without an engine: those of
/// `budgeted_token`, the release of a `budgeted_engine`, `check`, and `budget_alarm::compute`, which the overrun ends.
/// Source: Elliott 2015, section 3.2.4.
template <BudgetClock Clock = thread_clocks>
class budget_meter {
 public:
  /// Of a job of the calling thread, which alone uses it. Error: `std::invalid_argument` for less than 1 ns.
  explicit budget_meter(duration budget, const Clock& clock = {})
      : clock_{clock}, account_{takt::overrun_policy::signal, budget_of(budget)}, since_{clock_.cpu_time()} {}
  budget_meter(const budget_meter&) = delete;
  auto operator=(const budget_meter&) -> budget_meter& = delete;
  ~budget_meter() = default;

  /// Charges what was used until now. Error: `budget_exhausted`; `std::logic_error` within a computation that the
  /// budget may end.
  void check() {
    if (computes_) {
      throw std::logic_error{
          "takt: a computation that its budget may end asks for its account, a token or an engine; "
          "these come before it"};
    }
    charge(time());
    if (!is_due_ || engines_ > 0) { return; }
    is_due_ = false;
    throw budget_exhausted{duration{account_.budget().refill}, duration{account_.overrun()}};
  }
  /// As of the last call of this job.
  [[nodiscard]] auto account() const noexcept -> const budget_account& { return account_; }

  /// The job has got an engine, or both of a peer-to-peer copy.
  void enter_engine() noexcept {
    charge(time());
    ++engines_;
    account_.engine_locked();
    since_ = time();
  }
  /// Pre: the job has entered one. An overrun is told by the next `check`.
  void leave_engine() noexcept {
    charge(time());
    --engines_;
    note(account_.engine_unlocked());
    since_ = time();
  }

 private:
  friend class budget_alarm;

  [[nodiscard]] auto was_told() const noexcept -> bool { return account_.overrun() > 0 && !is_due_ && engines_ == 0; }
  [[nodiscard]] auto holds_engine() const noexcept -> bool { return engines_ > 0; }
  /// On the clock that drains the budget. Pre: `check` has been called without anything after it.
  [[nodiscard]] auto overruns_at() const noexcept -> ticks { return later(since_, later(account_.budget().left, 1)); }

  [[nodiscard]] static auto budget_of(duration budget) -> job_budget {
    if (budget.count() < 1) {
      throw std::invalid_argument{"takt: the budget of a job is " + std::to_string(budget.count()) +
                                  " ns; at least 1 ns"};
    }
    return {.refill = budget.count(), .period = 1, .left = budget.count()};
  }
  [[nodiscard]] auto time() noexcept -> ticks { return engines_ > 0 ? clock_.wall_time() : clock_.cpu_time(); }
  void charge(ticks until) noexcept {
    budget_actions todo;
    // Refused only beyond an overrun that has been noted already.
    (void)account_.charge(std::max<ticks>(0, (duration{until} - duration{since_}).count()), todo);
    note(todo);
    since_ = until;
  }
  void note(const budget_actions& todo) noexcept { is_due_ = is_due_ || !todo.empty(); }

  Clock clock_;
  budget_account account_;
  ticks since_;
  std::int32_t engines_ = 0;
  bool is_due_ = false;
  bool computes_ = false;  ///< within `budget_alarm::compute`
};

}  // namespace takt::runtime
