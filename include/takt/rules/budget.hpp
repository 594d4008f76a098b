// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Says what happens to a job that wants to go on with an empty budget. It goes on, and no signal is sent, as far as
/// nothing else is chosen.
struct overrun_policy {
  bool signals = false;         ///< it is told once, as soon as it holds no engine lock
  bool releases_early = false;  ///< it takes the budget and the deadline of its task's next job, which is skipped
  bool lenders_pay = false;     ///< the lender of a priority pays for the work that is done at it, see `charge_lenders`

  static const overrun_policy none;
  static const overrun_policy signal;
  static const overrun_policy early_release;
  static const overrun_policy bandwidth_inheritance;

  /// Returns whether an empty budget has any effect.
  [[nodiscard]] constexpr auto limits() const noexcept -> bool { return signals || releases_early; }
  /// Returns whether it is sound: lenders pay with budgets that they take early.
  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return releases_early || !lenders_pay; }
  [[nodiscard]] friend constexpr auto operator==(const overrun_policy&, const overrun_policy&) noexcept
      -> bool = default;
};

inline constexpr overrun_policy overrun_policy::none{};
inline constexpr overrun_policy overrun_policy::signal{.signals = true};
inline constexpr overrun_policy overrun_policy::early_release{.releases_early = true};
inline constexpr overrun_policy overrun_policy::bandwidth_inheritance{.releases_early = true, .lenders_pay = true};

/// Says what the host does about an empty budget.
enum class budget_action : std::uint8_t {
  deliver_signal,    ///< to the job; unwinding it releases its token
  abort_request,     ///< withdraw its token request, which may lower the holder's effective priority
  lower_priority,    ///< its base priority has changed to that of the job after it
  reevaluate_locks,  ///< its effective priority, and that of all jobs to which it passes it
  reissue_request,   ///< the aborted request, at its new place
};

/// Lists actions in the order in which they are carried out.
using budget_actions = inline_vector<budget_action, 5>;

/// The budget of one job: a single one for its time on CPUs and on GPU engines.
struct job_budget {
  ticks refill = 0;  ///< what each job of the task may use
  ticks period = 0;
  ticks left = 0;
  ticks deadline = 0;
  priority_point priority{};      ///< base priority
  bool deadline_driven = true;    ///< whether its point moves with the deadline (EDF and the other GEL policies)
  bool waits_for_token = false;   ///< has an unsatisfied token request
  bool lends = true;              ///< the runner may have its priority: it waits for the runner, or is the runner
  std::int64_t skipped_jobs = 0;  ///< later jobs of the task whose budget it has taken

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return refill > 0 && period > 0 && left >= 0; }

  [[nodiscard]] friend constexpr auto operator==(const job_budget&, const job_budget&) noexcept -> bool = default;
};

namespace detail {

/// Lets the job take the budgets of its task's next `jobs` jobs. False, and no change, on overflow. In the long run the
/// task still gets `refill` per `period`. Source: Elliott 2015, section 3.2.4.
[[nodiscard]] constexpr auto release_early(job_budget& b, std::int64_t jobs = 1) noexcept -> bool {
  job_budget later = b;
  ticks shift = 0;
  ticks more = 0;
  const bool fits = checked_multiply(b.period, jobs, shift) && checked_multiply(b.refill, jobs, more) &&
                    checked_add(b.deadline, shift, later.deadline) && checked_add(b.left, more, later.left) &&
                    checked_add(b.skipped_jobs, jobs, later.skipped_jobs) &&
                    (!b.deadline_driven || checked_add(b.priority.point, shift, later.priority.point));
  if (!fits) { return false; }
  b = later;
  return true;
}

/// Returns the actions of an early release. A waiter leaves its queue before its priority changes, and comes back after
/// the priorities of those it has locked out have been put right. Source: Elliott 2015, sections 3.2.4 and 3.3.3.
[[nodiscard]] constexpr auto early_release_actions(const job_budget& b) noexcept -> budget_actions {
  budget_actions todo;  // Bound: four of these, and a signal behind them.
  if (b.waits_for_token) { todo.unchecked_push_back(budget_action::abort_request); }
  if (b.deadline_driven) { todo.unchecked_push_back(budget_action::lower_priority); }
  if (b.deadline_driven) { todo.unchecked_push_back(budget_action::reevaluate_locks); }
  if (b.waits_for_token) { todo.unchecked_push_back(budget_action::reissue_request); }
  return todo;
}

}  // namespace detail

/// The budget of one job under a policy. A budget that is used up to the last tick is not overrun: that takes more
/// work. Where lenders pay a job charges itself here only while it runs at its own priority; see
/// `charge_lenders`.
class budget_account {
 public:
  constexpr budget_account(overrun_policy policy, const job_budget& b) noexcept : policy_{policy}, budget_{b} {}

