// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/helper_threads.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/bottom_halves.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/device_jobs.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/processor_state.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/result.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/workload.hpp>

namespace takt::inline TAKT_ABI::simulation {

struct interrupt_simulation_options {
  std::int32_t processors = 1;
  callback_threads callbacks{};
};

namespace detail {

/// Threads are numbered: the jobs' by task, the callback threads by task, the devices'.
template <BottomHalfPolicy Policy, TraceRecorder Recorder>
class interrupt_simulator {
 public:
  interrupt_simulator(const interrupt_workload& w, const Policy& policy, const interrupt_simulation_options& o,
                      Recorder& recorder)
      : workload_{&w},
        recorder_{&recorder},
        callbacks_{o.callbacks},
        jobs_{w},
        devices_(w.devices().size(), device_state{policy}),
        processors_(static_cast<std::size_t>(o.processors)),
        last_(2 * jobs_.size() + devices_.size(), no_thread) {
    result_.finishes.assign(w.releases().size(), no_instant);
  }

  auto run() -> interrupt_result {
    for (ticks next = next_instant(); next < never; next = next_instant()) {
      account(next - now_);
      advance_to(next);
      settle();
      if (engines_end()) { settle(); }
      while (jobs_come()) { settle(); }
    }
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      if (jobs_[t].pending || next_release(t) != never) { result_.error = {model_fault::never_ends}; }
    }
    result_.end = now_;
    result_.lives = jobs_.lives();
    return std::move(result_);
  }

 private:
  struct device_state {
    Policy policy;
    std::vector<std::size_t> pending{};  ///< tasks; that of the bottom half in progress, then by arrival
    bool begun = false;
  };

  // Threads.

  [[nodiscard]] auto runs_job(std::size_t h) const noexcept -> bool { return h < jobs_.size(); }
  [[nodiscard]] auto is_device(std::size_t h) const noexcept -> bool { return h >= 2 * jobs_.size(); }
  [[nodiscard]] auto device(std::size_t h) -> device_state& { return devices_[h - 2 * jobs_.size()]; }
  /// The task that a thread works for. Pre: that of a device has a bottom half to do; so for the functions below.
  [[nodiscard]] auto task_of(std::size_t h) -> std::size_t {
    TAKT_EXPECTS(!is_device(h) || !device(h).pending.empty());
    return is_device(h) ? device(h).pending.front() : h % jobs_.size();
  }
  [[nodiscard]] auto could_run(std::size_t h) -> bool {
    if (runs_job(h)) { return jobs_[h].ready(); }
    if (!is_device(h)) { return jobs_[task_of(h)].stage == operation_stage::callback; }
    return !device(h).pending.empty() && device(h).policy.available(now_) > 0;
  }
  /// Returns the time that the thread still works at what it has begun; 0 at a step that takes none.
  [[nodiscard]] auto left(std::size_t h) -> ticks& {
    TAKT_EXPECTS(!is_device(h) || !device(h).pending.empty());
    return runs_job(h) ? jobs_[h].remaining : jobs_[task_of(h)].part_left;
  }
  template <class Ask>
  [[nodiscard]] auto ask_policy(std::size_t d, Ask ask) const {
    std::array<helped_job, most_interrupt_tasks> users{};
    std::array<helped_job, most_interrupt_tasks> unserved{};
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      if (!jobs_[t].in_flight() || jobs_.device_of(t) != d) { continue; }
      users[t] = jobs_.lent_by(t);
      if (jobs_[t].stage != operation_stage::callback) { unserved[t] = users[t]; }
    }
    return ask(devices_[d].policy, device_view{users, unserved, devices_[d].pending});
  }
  [[nodiscard]] auto rank(std::size_t h) -> thread_rank {
    TAKT_EXPECTS(!is_device(h) || !device(h).pending.empty());
    if (runs_job(h)) { return jobs_.lent_by(h).effective; }
    if (is_device(h)) {
      return ask_policy(h - 2 * jobs_.size(), [](auto& p, const auto& view) { return p.rank(view); });
    }
    const helped_job lent = jobs_.lent_by(task_of(h));
    return callbacks_.inherit ? helper_rank(callbacks_.own, {&lent, 1}) : callbacks_.own;
  }

