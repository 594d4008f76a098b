// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/helper_registry.hpp>
#include <takt/rules/helper_threads.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/interrupts/bottom_halves.hpp>
#include <takt/simulation/interrupts/effective_priorities.hpp>
#include <takt/simulation/interrupts/job_progress.hpp>
#include <takt/simulation/interrupts/processor_state.hpp>
#include <takt/simulation/interrupts/result.hpp>
#include <takt/simulation/interrupts/workload.hpp>
#include <takt/simulation/interrupts/workload_check.hpp>

namespace takt::simulation {

/// Jobs, their operations, and the threads that help them: who could run, and at which rank. Threads are numbered: the
/// jobs' by task, the callback threads by task, the devices'. Knows nothing of time but the instants it is told.
template <BottomHalfPolicy Policy>
class interrupt_system {
 public:
  interrupt_system(const interrupt_workload& workload, const Policy& policy, const callback_threads& callbacks,
                   interrupt_result& out)
      : workload_{&workload},
        out_{&out},
        callbacks_{callbacks},
        jobs_(workload.tasks().size()),
        engines_(workload.engines().size()),
        devices_(workload.devices().size(), device_state{policy}) {
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      jobs_[t].program = workload.program(workload.tasks()[t]);
      if (callbacks.inherit) { registry_.take(static_cast<std::int32_t>(t), helper_scope::future); }
      static_cast<void>(registry_.start(t));  // of a number below the capacity that is not in use
    }
  }

  [[nodiscard]] auto jobs() const noexcept -> std::span<const job_progress> { return jobs_; }
  [[nodiscard]] auto operator[](std::size_t task) noexcept -> job_progress& { return jobs_[task]; }
  [[nodiscard]] auto threads() const noexcept -> std::size_t { return 2 * jobs_.size() + devices_.size(); }
  [[nodiscard]] auto runs_job(thread_id h) const noexcept -> bool { return h < jobs_.size(); }
  [[nodiscard]] auto device_of(std::size_t task) const -> std::size_t {
    const auto engine = static_cast<std::size_t>(jobs_[task].operation.engine);
    return static_cast<std::size_t>(workload_->engines()[engine].device);
  }

  /// The task that a thread works for. Pre: it could run.
  [[nodiscard]] auto task_of(thread_id h) const -> std::size_t {
    if (h < 2 * jobs_.size()) { return h % jobs_.size(); }
    return devices_[h - 2 * jobs_.size()].pending.front();
  }
  [[nodiscard]] auto could_run(thread_id h, ticks now) const -> bool {
    if (runs_job(h)) { return jobs_[h].ready(); }
    if (h < 2 * jobs_.size()) { return jobs_[task_of(h)].stage == operation_stage::callback; }
    const device_state& d = devices_[h - 2 * jobs_.size()];
    return !d.pending.empty() && d.policy.available(now) > 0;
  }
  /// Time that the thread still works at what it has begun; 0 at a step that takes none. Pre: it could run.
  [[nodiscard]] auto left(thread_id h) -> ticks& {
    return runs_job(h) ? jobs_[h].remaining : jobs_[task_of(h)].part_left;
  }
  /// How long the thread may run from now on.
  [[nodiscard]] auto allowed(thread_id h, ticks now) const -> ticks {
    return h < 2 * jobs_.size() ? never : devices_[h - 2 * jobs_.size()].policy.available(now);
  }
  void ran(thread_id h, ticks from, ticks to) {
    if (h >= 2 * jobs_.size()) { devices_[h - 2 * jobs_.size()].policy.ran(from, to); }
  }
  /// When a thread that has to wait for its budget may go on.
  [[nodiscard]] auto next_refill(ticks now) const -> ticks {
    ticks next = never;
    for (const device_state& d : devices_) {
      if (d.pending.empty() || d.policy.available(now) > 0) { continue; }
      const ticks refill = d.policy.next_refill(now);
      next = refill < next ? refill : next;
    }
    return next;
  }
  /// Pre: it could run.
  [[nodiscard]] auto rank(thread_id h) const -> thread_rank {
    if (runs_job(h)) { return lent_by(h).effective; }
    if (h < 2 * jobs_.size()) {
      const std::size_t task = h - jobs_.size();
      std::array<helped_job, most_interrupt_tasks> all{};
      all[task] = lent_by(task);
      return registry_.rank_of(task, callbacks_.own, all);
    }
    const std::size_t d = h - 2 * jobs_.size();
    return with_view(d, [this, d](const device_view& v) { return devices_[d].policy.rank(v); });
  }

