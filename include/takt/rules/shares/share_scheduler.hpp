// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>
#include <takt/rules/shares/job_progress.hpp>
#include <takt/rules/shares/least_share.hpp>
#include <takt/rules/shares/leftover.hpp>
#include <takt/rules/shares/running_jobs.hpp>
#include <takt/rules/shares/share_rules.hpp>

namespace takt::inline TAKT_ABI {

/// Say what happened at an instant, as bits.
inline constexpr std::uint8_t cause_release = 1;
namespace detail {

inline constexpr std::uint8_t cause_completion = 2;
inline constexpr std::uint8_t cause_miss = 4;

}  // namespace detail

enum class decision_kind : std::uint8_t {
  nothing,   ///< no workload change
  idle,      ///< no job is active
  operated,  ///< Algorithm 1 was run
  kept,      ///< left out by a trigger: all keep what they hold
  refilled,  ///< left out by a trigger, but what was free was handed out
};

/// Holds what an operation found out about one job.
struct examined_job {
  std::uint32_t task = 0;
  ticks slack = 0;
  share_need need = no_share_suffices;
  ticks predicted = 0;  ///< for a whole job, under the load seen; 0 where that is the worst, or a search tried several
  bool reused = false;  ///< an earlier slow-down stood in for a prediction
};

/// Holds what a scheduler of shares decides at one instant.
template <std::size_t MaxTasks>
struct share_decision {
  decision_kind kind = decision_kind::nothing;
  bool schedulable = true;  ///< every active job was admitted by the last operation, or none is active
  std::uint8_t cause = 0;
  share_allocation<MaxTasks> shares;               ///< in force from now on; one without a job holds nothing
  inline_vector<examined_job, MaxTasks> examined;  ///< in priority order, as far as the operation came
  std::uint32_t predictions = 0;                   ///< jobs examined without reuse
  std::uint32_t predictor_calls = 0;               ///< calls of the predictor for whatever purpose
  std::uint32_t changed = 0;                       ///< active jobs that hold another share than before
};

/// Sizes what each application holds of a GPU whenever one starts or ends a job, so that each job is predicted to meet
/// its deadline; none is ever evicted (pseudo-preemption). It has no clock and no threads. A host tells it what happens
/// at an instant, in any order, and then calls `decide`, which makes at most one operation of it.
///
/// The progress of jobs is an estimate from predictions: the sum of time run over predicted whole time since the job
/// began. An event that makes no sense is refused by false and changes nothing. The table must outlive the scheduler.
/// Cost of an operation: tasks^2, and per active job a prediction, a search among 100 shares, and another prediction.
/// Source: Yao et al. 2022, Algorithm 1 and sections 5.2 and 5.3.
template <std::size_t MaxTasks, CoRunPredictor Predictor, JobProgress Progress = fixed_progress>
class share_scheduler {
 public:
  static constexpr std::size_t max_tasks = MaxTasks;
  using decision_type = share_decision<MaxTasks>;

  constexpr share_scheduler(const application_set<MaxTasks>& table, const Predictor& predictor,
                            const share_rules& rules = wamp2s_robust, const share_triggers& triggers = every_change)
      : table_{&table}, predictor_{predictor}, rules_{rules}, triggers_{triggers}, error_{validate(table)} {
    if (detail::counts_worst_load(rules_.load) && !WorstLoadPredictor<Predictor>) {
      error_ = {.fault = model_fault::platform_size_out_of_range};
    }
    if (!choices_known(rules_) || !choices_known(triggers_)) { error_ = {.fault = model_fault::choice_out_of_range}; }
    if (rules_.actuation < 0) { error_ = {.fault = model_fault::negative_time}; }
    if (error_) { return; }
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      references_[i] = detail::reference_share(table.tasks[i]);
      whole_times_[i] = table.tasks[i].alone.at(references_[i]);
      if constexpr (WorstLoadPredictor<Predictor>) {
        whole_times_[i] = detail::need_under_full_load(table, predictor_, i, rules_.actuation).time;
      }
      insert_by_priority(i);
    }
  }

