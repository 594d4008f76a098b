// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Something that has happened to a job. Times count from the start.
struct job_event {
  std::uint32_t task = 0;  ///< position in the given order
  std::uint64_t job = 0;   ///< counts from 0 per task; of a release that finds another unfinished, that one's
  ticks time = 0;          ///< of the completion, of the passed deadline or of the release
  ticks response = 0;      ///< from the release to the completion, if it has come
};

/// Called while nothing else is decided: keep them short. A hook may set the flag that stops the run.
struct job_hooks {
  std::function<void(const job_event&)> on_completion{};
  /// Is called once for each job of which no completion is known when its deadline has passed.
  std::function<void(const job_event&)> on_miss{};
  /// Is called when a release finds the job before unfinished.
  std::function<void(const job_event&)> on_overrun{};
};

/// Knows when hooks are to be called. Only the thread that has the engine may use it.
class hook_calls {
 public:
  /// Jobs come once per period until `release_end`; `drops`: not while one is unfinished. `deadlines`: `no_event` for
  /// none. Pre: all outlive it.
  hook_calls(const job_hooks& hooks, std::span<const flow_record> tasks, std::span<const ticks> deadlines, bool drops,
             ticks release_end)
      : hooks_{&hooks},
        tasks_{tasks},
        deadlines_{deadlines},
        drops_{drops},
        release_end_{release_end},
        rows_(tasks.size()) {}

  /// The next job of a task, of this number, is released then.
  void comes(std::uint32_t task, std::uint64_t job, ticks release) {
    row& r = rows_[task];
    r.job = job;
    r.release = release;
    if (r.due_job <= job || r.due_from == no_event) {
      r.due_job = job;
      r.due_from = release;
    }
    r.arrival = std::max(r.arrival, later(release, tasks_[task].period));
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks time) {
    miss_until(task, time);
    row& r = rows_[task];
    if (hooks_->on_completion) { hooks_->on_completion({task, job, time, time - r.release}); }
    if (r.due_job == job) { r.due_from = no_event; }
  }
  /// Returns when the next hook is to be called.
  [[nodiscard]] auto next() const -> ticks {
    ticks least = no_event;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const ticks arrival = comes_unasked(rows_[i]) ? rows_[i].arrival : no_event;
      least = std::min({least, due(i), later(arrival, 1)});
    }
    return least;
  }
  /// Calls those that are to be called by now.
  void notice(ticks now) {
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      miss_until(i, now);
      row& r = rows_[i];
      for (; comes_unasked(r) && r.arrival < now; r.arrival = later(r.arrival, tasks_[i].period)) {
        hooks_->on_overrun({i, r.job, r.arrival, 0});
      }
    }
  }

 private:
  struct row {
    std::uint64_t job = 0;  ///< under way, or next
    ticks release = no_event;
    std::uint64_t due_job = 0;  ///< whose deadline is watched
    ticks due_from = no_event;  ///< its release; `no_event`: no deadline is
    ticks arrival = 0;          ///< the next release behind that of the job
  };

  [[nodiscard]] auto comes_unasked(const row& r) const -> bool {
    return hooks_->on_overrun && r.release < r.arrival && r.arrival < release_end_;
  }
  /// Returns the instant at which the deadline that is watched has passed.
  [[nodiscard]] auto due(std::uint32_t task) const -> ticks {
    const row& r = rows_[task];
    const bool any = hooks_->on_miss && r.due_from < release_end_ && deadlines_[task] != no_event;
    return any ? later(later(r.due_from, deadlines_[task]), 1) : no_event;
  }
  void miss_until(std::uint32_t task, ticks time) {
    row& r = rows_[task];
    for (ticks passed = due(task); passed <= time; passed = due(task)) {
      hooks_->on_miss({task, r.due_job, passed - 1, 0});
      ++r.due_job;
      r.due_from = drops_ ? no_event : later(r.due_from, tasks_[task].period);
    }
  }

  const job_hooks* hooks_;
  std::span<const flow_record> tasks_;
  std::span<const ticks> deadlines_;
  bool drops_;
  ticks release_end_;
  std::vector<row> rows_;
};

}  // namespace takt::inline TAKT_ABI::runtime
