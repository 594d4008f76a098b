// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/helper_threads.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/result.hpp>
#include <takt/systems/locked_gpus/simulation/interrupts/workload.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Says where an operation is: in one of its parts, or outside of them.
enum class operation_stage : std::uint8_t { none, engine, top_half, bottom_half, callback, over };
enum class waiting_for : std::uint8_t { nothing, engine, operation };

/// Says what a task's current job and its operation are doing. Neither overlaps with another one of the task.
struct job_progress {
  std::span<const interrupt_step> program;
  std::size_t released = 0;
  std::size_t position = 0;
  ticks remaining = 0;  ///< of the execution that is next
  std::uint64_t job = 0;
  bool pending = false;
  bool holds_engine = false;
  waiting_for waits = waiting_for::nothing;
  operation_stage stage = operation_stage::none;
  device_operation operation{};
  std::uint32_t first_segment = 0;  ///< of the operation
  std::size_t life = 0;             ///< its record
  ticks part_left = 0;              ///< of a part on a processor
  ticks engine_end = 0;
  processor_need need{};
  bool in_need = false;

  [[nodiscard]] auto ready() const noexcept -> bool { return pending && waits == waiting_for::nothing; }
  [[nodiscard]] auto suspended() const noexcept -> bool { return waits == waiting_for::operation; }
  [[nodiscard]] auto in_flight() const noexcept -> bool {
    return stage != operation_stage::none && stage != operation_stage::over;
  }
  /// Returns whether it could go on if it, or what wakes it, had a processor.
  [[nodiscard]] auto needs_processor() const noexcept -> bool {
    return ready() || (suspended() && in_flight() && stage != operation_stage::engine);
  }
  /// Returns null at the end of the program.
  [[nodiscard]] auto next() const noexcept -> const interrupt_step* {
    return position < program.size() ? &program[position] : nullptr;
  }
  void go_to(std::size_t step) noexcept {
    position = step;
    remaining = next() != nullptr && next()->what == interrupt_step_kind::execute ? next()->time : 0;
  }
  void enter(operation_stage s, ticks time) noexcept {
    stage = s;
    part_left = time;
  }
};

/// Parts that take no time start when they end.
inline void end_part(part_times& part, ticks now) {
  if (part.start == no_instant) { part.start = now; }
  part.end = now;
}

/// Holds jobs on their way through their programs, and the engines that they lock.
class device_jobs {
 public:
  /// `w` outlives it.
  explicit device_jobs(const interrupt_workload& w)
      : workload_{&w}, jobs_(w.tasks().size()), engines_(w.engines().size()) {
    for (std::size_t t = 0; t < jobs_.size(); ++t) { jobs_[t].program = w.program(w.tasks()[t]); }
  }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return jobs_.size(); }
  [[nodiscard]] auto operator[](std::size_t task) noexcept -> job_progress& { return jobs_[task]; }
  [[nodiscard]] auto operator[](std::size_t task) const noexcept -> const job_progress& { return jobs_[task]; }
  [[nodiscard]] auto life(const job_progress& j) -> operation_life& { return lives_[j.life]; }
  [[nodiscard]] auto lives() const noexcept -> const std::vector<operation_life>& { return lives_; }
  [[nodiscard]] auto device_of(std::size_t task) const -> std::size_t {
    const auto engine = static_cast<std::size_t>(jobs_[task].operation.engine);
    return static_cast<std::size_t>(workload_->engines()[engine].device);
  }
  /// Returns what a job lends: its point, or the best of those who wait for the engine that it holds. Operations do not
  /// overlap, so no job waits for these.
  [[nodiscard]] auto lent_by(std::size_t task) const -> helped_job {
    const auto rank = [this](std::size_t t) {
      return thread_rank{.point = workload_->tasks()[t].point, .tie = static_cast<std::int32_t>(t)};
    };
    thread_rank best = rank(task);
    for (std::size_t t = 0; t < jobs_.size(); ++t) {
      const bool waits = jobs_[t].waits == waiting_for::engine && lock_of(t).inheritor(id(t)) == id(task);
      if (waits && rank(t) < best) { best = rank(t); }
    }
    return {.suspended = jobs_[task].suspended(), .holds_engine_lock = jobs_[task].holds_engine, .effective = best};
  }
  /// Returns the part of its operation that has a processor from now on, as a segment.
  auto start_part(std::size_t task, ticks now) -> std::uint32_t {
    const job_progress& j = jobs_[task];
    const auto begins = [&](operation_part what, part_times& part) {
      if (part.start == no_instant) { part.start = now; }
      return j.first_segment + static_cast<std::uint32_t>(what);
    };
    if (j.stage == operation_stage::top_half) { return begins(operation_part::top_half, life(j).top_half); }
    if (j.stage == operation_stage::bottom_half) { return begins(operation_part::bottom_half, life(j).bottom_half); }
    return begins(operation_part::callback, life(j).callback);
  }
  /// A step of the job that takes no time. Pre: it is not the end of the program.
  void step(std::size_t task, ticks now) {
    job_progress& j = jobs_[task];
    TAKT_EXPECTS(j.next() != nullptr);
    const interrupt_step s = *j.next();
    if (s.what == interrupt_step_kind::await && j.in_flight()) {
      j.waits = waiting_for::operation;
      return;
    }
    j.go_to(j.position + 1);
    switch (s.what) {
      case interrupt_step_kind::execute: return;
      case interrupt_step_kind::lock:
        j.operation = s.operation;
        j.stage = operation_stage::none;
        j.life = lives_.size();
        lives_.push_back({.task = task, .job = j.job, .engine_number = s.operation.engine, .requested = now});
        j.holds_engine = lock_of(task).issue(id(task), {}) == id(task);
        j.waits = j.holds_engine ? waiting_for::nothing : waiting_for::engine;
        return;
      case interrupt_step_kind::issue:
        j.first_segment = s.segment;
        j.stage = operation_stage::engine;
        j.engine_end = now + j.operation.time;
        life(j).engine.start = now;
        return;
      case interrupt_step_kind::await:
        life(j).resumed = now;
        j.holds_engine = false;
        j.stage = operation_stage::none;
        if (const request_id next = lock_of(task).release(id(task)); next != no_request) {
          jobs_[static_cast<std::size_t>(next)].holds_engine = true;
          jobs_[static_cast<std::size_t>(next)].waits = waiting_for::nothing;
        }
        return;
    }
  }

 private:
  using engine_lock = k_fmlp<1, most_interrupt_tasks>;

  [[nodiscard]] static auto id(std::size_t task) noexcept -> request_id { return static_cast<request_id>(task); }
  [[nodiscard]] auto lock_of(std::size_t task) -> engine_lock& {
    return engines_[static_cast<std::size_t>(jobs_[task].operation.engine)];
  }
  [[nodiscard]] auto lock_of(std::size_t task) const -> const engine_lock& {
    return engines_[static_cast<std::size_t>(jobs_[task].operation.engine)];
  }

  const interrupt_workload* workload_;
  std::vector<job_progress> jobs_;
  std::vector<engine_lock> engines_;
  std::vector<operation_life> lives_;
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