  /// Returns what is wrong with the table, or with rules that the predictor cannot serve. Every event is then refused.
  [[nodiscard]] constexpr auto error() const noexcept -> const model_error& { return error_; }

  /// A job starts. False as long as another one of the application is active, before time 0, and where the deadline is
  /// before the release or a time does not fit.
  [[nodiscard]] constexpr auto release(std::size_t task, ticks at) -> bool {
    ticks deadline = 0;
    return exists(task) && checked_add(at, table_->tasks[task].deadline, deadline) && release(task, at, deadline);
  }
  [[nodiscard]] constexpr auto release(std::size_t task, ticks at, ticks absolute_deadline) -> bool {
    ticks start = 0;
    if (!exists(task) || active(task) || at < 0 || absolute_deadline < at) { return false; }
    if (!checked_add(at, rules_.actuation, start)) { return false; }
    jobs_.start(task, {.start = start, .deadline = absolute_deadline, .progress = Progress::start(whole_times_[task])});
    pending_ |= cause_release;
    return true;
  }
  /// A job that has run elsewhere goes on here: a start like any other. False if there is one, or the share that it
  /// brings along is not left.
  [[nodiscard]] constexpr auto resume(std::size_t task, ticks absolute_deadline, share held, ticks executed,
                                      const Progress& progress) -> bool {
    if (!exists(task) || active(task) || absolute_deadline < 0 || executed < 0) { return false; }
    if (!decision_.shares.set(task, held)) { return false; }
    jobs_.start(task, {.deadline = absolute_deadline, .executed = executed, .progress = progress});
    pending_ |= cause_release;
    return true;
  }
  [[nodiscard]] constexpr auto complete(std::size_t task) -> bool { return end(task, detail::cause_completion); }
  /// The job is dropped at its deadline.
  [[nodiscard]] constexpr auto abort(std::size_t task) -> bool { return end(task, detail::cause_miss); }
  /// The application is gone. For the others that is as if its job were complete.
  [[nodiscard]] constexpr auto leave(std::size_t task) -> bool { return end(task, detail::cause_completion); }
  /// The job did not run for so long since the last decision, although it held a share.
  [[nodiscard]] constexpr auto lose(std::size_t task, ticks time) -> bool {
    if (!exists(task) || !active(task) || time < 0) { return false; }
    return checked_add(jobs_[task].lost, time, jobs_[task].lost);
  }

  /// A host decides what an application holds until the next operation. False if it has no job, or so much is not
  /// left.
  [[nodiscard]] constexpr auto set_share(std::size_t task, share value, ticks now) -> bool {
    if (!exists(task) || !active(task)) { return false; }
    jobs_.advance(now);
    if (!decision_.shares.set(task, value)) { return false; }
    provided_for_ = false;
    decision_.predictor_calls += jobs_.put_in_force(decision_.shares, predictor_);
    return true;
  }
  /// Takes the shares that are really in force from now on, while what was decided has not had its effect: progress
  /// counts against these shares.
  constexpr void in_force(const share_allocation<MaxTasks>& shares, ticks now) {
    jobs_.advance(now);
    decision_.predictor_calls += jobs_.put_in_force(shares, predictor_);
  }

  /// Returns the decision that follows from all that happened since the last call. Pre: time does not go backwards.
  constexpr auto decide(ticks now) -> const decision_type& {
    TAKT_EXPECTS(jobs_.last() <= now);
    jobs_.advance(now);
    decision_.cause = pending_;
    decision_.examined.clear();
    decision_.predictions = decision_.predictor_calls = decision_.changed = 0;
    if (pending_ == 0) {
      decision_.kind = decision_kind::nothing;
    } else if (jobs_.count() == 0) {
      decision_.kind = decision_kind::idle;
      decision_.schedulable = provided_for_ = true;
    } else if (may_keep()) {
      keep();
    } else {
      operate(now);
    }
    pending_ = 0;
    return decision_;
  }

