// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/disturbed_jobs.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/job_hooks.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/runtime/trace_buffer.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Draws lengths of a task's segments, the same sequence for the same seed on every machine.
class length_source {
 public:
  length_source(length_choice choice, std::uint64_t seed, std::uint32_t task) noexcept
      : choice_{choice}, random_{seed + 0xD1B54A32D192ED03 * (std::uint64_t{task} + 1)} {}

  [[nodiscard]] auto draw(const interval<ticks>& bounds) noexcept -> ticks {
    switch (choice_) {
      case length_choice::upper: return bounds.upper;
      case length_choice::lower: return bounds.lower;
      case length_choice::uniform: return random_.between(bounds.lower, bounds.upper);
    }
    return bounds.upper;
  }

 private:
  length_choice choice_;
  random_stream random_;
};

/// Says how visits of a board are carried out.
struct carried_visits {
  std::vector<bool> told;       ///< by visit: somebody tells its end
  std::vector<bool> has_code;   ///< by visit
  std::vector<bool> elsewhere;  ///< by station: whoever carries its visits out serves them, too
};

/// Decides what is open in a run in real time. Lengths are drawn, releases come once per period from the offsets on,
/// and what happens is compared with what was expected.
class live_choices {
 public:
  /// `deadlines`: as the tasks state them, `no_event` for none. Pre: all outlive it.
  template <class Table>
  live_choices(const run_options& options, const Table& table, host::disturbed_jobs disturbed,
               std::vector<ticks> deadlines, carried_visits how, const job_hooks& hooks, trace_buffer& trace)
      : options_{&options},
        tasks_{table.tasks.data(), table.tasks.size()},
        disturbed_{std::move(disturbed)},
        deadlines_{std::move(deadlines)},
        trace_{&trace},
        how_{std::move(how)},
        is_here_(how_.told.size()),
        lengths_(how_.told.size()),
        jobs_(how_.told.size()),
        responses_(how_.told.size()),
        rows_(tasks_.size()),
        hooks_{hooks, tasks_, deadlines_, drops_releases(options.on_late), release_end()},
        violations_{options, tasks_.size()} {
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      sources_.emplace_back(options.lengths, options.seed, i);
      shortest_ = std::min(shortest_, tasks_[i].period);
    }
  }

  /// Sets the instant that counts from now on, since the start.
  void be_at(ticks time) noexcept { now_ = time; }
  /// Lets a visit end in the next step that was told to have ended at `time`, which may be before that step; `no_index`
  /// when the step is over.
  void ends(std::uint32_t visit, ticks time) noexcept {
    ending_ = visit;
    ended_ = time;
  }

  /// Returns the instant from which nothing is released.
  [[nodiscard]] auto release_end() const noexcept -> ticks { return std::max<ticks>(options_->length.count(), 1); }
  auto gap(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    progress& row = rows_[task];
    ticks out = period;
    const bool is_asked = task < options_->offsets.size() && !tasks_[task].strict;
    if (job == 0) { out = is_asked ? options_->offsets[task].count() : tasks_[task].offset; }
    for (; job > 0 && is_dropped(row, row.nominal + out, period); out += period) { skip(task); }
    if (row.nominal + out >= release_end()) { out = until_notified; }
    row.nominal += out;
    hooks_.comes(task, job, row.nominal);
    return out;
  }
  auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  auto length(const visit_record& v, std::uint64_t job) -> ticks {
    return takes(v, job, rows_[v.task].is_abandoned ? 0 : sources_[v.task].draw({v.lower, v.upper}));
  }
  /// Sets the length of a visit whose time is drawn elsewhere.
  auto takes(const visit_record& v, std::uint64_t job, ticks time) -> ticks {
    const std::uint32_t at = tasks_[v.task].first_visit + v.position;
    jobs_[at] = job;
    rows_[v.task].position = v.position;
    if (rows_[v.task].is_abandoned) { return lengths_[at] = 0; }
    lengths_[at] = time;
    return how_.has_code[at] || (how_.told[at] && lengths_[at] > 0) ? until_notified : lengths_[at];
  }
  [[nodiscard]] auto is_elsewhere(std::uint32_t station) const -> bool { return how_.elsewhere[station]; }
  void arrived(std::uint32_t visit) {
    is_here_[visit] = true;
    disturbed_.arrives(visit);
  }
  void left(std::uint32_t visit) { is_here_[visit] = false; }
  void released(std::uint32_t task, std::uint64_t /*job*/, ticks now) {
    disturbed_.released(task, rows_[task].nominal, now);
  }
  void visited(std::uint32_t visit, const visit_record& v, std::uint64_t job, ticks response, ticks now) {
    disturbed_.leaves(visit, now_);
    if (visit == ending_) {
      response -= now - ended_;
      now = ended_;
    }
    responses_[visit] = std::max(responses_[visit], response);
    // What follows at once from that visit's end is over with it.
    if (visit == ending_ || !is_ending(v.task)) { rows_[v.task].ended = std::max(rows_[v.task].ended, now); }
    const std::uint32_t p = visit - tasks_[v.task].first_visit;
    hold(violations_.bound_of(v.task, p), {v.task, p, job, true, now, response, 0});
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    progress& row = rows_[task];
    if (is_ending(task)) { now = row.ended; }
    expect(task, job, tasks_[task].visit_count - 1, now);
    trace_->add(mark{mark_kind::release, task, job, row.nominal});
    if (!row.is_abandoned) { trace_->add(mark{mark_kind::completion, task, job, now}); }
    const bool is_late = pass_deadline(task, job, row.nominal, now, now);
    if (row.is_abandoned) {
      skip(task);
    } else {
      hooks_.completed(task, job, now);
      note_completion(row.seen, now - row.nominal);
      row.seen.late += is_late ? 1U : 0U;
      if (options_->watch != nullptr) { options_->watch->completed(task, now - row.nominal); }
    }
    disturbed_.ended(task, now_);
    row.was_abandoned = std::exchange(row.is_abandoned, false);
    row.is_late = false;
    row.ended = 0;
    row.job = job + 1;
    row.position = 0;
  }
  /// Leaves a job under way at the end, and so many releases behind it. Returns how many of these are not dropped.
  auto leave(std::uint32_t task, std::uint64_t job, std::uint64_t waiting, ticks end) -> std::uint64_t {
    expect(task, job, 0, end);
    for (; waiting > 0 && drops_release(options_->on_late, true, waiting > 1); --waiting) { skip(task); }
    ticks release = rows_[task].nominal;
    for (std::uint64_t k = 0; k <= waiting; ++k) {
      trace_->add(mark{mark_kind::release, task, job + k, release});
      static_cast<void>(pass_deadline(task, job + k, release, no_event, end));
      release += tasks_[task].period;
    }
    return waiting;
  }

  /// Returns whether it has asked its station, and has not been told to have left.
  [[nodiscard]] auto is_here(std::uint32_t visit) const -> bool { return is_here_[visit]; }
  [[nodiscard]] auto length_of(std::uint32_t visit) const -> ticks { return lengths_[visit]; }
  [[nodiscard]] auto job_of(std::uint32_t visit) const -> std::uint64_t { return jobs_[visit]; }
  /// Returns completed and skipped jobs, their responses and misses.
  [[nodiscard]] auto seen(std::size_t task) const -> const observed_task<ticks, std::string>& {
    return rows_[task].seen;
  }
  [[nodiscard]] auto response(std::size_t visit) const -> ticks { return responses_[visit]; }
  [[nodiscard]] auto nominal(std::size_t task) const -> ticks { return rows_[task].nominal; }
  /// Returns when the job of some task will have taken longer than expected, if it does not end before, or when hooks
  /// are called.
  [[nodiscard]] auto next_limit() const -> ticks {
    ticks least = hooks_.next();
    for (std::size_t i = 0; i < options_->expected.size(); ++i) { least = std::min(least, limit(i)); }
    return least;
  }
  /// Reports the jobs that have by now taken too long.
  void notice(ticks now) {
    hooks_.notice(now);
    for (std::size_t i = 0; i < options_->expected.size(); ++i) {
      if (limit(i) > now) { continue; }
      const auto task = static_cast<std::uint32_t>(i);
      expect(task, rows_[i].job, rows_[i].position, now);
    }
  }
  /// Notes that what was to happen from an instant on has happened only now. If that is the shortest period or more,
  /// the process was stopped.
  void came_late(ticks from, ticks now) {
    if (now - from >= shortest_) { disturbed_.late(from, now); }
  }
  /// Returns whether a violation has ended the run.
  [[nodiscard]] auto is_over() const noexcept -> bool { return violations_.is_over(); }
  /// Returns whether every job that was released until now has ended.
  [[nodiscard]] auto is_idle(ticks now) const -> bool {
    return std::ranges::all_of(rows_, [now](const progress& row) { return row.nominal > now; });
  }
  /// Returns from when to when bounds were void, until the end of the run.
  [[nodiscard]] auto void_bounds(ticks end) const -> std::vector<host::time_span> { return disturbed_.until(end); }
  [[nodiscard]] auto violations() const noexcept -> const violation_log& { return violations_; }

 private:
  /// Of a task.
  struct progress {
    ticks nominal = 0;           ///< release of the job under way, or of the next
    ticks ended = 0;             ///< the last of its visits so far
    std::uint64_t job = 0;       ///< its number
    std::uint32_t position = 0;  ///< of the visit that it came to last
    bool is_late = false;        ///< it is known to have violated a bound
    bool is_abandoned = false;
    bool was_abandoned = false;  ///< the job before
    observed_task<ticks, std::string> seen{};
  };

  /// Returns whether a visit of the task is told to have ended.
  [[nodiscard]] auto is_ending(std::uint32_t task) const -> bool {
    return ending_ != no_index && ending_ - tasks_[task].first_visit < tasks_[task].visit_count;
  }
  [[nodiscard]] auto limit(std::size_t task) const -> ticks {
    const response_bound<ticks>& bound = violations_.bound_of(task);
    return bound.exists && !rows_[task].is_late ? later(rows_[task].nominal, later(bound.value, 1)) : no_event;
  }
  /// Returns whether nothing is begun for a release, as the job before of its task has ended only now.
  [[nodiscard]] auto is_dropped(const progress& row, ticks release, ticks period) const -> bool {
    const bool is_full = release < now_;
    const ticks after = release + period;
    if (row.was_abandoned) { return is_full; }
    return drops_release(options_->on_late, is_full, after < now_ && after < release_end());
  }
  void skip(std::uint32_t task) {
    ++rows_[task].seen.skipped;
    if (options_->watch != nullptr) { options_->watch->skipped(task); }
  }
  /// Marks the deadline of a job with these instants if it has come by `now`. Returns whether the job is late.
  auto pass_deadline(std::uint32_t task, std::uint64_t job, ticks release, ticks end, ticks now) -> bool {
    if (deadlines_[task] == no_event || release > no_event - 1 - deadlines_[task]) { return false; }
    const ticks due = release + deadlines_[task];
    if (due > now && end == no_event) { return false; }
    trace_->add(mark{mark_kind::deadline, task, job, due});
    if (end <= due) { return false; }
    trace_->add(mark{mark_kind::miss, task, job, due});
    note_miss(rows_[task].seen, due);
    if (options_->watch != nullptr) { options_->watch->missed(task); }
    return true;
  }
  void expect(std::uint32_t task, std::uint64_t job, std::uint32_t position, ticks now) {
    hold(violations_.bound_of(task), {task, position, job, false, now, now - rows_[task].nominal, 0});
  }
  void hold(const response_bound<ticks>& bound, const violation& seen) {
    progress& row = rows_[seen.task];
    if (row.is_late || !violations_.note(bound, seen)) { return; }
    row.is_late = true;
    disturbed_.above(seen.task, seen.time - (seen.observed - bound.value), std::max(now_, seen.time));
    row.is_abandoned = row.is_abandoned || detail::abandons_job(options_->at_violation);
  }

  const run_options* options_;
  std::span<const flow_record> tasks_;
  host::disturbed_jobs disturbed_;
  std::vector<ticks> deadlines_;
  trace_buffer* trace_;
  carried_visits how_;
  std::vector<bool> is_here_;
  std::vector<ticks> lengths_;
  std::vector<std::uint64_t> jobs_;
  std::vector<ticks> responses_;
  std::vector<progress> rows_;
  hook_calls hooks_;
  std::vector<length_source> sources_;
  violation_log violations_;
  ticks now_ = 0;
  ticks shortest_ = no_event;  ///< period
  std::uint32_t ending_ = no_index;
  ticks ended_ = 0;
};

}  // namespace takt::inline TAKT_ABI::runtime
