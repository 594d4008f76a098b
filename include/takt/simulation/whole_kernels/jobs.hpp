// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/accelerator/policy.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/whole_kernels/releases.hpp>

namespace takt::simulation::detail {

/// The jobs of a run on the engine: where they come from, how important they are, and what a recorder hears of them.
template <class Policy, std::size_t MaxTasks, class Releases, TraceRecorder Recorder>
class kernel_jobs {
 public:
  using table_type = accelerator_table<ticks, MaxTasks>;
  static constexpr bool asks_at_once = true;
  static constexpr bool records = !std::same_as<Recorder, no_trace>;
  /// Later than every job.
  static constexpr ticks never = 4 * longest_accelerator_time;

  /// `apart`: some kernels have one of the cores alone. Everything passed by reference outlives it.
  constexpr kernel_jobs(const Policy& policy, const table_type& table, const Releases& releases, std::int32_t cores,
                        bool apart, Recorder& recorder)
      : policy_{&policy},
        table_{&table},
        releases_{&releases},
        recorder_{&recorder},
        cores_{cores},
        cores_apart_{apart} {
    for (std::uint32_t i = 0; records && i < table.size(); ++i) { look_ahead(i); }
    find_first();
  }

  constexpr auto gap(std::uint32_t task, std::uint64_t number, ticks /*period*/) -> ticks {
    task_state& s = tasks_[task];
    const ticks last = s.job.release;
    planned_job<ticks> job{};
    if (error_ || !job_of(task, number, job)) { return never - last; }
    const accelerator_task<ticks>& t = table_->tasks[task];
    if (job.release < 0) {
      error_ = {.fault = model_fault::negative_time, .task = t.id};
    } else if (!add_exactly(job.release, t.deadline, s.due) || s.due > never / 2 || job.work > never / 2 ||
               !policy_->point(t, job.release, points_[task])) {
      error_ = {.fault = model_fault::time_overflow, .task = t.id};
    }
    if (error_) { return never - last; }
    s.job = job;
    return job.release - last;
  }
  static constexpr auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  constexpr auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks {
    tasks_[v.task].is_here = true;
    ++here_;
    return tasks_[v.task].job.work;
  }
  constexpr void completed(std::uint32_t task, std::uint64_t number, ticks now) {
    task_state& s = tasks_[task];
    s.is_here = false;
    --here_;
    if (s.due < now) { note(mark_kind::miss, task, number, s.due); }
    note(mark_kind::completion, task, number, now);
    s.completed = number + 1;
    s.last_end = now;
  }

  [[nodiscard]] constexpr auto error() const noexcept -> const model_error& { return error_; }
  /// Of the job of a task that has come and not ended.
  [[nodiscard]] constexpr auto points() const noexcept -> const ticks* { return points_; }
  [[nodiscard]] constexpr auto is_idle() const noexcept -> bool { return here_ == 0; }
  /// The first deadline of those that are here.
  [[nodiscard]] constexpr auto first_due() const noexcept -> ticks {
    ticks first = no_event;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (tasks_[i].is_here && tasks_[i].due < first) { first = tasks_[i].due; }
    }
    return first;
  }

  /// Jobs that come before `end` have come.
  constexpr void come_before(ticks end) {
    while (records && first_release_ < end) {
      task_state& s = tasks_[first_];
      note(mark_kind::release, first_, s.told, s.next.release);
      note(mark_kind::deadline, first_, s.told, s.next.release + table_->tasks[first_].deadline);
      s.before = s.next;
      ++s.told;
      look_ahead(first_);
      find_first();
    }
  }
  /// Counts the jobs that have come by `end` and not ended, with a miss for each that is due by `due_by`. When the last
  /// of them has come.
  constexpr auto note_unfinished(std::uint32_t task, ticks end, ticks due_by, observed_task<ticks>& seen) const
      -> ticks {
    planned_job<ticks> late{};
    ticks last = 0;
    for (seen.released = seen.completed;
         releases_->job(task, static_cast<std::int64_t>(seen.released), late) && late.release <= end; ++seen.released) {
      last = late.release;
      ticks due = 0;
      if (!add_exactly(late.release, table_->tasks[task].deadline, due) || due > due_by) { continue; }
      note_miss(seen, due);
      note(mark_kind::miss, task, seen.released, due);
    }
    seen.unfinished = seen.released - seen.completed;
    return last;
  }

  /// For the slices of the engine. Without a recorder nobody hears them, and a run may be a constant.
  [[nodiscard]] constexpr auto sink() noexcept -> slice_sink {
    if constexpr (records) {
      return {this, [](void* own, client who, std::int32_t unit, ticks from, ticks to) {
                static_cast<const kernel_jobs*>(own)->tell(who, unit, from, to);
              }};
    }
    return {};
  }

 private:
  struct task_state {
    planned_job<ticks> job{};  ///< that is here, or the next
    ticks due = 0;
    bool is_here = false;
    std::uint64_t completed = 0;
    ticks last_end = 0;
    // Only for recorders.
    std::uint64_t told = 0;
    planned_job<ticks> next{};  ///< to be told
    planned_job<ticks> before{};
    bool comes = false;
  };

  void tell(client who, std::int32_t unit, ticks from, ticks to) const {
    const task_state& s = tasks_[who];
    const std::uint64_t number = s.completed > 0 && to <= s.last_end ? s.completed - 1 : s.completed;
    const bool one = cores_apart_ && unit != any_core;
    const track where{stage::kernel, 0, one ? unit : 0, one ? 1 : cores_};
    recorder_->record(slice{who, 0, number, where, from, to});
  }
  constexpr void note(mark_kind what, std::uint32_t task, std::uint64_t number, ticks time) const {
    recorder_->record(mark{what, table_->tasks[task].id, number, time});
  }
  constexpr void look_ahead(std::uint32_t i) {
    task_state& s = tasks_[i];
    s.comes = releases_->job(i, static_cast<std::int64_t>(s.told), s.next);
  }
  constexpr void find_first() {
    first_release_ = no_event;
    for (std::uint32_t i = 0; records && i < table_->size(); ++i) {
      if (tasks_[i].comes && tasks_[i].next.release < first_release_) {
        first_ = i;
        first_release_ = tasks_[i].next.release;
      }
    }
  }
  /// Those that a recorder waits for need not be drawn twice.
  [[nodiscard]] constexpr auto job_of(std::uint32_t i, std::uint64_t number, planned_job<ticks>& out) const -> bool {
    const task_state& s = tasks_[i];
    if (records && number <= s.told && number + 1 >= s.told) {
      out = number == s.told ? s.next : s.before;
      return number < s.told || s.comes;
    }
    return releases_->job(i, static_cast<std::int64_t>(number), out);
  }

  const Policy* policy_;
  const table_type* table_;
  const Releases* releases_;
  Recorder* recorder_;
  std::int32_t cores_;
  bool cores_apart_;
  std::int64_t here_ = 0;
  std::uint32_t first_ = 0;  ///< whose next job is told first
  ticks first_release_ = no_event;
  model_error error_{};
  ticks points_[MaxTasks]{};
  task_state tasks_[MaxTasks]{};
};

}  // namespace takt::simulation::detail