  [[nodiscard]] constexpr auto decision() const noexcept -> const decision_type& { return decision_; }
  [[nodiscard]] constexpr auto shares() const noexcept -> const share_allocation<MaxTasks>& { return decision_.shares; }
  [[nodiscard]] constexpr auto active_count() const noexcept -> std::size_t { return jobs_.count(); }
  /// Pre: task < max_tasks; so for those below.
  [[nodiscard]] constexpr auto active(std::size_t task) const noexcept -> bool {
    TAKT_EXPECTS(task < MaxTasks);
    return jobs_[task].active;
  }
  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share {
    TAKT_EXPECTS(task < MaxTasks);
    return decision_.shares[task];
  }
  [[nodiscard]] constexpr auto deadline(std::size_t task) const noexcept -> ticks {
    TAKT_EXPECTS(task < MaxTasks);
    return jobs_[task].deadline;
  }
  /// Returns how long a job has run up to the last decision.
  [[nodiscard]] constexpr auto executed(std::size_t task) const noexcept -> ticks {
    TAKT_EXPECTS(task < MaxTasks);
    return jobs_[task].executed;
  }
  [[nodiscard]] constexpr auto progress(std::size_t task) const noexcept -> const Progress& {
    TAKT_EXPECTS(task < MaxTasks);
    return jobs_[task].progress;
  }
  /// Returns the whole time of a job that its progress is counted against.
  [[nodiscard]] constexpr auto reference_time(std::size_t task) const noexcept -> ticks {
    TAKT_EXPECTS(task < MaxTasks);
    return whole_times_[task];
  }

 private:
  [[nodiscard]] constexpr auto exists(std::size_t task) const noexcept -> bool {
    return !error_ && task < table_->size();
  }

  constexpr void insert_by_priority(std::uint32_t task) {
    order_.unchecked_push_back(task);  // Bound: each task once.
    for (std::size_t i = order_.size() - 1; i > 0; --i) {
      if (table_->tasks[order_[i - 1]].priority >= table_->tasks[task].priority) { return; }
      order_[i] = order_[i - 1];
      order_[i - 1] = task;
    }
  }

  constexpr auto end(std::size_t task, std::uint8_t cause) -> bool {
    if (!exists(task) || !active(task)) { return false; }
    jobs_.end(task);
    decision_.shares.clear(task);
    pending_ |= cause;
    return true;
  }

  /// Returns whether no operation is needed: only jobs ended, and all others had, or nearly have, what they need. A job
  /// that holds nothing would wait for ever.
  [[nodiscard]] constexpr auto may_keep() const -> bool {
    if ((pending_ & cause_release) != 0) { return false; }
    if (detail::keeps_when_all_is_well(triggers_.decrease) && provided_for_) { return true; }
    bool late = detail::passes_over_late_jobs(triggers_.reuse);
    for (std::size_t i = 0; late && i < table_->size(); ++i) {
      late = !active(i) || (held(i) && jobs_[i].progress.beyond(triggers_.threshold));
    }
    return late;
  }

  constexpr void keep() {
    switch (triggers_.decrease) {
      case decrease_rule::operate:
      case decrease_rule::keep: decision_.kind = decision_kind::kept; break;
      case decrease_rule::refill: refill(); break;
    }
  }