  [[nodiscard]] constexpr auto budget() const noexcept -> const job_budget& { return budget_; }
  /// Returns the work done beyond the budget that nothing has paid for.
  [[nodiscard]] constexpr auto overrun() const noexcept -> ticks { return overrun_; }
  constexpr void waits_for_token(bool waits) noexcept { budget_.waits_for_token = waits; }

  /// The job was on a CPU or an engine for so long. `todo` is what the host carries out for it. False, and no change:
  /// `used` is negative, the policy is not valid, the budget is not valid, or a deadline overflows.
  [[nodiscard]] constexpr auto charge(ticks used, budget_actions& todo) noexcept -> bool {
    if (used < 0 || !policy_.valid() || !budget_.valid()) { return false; }
    const ticks covered = used < budget_.left ? used : budget_.left;
    budget_account next = *this;
    next.budget_.left -= covered;
    todo = {};
    if (!next.settle(used - covered, todo)) { return false; }
    *this = next;
    return true;
  }

  constexpr void engine_locked() noexcept { ++engine_locks_; }
  /// Returns the actions that have been put off until now. Pre: an engine lock is held.
  [[nodiscard]] constexpr auto engine_unlocked() noexcept -> budget_actions {
    TAKT_EXPECTS(engine_locks_ > 0);
    --engine_locks_;
    budget_actions todo;
    signal_if_possible(todo);
    return todo;
  }

  [[nodiscard]] friend constexpr auto operator==(const budget_account&, const budget_account&) noexcept
      -> bool = default;

 private:
  constexpr auto settle(ticks beyond, budget_actions& todo) noexcept -> bool {
    if (beyond == 0) { return true; }
    if (policy_.releases_early) {
      todo = detail::early_release_actions(budget_);
      if (!detail::release_early(budget_, ceil_divide(beyond, budget_.refill))) { return false; }
      budget_.left -= beyond;
    } else if (!checked_add(overrun_, beyond, overrun_)) {
      return false;
    }
    signal_due_ = signal_due_ || (policy_.signals && !signalled_);
    signal_if_possible(todo);
    return true;
  }

  constexpr void signal_if_possible(budget_actions& todo) noexcept {
    if (!signal_due_ || engine_locks_ > 0) { return; }
    signal_due_ = false;
    signalled_ = true;
    todo.unchecked_push_back(budget_action::deliver_signal);
  }

  overrun_policy policy_;
  job_budget budget_;
  ticks overrun_ = 0;
  std::int32_t engine_locks_ = 0;
  bool signal_due_ = false;
  bool signalled_ = false;
};

namespace detail {

/// Returns the most important of the jobs that lend, which is the one whose priority the runner has; jobs.size() when
/// none does.
[[nodiscard]] constexpr auto lender_of(std::span<const job_budget> jobs) noexcept -> std::size_t {
  std::size_t best = jobs.size();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].lends && (best == jobs.size() || jobs[i].priority < jobs[best].priority)) { best = i; }
  }
  return best;
}

}  // namespace detail

/// Bandwidth inheritance: the runner has worked for `used` and `jobs` are all whose priority it may have, itself among
/// them. Charges the most important; when its budget is empty and work remains, releases it early and goes on with the
/// job that is the most important then. Calls `charged(i, amount)` for each charge and, for each early release,
/// `carry_out(i, action)` in the order of the actions. A waiting request is aborted before jobs[i] has its new budget
/// and priority. There the host may change who lends, as a request that is issued again may end up behind another job.
///
/// False when `used` is negative or a budget is not valid; nothing has happened then. False also when a deadline
/// overflows or no job lends any more; what was charged so far stays charged. Cost: jobs steps per charge and per early
/// release. Source: Lamastra et al. 2001; Elliott 2015, sections 2.1.6.1 and 3.2.4.
template <class Charged, class CarryOut>
[[nodiscard]] constexpr auto charge_lenders(std::span<job_budget> jobs, ticks used, Charged&& charged,
                                            CarryOut&& carry_out) -> bool {
  if (used < 0) { return false; }
  for (const job_budget& b : jobs) {
    if (!b.valid()) { return false; }
  }
  while (used > 0) {
    const std::size_t i = detail::lender_of(jobs);
    if (i == jobs.size()) { return false; }
    job_budget& b = jobs[i];
    if (b.left > 0) {
      const ticks amount = used < b.left ? used : b.left;
      b.left -= amount;
      used -= amount;
      charged(i, amount);
      if (b.left > 0 || used == 0) { continue; }
    }
    job_budget trial = b;
    if (!detail::release_early(trial)) { return false; }
    const budget_actions todo = detail::early_release_actions(b);
    std::size_t a = 0;
    if (b.waits_for_token) { carry_out(i, todo[a++]); }
    static_cast<void>(detail::release_early(b));
    for (; a < todo.size(); ++a) { carry_out(i, todo[a]); }
  }
  return true;
}

}  // namespace takt::inline TAKT_ABI