  // Time.

  [[nodiscard]] auto point_of(std::size_t task) const { return std::pair{workload_->tasks()[task].point, task}; }
  [[nodiscard]] auto next_release(std::size_t task) const -> ticks {
    const auto all = workload_->releases(workload_->tasks()[task]);
    return jobs_[task].released < all.size() ? all[jobs_[task].released] : never;
  }
  [[nodiscard]] auto next_instant() -> ticks {
    ticks next = never;
    for (const device_state& d : devices_) {
      if (d.pending.empty() || d.policy.available(now_) > 0) { continue; }
      next = std::min(next, d.policy.next_refill(now_));
    }
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      if (!jobs_[t].pending) { next = std::min(next, next_release(t)); }
      if (jobs_[t].stage == operation_stage::engine) { next = std::min(next, jobs_[t].engine_end); }
    }
    for (const processor_state& p : processors_) {
      if (p.interrupted()) {
        next = std::min(next, now_ + jobs_[p.interrupt_work()].part_left);
      } else if (p.thread != no_thread) {
        const ticks allowed = is_device(p.thread) ? device(p.thread).policy.available(now_) : never;
        next = std::min(next, now_ + std::min(left(p.thread), allowed));
      }
    }
    return next;
  }
  void advance_to(ticks next) {
    for (const processor_state& p : processors_) {
      if (p.interrupted()) {
        jobs_[p.interrupt_work()].part_left -= next - now_;
      } else if (p.thread != no_thread) {
        left(p.thread) -= next - now_;
        if (is_device(p.thread)) { device(p.thread).policy.ran(now_, next); }
      }
    }
    now_ = next;
    for (processor_state& p : processors_) {
      if (p.interrupted()) {
        if (jobs_[p.interrupt_work()].part_left == 0) { end_interrupt_part(p); }
      } else if (p.thread != no_thread && left(p.thread) == 0) {
        end_work(p.thread);
      }
    }
  }
  /// Counts time that has passed in which the processors did what they do now.
  void account(ticks time) {
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      if (!jobs_[t].in_need) { continue; }
      bool served = false;
      bool interrupt = false;
      bool thread = false;
      for (const processor_state& p : processors_) {
        served = served || p.activity.task == t;
        const bool behind = !p.activity.idle() && point_of(t) < point_of(p.activity.task);
        if (behind) { (p.activity.in_interrupt ? interrupt : thread) = true; }
      }
      if (served) { continue; }
      jobs_[t].need.behind_threads += thread ? time : 0;
      jobs_[t].need.behind_interrupts += interrupt && !thread ? time : 0;
    }
    std::vector<thread_rank> ranks;
    for (const processor_state& p : processors_) {
      if (p.interrupted() || p.thread == no_thread) { continue; }
      if (const thread_rank r = rank(p.thread); r.in == thread_class::normal) { ranks.push_back(r); }
    }
    std::ranges::sort(ranks);
    result_.doubled += std::ranges::adjacent_find(ranks) == ranks.end() ? 0 : time;
  }

  // What happens at an instant.

  auto engines_end() -> bool {
    bool any = false;
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      job_progress& j = jobs_[t];
      if (j.stage != operation_stage::engine || j.engine_end != now_) { continue; }
      const device_engine& e = workload_->engines()[static_cast<std::size_t>(j.operation.engine)];
      part_times& part = jobs_.life(j).engine;
      record({t, j.job, j.first_segment}, e.shown, part.start);
      part.end = now_;
      j.enter(operation_stage::top_half, j.operation.top_half);
      const auto p = static_cast<std::size_t>(workload_->devices()[jobs_.device_of(t)].processor);
      processors_[p].top_halves.push_back(t);
      any = true;
    }
    return any;
  }
  auto jobs_come() -> bool {
    bool any = false;
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      job_progress& j = jobs_[t];
      const ticks release = next_release(t);
      if (j.pending || release > now_) { continue; }
      j.job = j.released++;
      j.pending = any = true;
      j.go_to(0);
      recorder_->record(mark{mark_kind::release, static_cast<std::uint32_t>(t), j.job, release});
    }
    return any;
  }
  void end_interrupt_part(processor_state& p) {
    const std::size_t task = p.interrupt_work();
    if (p.top_halves.empty()) {
      p.soft = no_thread;
      return end_bottom_half(task);
    }
    p.top_halves.erase(p.top_halves.begin());
    device_state& d = devices_[jobs_.device_of(task)];
    if (p.soft == no_thread && p.soft_left == 0) { p.soft_left = d.policy.in_interrupt(); }
    job_progress& j = jobs_[task];
    end_part(jobs_.life(j).top_half, now_);
    j.enter(operation_stage::bottom_half, j.operation.bottom_half + j.operation.work_item);
    d.pending.push_back(task);
  }
  void end_bottom_half(std::size_t task) {
    end_part(jobs_.life(jobs_[task]).bottom_half, now_);
    jobs_[task].enter(operation_stage::callback, jobs_[task].operation.callback);
  }
  /// Ends what a thread works at.
  void end_work(std::size_t h) {
    const std::size_t task = task_of(h);
    job_progress& j = jobs_[task];
    if (is_device(h)) {
      device(h).pending.erase(device(h).pending.begin());
      device(h).begun = false;
      return end_bottom_half(task);
    }
    if (!runs_job(h)) {
      end_part(jobs_.life(j).callback, now_);
      j.stage = operation_stage::over;
      if (j.suspended()) { j.waits = waiting_for::nothing; }
      return;
    }
    if (j.next() != nullptr) { return jobs_.step(task, now_); }
    j.pending = false;
    result_.finishes[workload_->tasks()[task].first_job + static_cast<std::size_t>(j.job)] = now_;
    recorder_->record(mark{mark_kind::completion, static_cast<std::uint32_t>(task), j.job, now_});
  }
  // Who has processors.

  void settle() {
    while (interrupts_step() || threads_step()) {}
    for (processor_state& p : processors_) {  // an interrupted thread that has ended its work does not come back
      if (p.thread != no_thread && !could_run(p.thread)) { p.thread = no_thread; }
    }
    place(chosen_, processors_, last_);
    for (std::size_t i = 0; i < processors_.size(); ++i) { show(i); }
    for (std::size_t t = 0; t < jobs_.size(); ++t) { note_need(t); }
  }
  /// Returns false when all that is done in interrupt context takes time.
  auto interrupts_step() -> bool {
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      processor_state& p = processors_[i];
      if (p.top_halves.empty() && p.soft == no_thread && p.soft_left > 0) {
        p.soft = take_half(static_cast<std::int32_t>(i));
        p.soft_left = p.soft == no_thread ? 0 : p.soft_left - 1;
      }
      if (p.interrupted() && jobs_[p.interrupt_work()].part_left == 0) {
        end_interrupt_part(p);
        return true;
      }
    }
    return false;
  }
  /// Takes the oldest bottom half that no thread has begun, of the devices that interrupt this processor; `no_thread`
  /// if there is none.
  auto take_half(std::int32_t processor) -> std::size_t {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      std::vector<std::size_t>& pending = devices_[d].pending;
      const std::size_t first = devices_[d].begun ? 1 : 0;
      if (workload_->devices()[d].processor != processor || pending.size() <= first) { continue; }
      const std::size_t task = pending[first];
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(first));
      return task;
    }
    return no_thread;
  }
  /// Chooses which threads run. False when all of them have work that takes time.
  auto threads_step() -> bool {
    choose();
    for (const std::size_t h : chosen_) {
      if (is_device(h) && !device(h).begun) {
        begin_half(h);
        return true;
      }
      if (left(h) == 0) {
        end_work(h);
        return true;
      }
    }
    return false;
  }
  void choose() {
    std::size_t room = 0;
    for (const processor_state& p : processors_) { room += p.interrupted() ? 0U : 1U; }
    candidates_.clear();
    for (std::size_t h = 0; h < last_.size(); ++h) {
      const bool held =
          std::ranges::any_of(processors_, [h](const auto& p) { return p.interrupted() && p.thread == h; });
      if (!held && could_run(h)) { candidates_.push_back({rank(h), h}); }
    }
    std::ranges::sort(candidates_);
    chosen_.clear();
    for (std::size_t i = 0; i < std::min(room, candidates_.size()); ++i) { chosen_.push_back(candidates_[i].second); }
  }
  /// The thread of a device takes the bottom half that its policy names.
  void begin_half(std::size_t h) {
    device_state& d = device(h);
    const std::size_t at = ask_policy(h - 2 * jobs_.size(), [](auto& p, const auto& view) { return p.next(view); });
    const auto next = d.pending.begin() + static_cast<std::ptrdiff_t>(at);
    std::rotate(d.pending.begin(), next, next + 1);
    d.begun = true;
  }

  // What is told.

  void note_need(std::size_t t) {
    job_progress& j = jobs_[t];
    if (j.in_need && j.needs_processor() && j.need.job == j.job) { return; }
    if (j.in_need) {
      j.need.to = now_;
      if (j.need.to > j.need.from) { result_.needs.push_back(j.need); }
    }
    j.in_need = j.needs_processor();
    j.need = {.task = t, .job = j.job, .from = now_};
  }
  [[nodiscard]] auto activity_of(const processor_state& p) -> processor_activity {
    if (!p.interrupted() && p.thread == no_thread) { return {}; }
    const std::size_t task = p.interrupted() ? p.interrupt_work() : task_of(p.thread);
    const job_progress& j = jobs_[task];
    if (!p.interrupted() && runs_job(p.thread)) { return {task, j.job, j.next()->segment}; }
    return {task, j.job, jobs_.start_part(task, now_), p.interrupted()};
  }
  void show(std::size_t i) {
    processor_state& p = processors_[i];
    const processor_activity next = activity_of(p);
    if (next == p.activity) { return; }
    if (!p.activity.idle()) {
      record(p.activity, {.where = stage::cpu, .index = static_cast<std::int32_t>(i)}, p.since);
    }
    p.activity = next;
    p.since = now_;
  }
  void record(const processor_activity& a, const track& where, ticks since) {
    if (since == now_) { return; }
    recorder_->record(slice{static_cast<std::uint32_t>(a.task), a.segment, a.job, where, since, now_});
  }

  const interrupt_workload* workload_;
  Recorder* recorder_;
  callback_threads callbacks_;
  interrupt_result result_;
  device_jobs jobs_;
  std::vector<device_state> devices_;
  std::vector<processor_state> processors_;
  std::vector<std::size_t> last_;  ///< by thread, the processor it had last
  std::vector<std::pair<thread_rank, std::size_t>> candidates_;
  std::vector<std::size_t> chosen_;
  ticks now_ = 0;
};

}  // namespace detail

/// Lets jobs use devices whose bottom halves are handled by `policy`, each device's by a copy of it. All threads share
/// the processors, the most important first, and interrupts take these away from them. The run ends when nothing more
/// can happen. Error: what `check` says, or that a job does not end, with what happened until then.
///
/// Order within one instant. What runs on processors ends, by processor; then what runs on engines, by task; then come
/// the releases, by task. After each of these all that follows is done. Interrupts take their processors. The rest goes
/// to the threads of best rank, equal ones by number. The first of them at a step that takes no time does it, and the
/// choice is made anew. So a lock, an issue and the end of a job take a processor, though no time. Cost per instant and
/// step: a few passes over tasks and devices.
template <BottomHalfPolicy Policy, TraceRecorder Recorder = const null_recorder>
[[nodiscard]] auto simulate_interrupts(const interrupt_workload& workload, const Policy& policy,
                                       const interrupt_simulation_options& options = {},
                                       Recorder& recorder = no_recorder) -> interrupt_result {
  if (const model_error e = check(workload, options.processors)) { return {.error = e}; }
  return detail::interrupt_simulator<Policy, Recorder>{workload, policy, options, recorder}.run();
}

}  // namespace takt::inline TAKT_ABI::simulation
