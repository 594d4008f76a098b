// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/copy_arbiter.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/length_source.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/task_log.hpp>

namespace takt::runtime {

/// One element of a chain, ready to run: its length for kernels is that on the task's own SMs, and at most the body of
/// its kind is set.
template <Device D>
struct runnable_segment {
  stage where = stage::cpu;
  interval<ticks> length{};
  track unit{};
  const std::function<void(std::uint64_t)>* cpu = nullptr;
  const typename D::copy* copy = nullptr;
  const typename D::kernel* kernel = nullptr;
};

/// What does not change while a task runs.
template <Device D>
struct runnable_task {
  std::uint32_t id = 0;
  rank priority = 0;
  ticks period = 0;
  ticks deadline = 0;
  backlog_handling overrun = backlog_handling::queue;
  violation_handling at_violation = violation_handling::report;
  std::vector<runnable_segment<D>> chain;
};

/// Releases the jobs of one task and drives their chains.
///
/// CPU segments run on the thread that calls `serve`. Between two of them the chain drives itself: the end of each
/// device operation starts the next one from the device's own thread, so that copies and kernels do not wait for a
/// core, and the task's thread stays suspended. At any time one thread at most is inside a chain, and each hand-over
/// goes through a lock, so the members need none.
template <Device D, std::size_t MaxTasks>
class task_runner {
 public:
  using arbiter = copy_arbiter<MaxTasks>;

  /// Pre: `engines` has an arbiter per copy engine; it and the end outlive the runner.
  task_runner(runnable_task<D> task, typename D::stream stream, std::vector<arbiter>& engines, run_end<D>& end,
              length_source lengths, task_log log)
      : task_{std::move(task)},
        stream_{stream},
        engines_{&engines},
        end_{&end},
        lengths_{lengths},
        log_{std::move(log)} {}

  [[nodiscard]] auto log() noexcept -> task_log& { return log_; }
  [[nodiscard]] auto log() const noexcept -> const task_log& { return log_; }

  /// Runs from this instant until the end. Unfinished emulated segments are cut short there; bound code ends by itself.
  /// The job in which the device failed is not complete.
  void serve(ticks start) {
    start_ = start;
    release_ = start;
    bool more = true;
    while (more && run_job()) {
      more = next_release();
      while (more && (drops_release(task_.overrun) || is_abandoned_) && release_ < ready_) {
        log_.skip();
        more = next_release();
      }
    }
    if (!cut_) { return; }
    leave_unfinished();
    while (next_release()) {
      log_.add(mark_kind::release, ++job_, release_ - start_);
      position_ = 0;
      leave_unfinished();
    }
  }

 private:
  /// False when the next release would be after the end.
  auto next_release() -> bool {
    if (task_.period >= end_->instant() - release_) { return false; }
    release_ += task_.period;
    return true;
  }
  [[nodiscard]] auto due() const -> ticks { return later(release_, task_.deadline); }

  /// False when the run ended first.
  auto run_job() -> bool {
    end_->sleep_until(release_);
    if (release_ >= end_->instant()) { return false; }
    log_.add(mark_kind::release, job_, release_ - start_);
    position_ = 0;
    ready_ = release_;
    is_abandoned_ = false;
    cut_ = now() >= end_->instant();
    while (!cut_ && position_ < task_.chain.size()) {
      if (task_.chain[position_].where == stage::cpu) {
        run_cpu_segment();
      } else {
        proceed();
        back_on_cpu_.wait();
      }
    }
    if (cut_) { return false; }
    if (!is_abandoned_) { log_.add(mark_kind::completion, job_, ready_ - start_); }
    if (ready_ <= due()) {
      log_.add(mark_kind::deadline, job_, due() - start_);
    } else {
      log_.miss(job_, due() - start_);
    }
    is_abandoned_ ? log_.skip() : log_.complete(ready_ - release_);
    ++job_;
    return true;
  }

  void leave_unfinished() {
    const ticks stop = end_->instant();
    if (due() <= stop) { log_.miss(job_, due() - start_); }
    const auto segment = static_cast<std::uint32_t>(std::min(position_, task_.chain.size() - 1));
    log_.leave_unfinished(segment, job_, stop - start_, stop - release_);
  }