  constexpr void operate(ticks now) {
    std::array<share, MaxTasks> before{};
    for (std::size_t i = 0; i < table_->size(); ++i) { before[i] = held(i) ? held(i) : references_[i]; }
    share_allocation<MaxTasks> next;
    inline_vector<std::uint32_t, MaxTasks> admitted;  // Bound of it and of those examined: each task once.
    std::uint32_t first_late = no_index;
    for (std::size_t p = 0; p < order_.size(); ++p) {
      const std::uint32_t i = order_[p];
      if (!active(i)) { continue; }
      const examined_job found = examine(i, before, now);
      decision_.examined.unchecked_push_back(found);
      if (!found.reused) { ++decision_.predictions; }
      if (found.need <= greatest_sum(rules_) - next.sum()) {
        static_cast<void>(next.set(i, share::bounded(found.need)));
        admitted.unchecked_push_back(i);
        continue;
      }
      first_late = first_late == no_index ? i : first_late;
      if (!detail::skips_who_does_not_fit(rules_.refused)) { break; }
    }
    decision_.kind = decision_kind::operated;
    decision_.schedulable = provided_for_ = first_late == no_index;
    if (decision_.schedulable) {
      detail::hand_out(*table_, admitted, rules_.leftover, next);
    } else if (detail::skips_who_does_not_fit(rules_.refused)) {
      static_cast<void>(next.set(first_late, share::bounded(next.left())));
    }
    grant(next);
  }

  /// Lines 4 to 8 of the listing for one job, when the others hold what they held `before`.
  [[nodiscard]] constexpr auto examine(std::uint32_t i, const std::array<share, MaxTasks>& before, ticks now)
      -> examined_job {
    detail::running_job<Progress>& j = jobs_[i];
    const share_task& t = table_->tasks[i];
    examined_job found{.task = i};
    const ticks time_left = j.deadline - (now < j.start ? j.start : now);
    found.slack = detail::counts_time_left(rules_.slack) ? time_left : t.deadline - j.executed;
    const auto others = jobs_.load_on(i, before);
    const std::span<const co_runner> load{others.data(), others.size()};
    const auto fits = [&](ticks whole) { return j.progress.fits(whole, found.slack); };
    std::uint32_t& calls = decision_.predictor_calls;
    if (detail::counts_worst_load(rules_.load)) {
      if constexpr (WorstLoadPredictor<Predictor>) {
        const auto worst = [&](share own) { return predictor_.predict_worst(i, own, load); };
        found.need = detail::least_predicted_share<Predictor>(worst, fits, calls);
      }
      return found;
    }
    const auto time_with = [&](share own) { return predictor_.predict(i, own, load); };
    const ticks alone = t.alone.at(before[i]);
    switch (rules_.search) {
      case need_search::direct: found.need = detail::least_predicted_share<Predictor>(time_with, fits, calls); break;
      case need_search::rescaled:
        found.reused =
            detail::reuses_slowdown(triggers_.reuse) && j.has_known && j.progress.beyond(triggers_.threshold);
        if (!found.reused) {
          found.predicted = detail::usable_time(predictor_.predict(i, before[i], load));
          j.known = {found.predicted, alone};
          j.has_known = true;
          ++calls;
        }
        found.need = detail::least_sufficient_share(
            [&](share own) { return j.progress.fits_rescaled(t.alone.at(own), j.known, alone, found.slack); });
        break;
    }
    return found;
  }

  constexpr void refill() {
    inline_vector<std::uint32_t, MaxTasks> running;  // Bound: each task once.
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (active(order_[p])) { running.unchecked_push_back(order_[p]); }
    }
    share_allocation<MaxTasks> next = decision_.shares;
    detail::hand_out(*table_, running, rules_.leftover, next);
    decision_.kind = decision_kind::refilled;
    grant(next);
  }

  constexpr void grant(const share_allocation<MaxTasks>& next) {
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (active(i) && next[i] != held(i)) { ++decision_.changed; }
    }
    decision_.shares = next;
    decision_.predictor_calls += jobs_.put_in_force(next, predictor_);
  }

  const application_set<MaxTasks>* table_;
  Predictor predictor_;
  share_rules rules_;
  share_triggers triggers_;
  model_error error_;
  inline_vector<std::uint32_t, MaxTasks> order_;
  std::array<share, MaxTasks> references_{};
  std::array<ticks, MaxTasks> whole_times_{};
  detail::running_jobs<MaxTasks, Progress> jobs_;
  decision_type decision_{};
  std::uint8_t pending_ = 0;
  bool provided_for_ = true;  ///< the last operation admitted every job, and no host has changed a share since
};

}  // namespace takt::inline TAKT_ABI
