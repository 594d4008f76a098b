// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/locking/cluster.hpp>
#include <takt/simulation/locking/job_lists.hpp>
#include <takt/simulation/locking/lock_hooks.hpp>
#include <takt/simulation/locking/lock_options.hpp>
#include <takt/simulation/locking/lock_result.hpp>
#include <takt/simulation/locking/lock_system.hpp>
#include <takt/simulation/locking/pi_accounting.hpp>
#include <takt/simulation/locking/task_state.hpp>
#include <takt/simulation/locking/workload.hpp>
#include <takt/simulation/locking/workload_check.hpp>

namespace takt::simulation {

/// Virtual time for tasks that share locks: clusters of processors run programs of executions, suspensions and locks.
///
/// Order within one instant. Executions and suspensions that end, with programs that end without a chance of
/// preemption, then all that follows; then the releases, by task, and all that follows. What follows: each cluster
/// takes the ready jobs of best effective priority, ties by task; of those that stand at a lock, an unlock or the end
/// of their program the one with the lowest task does that, and the choice is made anew; when there is none, all start
/// what they stand at. So a lock takes a processor, though no time, and a suspension begins when its job is scheduled
/// there.
///
/// Cost per instant and per lock operation: a few passes over the pending jobs. Nothing is allocated between the first
/// and the last instant unless hooks lock more than the programs do, a job holds more than sixteen locks, or the
/// recorder allocates.
template <class Bank, TraceRecorder Recorder, LockHooks Hooks, class DonationRules>
class lock_simulator {
 public:
  /// Pre: the workload has no fault with these options. Whatever is passed by reference outlives the simulator.
  lock_simulator(const lock_workload& workload, Bank& bank, const lock_simulation_options& options, Recorder& recorder,
                 Hooks& hooks)
      : workload_{&workload},
        bank_{&bank},
        recorder_{&recorder},
        hooks_{&hooks},
        processors_{options.processors},
        slice_{options.slice},
        system_{workload, bank, hooks, options.processors, options.donation_at_release ? options.clusters : 0, result_},
        clusters_(static_cast<std::size_t>(options.clusters), cluster_type{options.processors}),
        work_{std::max(workload.tasks().size(), std::size_t{1})},
        releases_{std::max(workload.tasks().size(), std::size_t{1})},
        jobs_{workload} {
    result_.jobs.resize(workload.jobs().size());
    running_.reserve(workload.tasks().size());
    for (std::size_t t = 0; t < workload.tasks().size(); ++t) { expect_next(static_cast<request_id>(t)); }
    if constexpr (ReleaseHooks<Hooks>) {
      hooks.started(events_);
      release_events();
    }
  }
  lock_simulator(const lock_simulator&) = delete;
  auto operator=(const lock_simulator&) -> lock_simulator& = delete;
  ~lock_simulator() = default;

  auto run(ticks until = never - 1) -> lock_result {
    run_until(std::min(until, never - 1));
    result_.end = now_;
    return std::move(result_);
  }
  /// Goes on with all that happens before and at the given instant.
  void run_until(ticks last) {
    for (ticks next = next_instant(); next <= last && !result_.error; next = next_instant()) {
      for (const cluster_type& c : clusters_) {
        charge(
            c.pending(), system_.tasks(), processors_, next - now_,
            [this](request_id t) { return system_.is_donor(t); }, result_);
      }
      now_ = next;
      before_releases_ = true;
      while (work_.time() == now_) { end_work(static_cast<request_id>(work_.source())); }
      settle();
      before_releases_ = false;
      if (releases_.time() != now_) { continue; }
      while (releases_.time() == now_) { become_pending(static_cast<request_id>(releases_.source())); }
      settle();
    }
  }
  [[nodiscard]] auto state_of(request_id t) const noexcept -> job_state { return system_.state_of(t); }
  [[nodiscard]] auto effective(request_id t) const noexcept -> const priority_point& { return system_.effective(t); }