  void run_cpu_segment() {
    const runnable_segment<D>& s = task_.chain[position_];
    begun_ = now();
    if (s.cpu != nullptr) {
      (*s.cpu)(job_);
    } else {
      end_->burn(lengths_.draw(s.length));
    }
    end_segment();
  }

  /// Starts the operation at the current position, or wakes the task's thread where the chain returns to the CPU.
  void proceed() {
    while (!cut_ && position_ < task_.chain.size()) {
      const runnable_segment<D>& s = task_.chain[position_];
      if (s.where == stage::cpu) { break; }
      if (s.where == stage::kernel) { return launch(s); }
      if (s.copy != nullptr || s.length.upper > 0) {
        return engine().request(task_.priority, notify<&task_runner::begin_copy>(this));
      }
      begun_ = now();
      end_segment();
    }
    back_on_cpu_.signal();
  }

  void launch(const runnable_segment<D>& s) {
    begun_ = now();
    if (s.kernel == nullptr) { time_kernel(s); }
    stream_.launch(s.kernel != nullptr ? *s.kernel : timed_kernel_, notify<&task_runner::end_kernel>(this));
  }
  void time_kernel(const runnable_segment<D>& s) {
    if constexpr (TurnsDevice<D>) {
      timed_kernel_ = typename D::kernel{draw_within_window(s), end_->instant()};
    } else {
      timed_kernel_ = typename D::kernel{draw_within_window(s)};
    }
  }
  void end_kernel() {
    end_->look_at_device();
    end_segment();
    proceed();
  }

  void begin_copy() {
    const runnable_segment<D>& s = task_.chain[position_];
    begun_ = now();
    if (s.copy == nullptr) { timed_copy_ = typename D::copy{draw_within_window(s)}; }
    stream_.copy(s.unit.index, s.copy != nullptr ? *s.copy : timed_copy_, notify<&task_runner::end_copy>(this));
  }
  void end_copy() {
    arbiter& used = engine();
    end_->look_at_device();
    end_segment();
    used.release();
    proceed();
  }

  [[nodiscard]] auto engine() -> arbiter& {
    return (*engines_)[static_cast<std::size_t>(task_.chain[position_].unit.index)];
  }
  [[nodiscard]] auto draw_within_window(const runnable_segment<D>& s) -> ticks {
    return std::min(lengths_.draw(s.length), std::max<ticks>(0, end_->instant() - begun_));
  }

  void end_segment() {
    const ticks end = now();
    const auto segment = static_cast<std::uint32_t>(position_);
    log_slices(segment, end);
    const bool is_late = log_.observe_segment(segment, job_, end - start_, end - ready_, end - release_);
    ready_ = end;
    ++position_;
    if (is_late) { handle_violation(); }
    cut_ = end >= end_->instant();
  }

  void handle_violation() {
    if (ends_run(task_.at_violation)) { end_->end_now(); }
    is_abandoned_ = abandons_job(task_.at_violation);
    if (is_abandoned_) { position_ = task_.chain.size(); }
  }

  /// A kernel in turns has as many as it was served in.
  void log_slices(std::uint32_t segment, ticks end) {
    const track& unit = task_.chain[position_].unit;
    if constexpr (TurnsDevice<D>) {
      if (task_.chain[position_].where == stage::kernel) {
        for (const auto& [from, to] : stream_.served()) {
          log_.add(slice{task_.id, segment, job_, unit, from - start_, to - start_});
        }
        return;
      }
    }
    log_.add(slice{task_.id, segment, job_, unit, begun_ - start_, end - start_});
  }

  runnable_task<D> task_;
  typename D::stream stream_;
  std::vector<arbiter>* engines_;
  run_end<D>* end_;
  length_source lengths_;
  task_log log_;
  typename D::kernel timed_kernel_{ticks{0}};
  typename D::copy timed_copy_{ticks{0}};
  event back_on_cpu_;
  ticks start_ = 0;
  std::uint64_t job_ = 0;
  std::size_t position_ = 0;
  ticks release_ = 0;
  ticks ready_ = 0;
  ticks begun_ = 0;
  bool cut_ = false;
  bool is_abandoned_ = false;  ///< the job
};

}  // namespace takt::runtime
