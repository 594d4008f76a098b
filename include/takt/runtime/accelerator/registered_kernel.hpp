// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/runtime/accelerator/accelerator_options.hpp>
#include <takt/runtime/accelerator/job_sequence.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/length_source.hpp>
#include <takt/runtime/task_log.hpp>

namespace takt::runtime {

/// A kernel, its jobs and what becomes of them. Only for the scheduler's thread once that runs.
template <class Kernel>
class registered_kernel {
 public:
  /// The options outlive it.
  registered_kernel(const accelerator_task<ticks>& t, kernel_id k, ticks offset, const accelerator_options& options)
      : task_{t},
        id_{static_cast<std::uint32_t>(k)},
        offset_{offset},
        overrun_{options.overrun},
        hooks_{&options.hooks},
        lengths_{options.lengths, options.seed, id_},
        jobs_{offset, t.period, t.deadline, overrun_},
        log_{id_, t.name, 1, id_ < options.expected.size() ? &options.expected[id_] : nullptr, &options.on_violation} {
    log_.reserve(0, options.trace_capacity);
    log_.tell(options.watch);
  }

  void bind(Kernel body) { bound_.emplace(std::move(body)); }
  void begin(ticks start) {
    origin_ = start;
    jobs_ = job_sequence{later(start, offset_), task_.period, task_.deadline, overrun_};
  }

  [[nodiscard]] auto task() const noexcept -> const accelerator_task<ticks>& { return task_; }
  [[nodiscard]] auto jobs() const noexcept -> const job_sequence& { return jobs_; }
  [[nodiscard]] auto log() const noexcept -> const task_log& { return log_; }
  [[nodiscard]] auto next_release() const noexcept -> ticks { return jobs_.next_release(); }
  /// Of the next release before `stop` and the next deadline that will have passed.
  [[nodiscard]] auto next_instant(ticks stop) const noexcept -> ticks {
    const ticks release = next_release() < stop ? next_release() : never;
    return std::min(release, later(jobs_.next_deadline(), 1));
  }
  /// What the next job runs. It lives until the job after.
  [[nodiscard]] auto next_body() -> const Kernel& {
    if (bound_) { return *bound_; }
    return timed_ = Kernel{lengths_.draw({1, task_.wcet}), task_.preemption_cost};
  }

  /// The next release takes place. True when its job starts to be served.
  auto release() -> bool {
    const ticks time = next_release();
    const bool overrun = jobs_.incomplete();
    if (overrun) { tell(hooks_->on_overrun, jobs_.current(), time, 0); }
    const arrival what = jobs_.release();
    switch (what) {
      case arrival::dropped: log_.skip(); return false;
      case arrival::starts:
      case arrival::waits: log_.add(mark_kind::release, jobs_.released() - 1, time - origin_); break;
    }
    return what == arrival::starts;
  }
  /// The current job is complete since then. True when another one starts in its place.
  auto complete(ticks time) -> bool {
    pass_deadlines(time);
    const std::uint64_t job = jobs_.current();
    const ticks response = time - jobs_.release_of(job);
    const ticks due = jobs_.deadline_of(job);
    log_.add(mark_kind::completion, job, time - origin_);
    if (time <= due) {
      log_.add(mark_kind::deadline, job, due - origin_);
    } else {
      log_.miss(job, due - origin_);
    }
    log_.observe_segment(0, job, time - origin_, response, response);
    log_.complete(response);
    tell(hooks_->on_completion, job, time, response);
    return jobs_.complete();
  }
  void pass_deadlines(ticks time) {
    for (ticks due = jobs_.next_deadline(); due < time; due = jobs_.next_deadline()) {
      const std::uint64_t job = jobs_.watched();
      jobs_.pass_deadline();
      tell(hooks_->on_miss, job, due, 0);
    }
  }
  /// The run ends now for what is released before then.
  void leave_unfinished(ticks end, ticks stop) {
    pass_deadlines(end);
    while (next_release() < end && next_release() < stop) { (void)release(); }
    for (std::uint64_t job = jobs_.current(); job < jobs_.released(); ++job) {
      const ticks due = jobs_.deadline_of(job);
      if (due <= end) { log_.miss(job, due - origin_); }
      log_.leave_unfinished(0, job, end - origin_, end - jobs_.release_of(job));
    }
  }

 private:
  void tell(const std::function<void(const job_event&)>& hook, std::uint64_t job, ticks time, ticks response) const {
    if (hook) { hook({.task = id_, .job = job, .time = time - origin_, .response = response}); }
  }

  accelerator_task<ticks> task_;
  std::uint32_t id_;
  ticks offset_;
  backlog_handling overrun_;
  const accelerator_hooks* hooks_;
  length_source lengths_;
  job_sequence jobs_;
  task_log log_;
  std::optional<Kernel> bound_;
  Kernel timed_{ticks{0}, ticks{0}};
  ticks origin_ = 0;
};

}  // namespace takt::runtime
