// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/result.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// A task and its job that is under way, if any. Its next job waits for that one.
struct job {
  std::uint32_t position = 0;  ///< of the current segment, in the steps of all tasks
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t id = 0;
  std::uint32_t core = 0;    ///< among the cores that have tasks
  std::int32_t engine = 0;   ///< of the current segment, if it is a copy
  stage where = stage::cpu;  ///< of the current segment
  bool alive = false;
  bool late = false;       ///< its miss has been counted
  bool claims = false;     ///< holds, or waits for, its core until it completes
  bool holds_off = false;  ///< has a copy or a kernel to start as soon as it runs, or has a token
  ticks release = 0;
  ticks next_release = never;  ///< of the job that waits, or comes next
  ticks ready = 0;             ///< since when the current segment could have started
  ticks started = 0;           ///< since when the current copy or kernel has been under way
  ticks remaining = 0;         ///< of the current segment
  ticks deadline = 0;
  std::uint64_t number = 0;
  std::uint64_t misses = 0;
  std::uint64_t late_ends = 0;  ///< jobs that completed after their deadlines
  ticks first_miss = no_instant;
  ticks worst = 0;
  ticks best = std::numeric_limits<ticks>::max();
  ticks total = 0;
};

/// The jobs of a simulation and what is observed of them.
template <class Table, TraceRecorder Recorder>
class job_accounting {
 public:
  static constexpr std::size_t max_tasks = Table::max_tasks;
  using result_type = simulation_result<max_tasks, Table::max_segments>;

  /// Both outlive the job accounting.
  constexpr job_accounting(const Table& table, Recorder& recorder) : table_{&table}, recorder_{&recorder} {
    jobs_.fill(job{});  // g++-12 may leave default members of array elements zero
    for (std::size_t k = 0; k < table.size(); ++k) {
      const auto& t = table.tasks[k];
      job& j = jobs_[k];
      j.first = t.first_segment;
      j.end = t.first_segment + t.segment_count;
      j.id = t.id;
      j.deadline = t.deadline;
    }
  }

  /// Pre: 0 <= r < size().
  [[nodiscard]] constexpr auto operator[](rank r) noexcept -> job& {
    TAKT_EXPECTS(0 <= r && r < size());
    return jobs_[static_cast<std::size_t>(r)];
  }
  [[nodiscard]] constexpr auto size() const noexcept -> rank { return static_cast<rank>(table_->size()); }

  /// The next job of a task takes its place.
  constexpr void open(job& j) {
    j.alive = true;
    j.late = false;
    j.release = j.next_release;
    recorder_->record(mark{mark_kind::release, j.id, j.number, j.release});
    recorder_->record(mark{mark_kind::deadline, j.id, j.number, j.release + j.deadline});
  }
  constexpr void miss(job& j) {
    j.late = true;
    missed_ = true;
    const ticks deadline = j.release + j.deadline;
    ++j.misses;
    if (j.first_miss == no_instant) { j.first_miss = deadline; }
    recorder_->record(mark{mark_kind::miss, j.id, j.number, deadline});
  }
  constexpr void complete(job& j, ticks now) {
    const ticks response = now - j.release;
    if (response > j.deadline && !j.late) { miss(j); }
    j.late_ends += response > j.deadline ? 1U : 0U;
    j.worst = std::max(j.worst, response);
    j.best = std::min(j.best, response);
    if (!checked_add(j.total, response, j.total)) { j.total = std::numeric_limits<ticks>::max(); }
    recorder_->record(mark{mark_kind::completion, j.id, j.number, now});
    ++j.number;
    j.alive = false;
  }
  constexpr void complete_segment(const job& j, ticks now) {
    ticks& worst = worst_segment_[j.position];
    worst = std::max(worst, now - j.ready);
  }
  /// Records a piece of the current segment.
  constexpr void record(const job& j, const track& where, ticks since, ticks now) {
    if (since == now) { return; }
    recorder_->record(slice{j.id, j.position - j.first, j.number, where, since, now});
  }

  /// Tells whether the recorder listens to who holds which token.
  static constexpr bool observes_tokens = requires(Recorder& to, const token_hold& h) { to.record(h); };
  constexpr void record(const token_hold& h)
    requires observes_tokens
  {
    recorder_->record(h);
  }

  [[nodiscard]] constexpr auto missed() const noexcept -> bool { return missed_; }

  /// Returns the result with the jobs unfinished at the end; `following(r, release)` is the release after one.
  template <class Following>
  constexpr auto close(ticks end, Following following) -> result_type {
    result_type out;
    out.end = end;
    out.tasks.resize(table_->size());
    out.visit_responses.resize(table_->segments.size());
    for (std::size_t i = 0; i < table_->segments.size(); ++i) { out.visit_responses[i] = worst_segment_[i]; }
    for (rank r = 0; r < size(); ++r) {
      job& j = (*this)[r];
      const std::uint64_t completed = j.number;
      std::uint64_t released = completed + (j.alive ? 1 : 0);
      while (j.alive) {
        if (!j.late && j.release + j.deadline <= end) { miss(j); }
        if (j.next_release >= end) { break; }
        ++j.number;
        ++released;
        open(j);
        j.next_release = following(r, j.release);
      }
      out.tasks[j.id] = {.name = table_->tasks[static_cast<std::size_t>(r)].name,
                         .released = released,
                         .completed = completed,
                         .misses = j.misses,
                         .late = j.late_ends,
                         .unfinished = released - completed,
                         .worst_response = j.worst,
                         .best_response = completed == 0 ? ticks{0} : j.best,
                         .total_response = j.total,
                         .first_miss = j.first_miss,
                         .first_visit = j.first,
                         .visit_count = j.end - j.first};
    }
    return out;
  }

 private:
  const Table* table_;
  Recorder* recorder_;
  std::array<job, max_tasks> jobs_{};
  std::array<ticks, Table::max_segments> worst_segment_{};
  bool missed_ = false;
};

}  // namespace takt::inline TAKT_ABI::simulation