  void release(std::size_t task, std::uint64_t job) {
    jobs_[task].job = job;
    jobs_[task].begin();
    priorities_.set_base(id(task), {workload_->tasks()[task].point, id(task)});
    propagate();
  }
  /// Pre: the job is at the end of its program.
  void complete(std::size_t task) {
    jobs_[task].pending = false;
    priorities_.forget(id(task));
    propagate();
  }
  /// A step of the job that takes no time. Pre: it is not the end of the program.
  void step(std::size_t task, ticks now) {
    job_progress& j = jobs_[task];
    const interrupt_step s = *j.next();
    if (s.what == interrupt_step_kind::await && j.in_flight()) {
      j.waits = waiting_for::operation;
      return;
    }
    j.advance();
    switch (s.what) {
      case interrupt_step_kind::execute: return;
      case interrupt_step_kind::lock: return lock(task, s.operation, now);
      case interrupt_step_kind::issue: return issue(task, s, now);
      case interrupt_step_kind::await: return unlock(task, now);
    }
  }

  /// Whether the thread is to begin a bottom half before it can go on.
  [[nodiscard]] auto begins_half(thread_id h) const -> bool {
    return h >= 2 * jobs_.size() && !devices_[h - 2 * jobs_.size()].begun;
  }
  void begin_half(thread_id h) {
    const std::size_t d = h - 2 * jobs_.size();
    device_state& device = devices_[d];
    const std::size_t i = with_view(d, [&device](const device_view& v) { return device.policy.next(v); });
    const std::size_t task = device.pending[i];
    device.pending.erase(device.pending.begin() + static_cast<std::ptrdiff_t>(i));
    device.pending.insert(device.pending.begin(), task);
    device.begun = true;
  }
  /// Takes the oldest bottom half that nobody has begun, of the devices that interrupt this processor; `no_thread` if
  /// there is none.
  auto take_half(std::int32_t processor) -> std::size_t {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      device_state& device = devices_[d];
      const std::size_t first = device.begun ? 1 : 0;
      if (workload_->devices()[d].processor != processor || device.pending.size() <= first) { continue; }
      const std::size_t task = device.pending[first];
      device.pending.erase(device.pending.begin() + static_cast<std::ptrdiff_t>(first));
      return task;
    }
    return no_thread;
  }
  [[nodiscard]] auto halves_in_interrupt(std::size_t task) const -> std::size_t {
    return devices_[device_of(task)].policy.in_interrupt();
  }

  // Parts that end.

  void end_engine(std::size_t task, ticks now) {
    enter(task, operation_stage::top_half, jobs_[task].operation.top_half);
    out_->lives[jobs_[task].life].engine.end = now;
  }
  void end_top_half(std::size_t task, ticks now) {
    end_part(out_->lives[jobs_[task].life].top_half, now);
    const device_operation& o = jobs_[task].operation;
    enter(task, operation_stage::bottom_half, o.bottom_half + o.work_item);
    devices_[device_of(task)].pending.push_back(task);
  }
  void end_bottom_half(std::size_t task, ticks now) {
    end_part(out_->lives[jobs_[task].life].bottom_half, now);
    enter(task, operation_stage::callback, jobs_[task].operation.callback);
  }
  /// What a callback thread or a device's thread is at has ended.
  void end_help(thread_id h, ticks now) {
    const std::size_t task = task_of(h);
    if (h >= 2 * jobs_.size()) {
      device_state& device = devices_[h - 2 * jobs_.size()];
      device.pending.erase(device.pending.begin());
      device.begun = false;
      return end_bottom_half(task, now);
    }
    end_part(out_->lives[jobs_[task].life].callback, now);
    jobs_[task].stage = operation_stage::over;
    if (jobs_[task].suspended()) { jobs_[task].waits = waiting_for::nothing; }
  }
  /// The part of an operation that has a processor from now on.
  void start_part(std::size_t task, ticks now) {
    operation_life& life = out_->lives[jobs_[task].life];
    part_times* const part = jobs_[task].stage == operation_stage::top_half      ? &life.top_half
                             : jobs_[task].stage == operation_stage::bottom_half ? &life.bottom_half
                                                                                 : &life.callback;
    if (part->start == no_instant) { part->start = now; }
  }

 private:
  struct device_state {
    Policy policy;
    std::vector<std::size_t> pending{};  ///< tasks; that of the bottom half in progress, then by arrival
    bool begun = false;
  };
  using engine_lock = k_fmlp<1, most_interrupt_tasks>;

  [[nodiscard]] static auto id(std::size_t task) noexcept -> request_id { return static_cast<request_id>(task); }

  /// Parts that take no time start when they end.
  static void end_part(part_times& part, ticks now) {
    if (part.start == no_instant) { part.start = now; }
    part.end = now;
  }
  void enter(std::size_t task, operation_stage stage, ticks time) {
    jobs_[task].stage = stage;
    jobs_[task].part_left = time;
  }

  [[nodiscard]] auto lent_by(std::size_t task) const -> helped_job {
    const priority_point& p = priorities_[id(task)];
    return {.suspended = jobs_[task].suspended(),
            .holds_engine_lock = jobs_[task].holds_engine,
            .effective = {.point = p.point, .tie = p.tie}};
  }
  template <class Ask>
  [[nodiscard]] auto with_view(std::size_t device, Ask ask) const {
    std::array<helped_job, most_interrupt_tasks> users{};
    std::array<helped_job, most_interrupt_tasks> unserved{};
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      if (!jobs_[t].in_flight() || device_of(t) != device) { continue; }
      users[t] = lent_by(t);
      if (jobs_[t].unserved()) { unserved[t] = users[t]; }
    }
    return ask(device_view{users, unserved, devices_[device].pending});
  }

  void lock(std::size_t task, const device_operation& o, ticks now) {
    job_progress& j = jobs_[task];
    j.operation = o;
    j.stage = operation_stage::none;
    j.life = out_->lives.size();
    out_->lives.push_back({.task = task, .job = j.job, .engine_number = o.engine, .requested = now});
    const request_id winner =
        engines_[static_cast<std::size_t>(o.engine)].issue(id(task), {.priority = priorities_[id(task)]});
    j.holds_engine = winner == id(task);
    j.waits = j.holds_engine ? waiting_for::nothing : waiting_for::engine;
    propagate();
  }
  void issue(std::size_t task, const interrupt_step& s, ticks now) {
    job_progress& j = jobs_[task];
    j.first_segment = s.segment;
    j.stage = operation_stage::engine;
    j.engine_end = now + j.operation.time;
    out_->lives[j.life].engine.start = now;
  }
  void unlock(std::size_t task, ticks now) {
    job_progress& j = jobs_[task];
    out_->lives[j.life].resumed = now;
    j.holds_engine = false;
    j.stage = operation_stage::none;
    const request_id winner = engines_[static_cast<std::size_t>(j.operation.engine)].release(id(task));
    if (winner != no_request) {
      job_progress& next = jobs_[static_cast<std::size_t>(winner)];
      next.holds_engine = true;
      next.waits = waiting_for::nothing;
    }
    propagate();
  }

  /// Whoever waits for an engine passes its priority on to the one who has it.
  void propagate() {
    inline_vector<request_id, most_interrupt_tasks> pending;
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      if (jobs_[t].pending) { pending.push_back(id(t)); }
    }
    priorities_.link({pending.data(), pending.size()}, [this](request_id t) {
      const job_progress& j = jobs_[static_cast<std::size_t>(t)];
      if (j.waits != waiting_for::engine) { return no_request; }
      return engines_[static_cast<std::size_t>(j.operation.engine)].heir(t);
    });
  }

  const interrupt_workload* workload_;
  interrupt_result* out_;
  callback_threads callbacks_;
  std::vector<job_progress> jobs_;
  std::vector<engine_lock> engines_;
  std::vector<device_state> devices_;
  helper_registry<most_interrupt_tasks> registry_;
  effective_priorities<most_interrupt_tasks> priorities_;
};

}  // namespace takt::simulation