 private:
  static constexpr std::size_t max_tasks = Bank::most_clients;
  using cluster_type = cluster<max_tasks>;

  [[nodiscard]] auto next_instant() const noexcept -> ticks { return std::min(work_.time(), releases_.time()); }
  [[nodiscard]] auto model(request_id t) const -> const lock_task& {
    return workload_->tasks()[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] auto cluster_of(request_id t) -> cluster_type& {
    return clusters_[static_cast<std::size_t>(model(t).cluster)];
  }

  // Jobs.

  void become_pending(request_id t) {
    const std::size_t job = jobs_.take(t);
    releases_.set(static_cast<std::size_t>(t), never);
    system_.become_pending(t, job, jobs_[job]);
    put_in_line(t);
    note(mark_kind::release, t, jobs_[job].release);
    if constexpr (ReleaseHooks<Hooks>) {
      inserted_operations front;
      hooks_->began(t, job, front);
      if (!front.empty() && !system_[t].insert(front)) { fail(model_fault::too_many_inserted, t); }
    }
  }
  void put_in_line(request_id t) {
    cluster_of(t).add(t, [this](request_id a, request_id b) { return before(system_[a].base, a, system_[b].base, b); });
  }
  void complete(request_id t) {
    result_.jobs[system_[t].job].finish = now_;
    note(mark_kind::completion, t, now_);
    cluster_of(t).remove(t);
    system_.complete(t);
    if constexpr (ReleaseHooks<Hooks>) {
      hooks_->completed(t, system_[t].job, now_, events_);
      release_events();
    }
    expect_next(t);
  }
  /// Does nothing while there is a pending job, or none that has been released.
  void expect_next(request_id t) {
    if (system_[t].pending || !jobs_.has_next(t)) { return; }
    const ticks release = jobs_.next(t).release;
    if (release < now_ || (release == now_ && !before_releases_)) { return become_pending(t); }
    releases_.set(static_cast<std::size_t>(t), release);
  }
  void release_events() {
    for (const event_release& e : events_) {
      if (!jobs_.release(e)) { return fail(model_fault::unexpected_release, e.task); }
      expect_next(e.task);
    }
    events_.clear();
  }
  void fail(model_fault f, request_id t, std::size_t i = 0) {
    result_.error = fault_at(f, static_cast<std::size_t>(t), i);
  }

  // What follows at an instant.

  void settle() {
    for (;;) {
      for (cluster_type& c : clusters_) { choose(c); }
      const request_id t = first_at_instant_step();
      if (t != no_request) {
        step(t);
        if (result_.error) { return; }
      } else if (!start_chosen()) {
        return;
      }
    }
  }
  void choose(cluster_type& c) {
    for (const request_id t : c.chosen()) { system_[t].chosen = false; }
    c.choose([this](request_id t) { return system_.ready(t); },
             [this](request_id a, request_id b) {
               const bool a_stays = cannot_be_preempted(a);
               if (a_stays != cannot_be_preempted(b)) { return a_stays; }
               return before(system_.effective(a), a, system_.effective(b), b);
             });
    for (const request_id t : c.chosen()) { system_[t].chosen = true; }
  }
  [[nodiscard]] auto cannot_be_preempted(request_id t) const -> bool {
    return system_[t].running && !system_[t].next()->preemptible;
  }
  [[nodiscard]] auto first_at_instant_step() const -> request_id {
    request_id first = no_request;
    for (const cluster_type& c : clusters_) {
      for (const request_id t : c.chosen()) {
        if (system_[t].at_instant_step() && (first == no_request || t < first)) { first = t; }
      }
    }
    return first;
  }
  void step(request_id t) {
    task_state& s = system_[t];
    if (s.next() == nullptr) { return complete(t); }
    const operation o = *s.next();
    const std::size_t position = s.position;
    s.advance();
    const model_fault f = o.what == operation_kind::lock ? system_.issue(t, o, now_) : system_.release(t, o, now_);
    if (f != model_fault::none) { fail(f, t, position); }
  }
  /// False when everything that was chosen runs already or runs from now on.
  auto start_chosen() -> bool {
    bool again = false;
    for (const request_id t : running_) {
      if (system_[t].running && !system_[t].chosen) { pause(t); }
    }
    std::erase_if(running_, [this](request_id t) { return !system_[t].running; });
    for (const cluster_type& c : clusters_) {
      for (const request_id t : c.chosen()) { again = start(t) || again; }
    }
    return again;
  }
  /// True when no time passes before the next choice.
  auto start(request_id t) -> bool {
    task_state& s = system_[t];
    if (s.running || s.spins()) { return false; }
    if (s.remaining == 0) {
      s.advance();
      return true;
    }
    const bool sliced = slice_ > 0 && s.next()->what == operation_kind::execute;
    if (sliced && s.in_line >= slice_) {
      s.in_line = 0;
      cluster_of(t).remove(t);
      system_.rank(t, {now_, s.base.tie});
      put_in_line(t);
      return true;
    }
    s.since = now_;
    s.suspended = s.next()->what == operation_kind::suspend;
    work_.set(static_cast<std::size_t>(t), now_ + (sliced ? std::min(s.remaining, slice_ - s.in_line) : s.remaining));
    if (s.suspended) { return true; }
    s.running = true;
    s.processor = cluster_of(t).occupy(t, s.processor);
    running_.push_back(t);
    return false;
  }
  void pause(request_id t) {
    stop(t);
    work_.set(static_cast<std::size_t>(t), never);
  }
  void end_work(request_id t) {
    const bool stays = cannot_be_preempted(t);
    stop(t);
    work_.set(static_cast<std::size_t>(t), never);
    if (system_[t].remaining > 0) { return; }
    system_[t].advance();
    if (stays && system_[t].next() == nullptr) { complete(t); }
  }
  void stop(request_id t) {
    task_state& s = system_[t];
    record(t);
    s.used += now_ - s.since;
    s.remaining -= now_ - s.since;
    s.in_line += s.running ? now_ - s.since : 0;
    if (s.running) { cluster_of(t).vacate(s.processor); }
    s.running = false;
    s.suspended = false;
  }

  // What a recorder hears.

  /// Executions on the core; suspensions on the unit of the lock taken last, if there is one.
  void record(request_id t) {
    const task_state& s = system_[t];
    if (s.since == now_ || (s.suspended && s.held.empty())) { return; }
    track where{.where = stage::cpu, .index = model(t).cluster * processors_ + s.processor};
    if (s.suspended) {
      const open_request& last = s.held.back();
      where = bank_->options(last.resource).shown;
      where.index += result_.requests[last.record].replica * where.count;
    }
    recorder_->record(slice{.task = static_cast<std::uint32_t>(t),
                            .segment = static_cast<std::uint32_t>(s.position),
                            .job = s.job - model(t).first_job,
                            .where = where,
                            .start = s.since,
                            .end = now_});
  }
  void note(mark_kind what, request_id t, ticks time) {
    recorder_->record(mark{what, static_cast<std::uint32_t>(t), system_[t].job - model(t).first_job, time});
  }
  [[nodiscard]] static auto before(const priority_point& a, request_id i, const priority_point& b,
                                   request_id j) noexcept -> bool {
    const auto order = a <=> b;
    return order < 0 || (order == 0 && i < j);
  }

  const lock_workload* workload_;
  const Bank* bank_;
  Recorder* recorder_;
  Hooks* hooks_;
  std::int32_t processors_;
  ticks slice_;
  lock_result result_;
  lock_system<Bank, Hooks, DonationRules> system_;
  std::vector<cluster_type> clusters_;
  calendar<max_tasks> work_;      ///< per task, the end of its execution or suspension
  calendar<max_tasks> releases_;  ///< per task without a pending job, its next release
  job_lists jobs_;
  std::vector<event_release> events_;
  std::vector<request_id> running_;
  ticks now_ = 0;
  bool before_releases_ = true;
};

}  // namespace takt::simulation
