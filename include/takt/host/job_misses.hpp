// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/host/declared_deadline.hpp>
#include <takt/host/flow_progress.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/miss_action.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Decides what becomes of jobs that are not done at their deadlines. Without choices that mind them, they run on, and
/// misses are counted at their ends.
template <std::size_t N, std::size_t V, detail::RunChoices Choices>
class job_misses {
 public:
  constexpr job_misses(const visit_table<N, V>& table, Choices& choices) : table_{&table}, choices_{&choices} {}

  /// Returns whether the run has ended at a miss.
  [[nodiscard]] constexpr auto stopped() const noexcept -> bool { return stopped_; }
  /// Returns the next deadline that is observed.
  [[nodiscard]] constexpr auto next() const noexcept -> ticks { return next_; }
  /// A job has begun.
  constexpr void note_begin(const flow_progress* jobs, std::uint32_t i, ticks now) {
    if (minds()) { expect(deadline(jobs, i), now); }
  }
  /// It is not under way any more.
  constexpr void note_leave(const flow_progress* jobs, std::uint32_t i, ticks now) {
    if (minds() && deadline(jobs, i) == next_) { expect_all(jobs, now); }
  }
  /// Calls `drop` for each job that is dropped, if some can be.
  template <class Seen, class F>
  constexpr void note(flow_progress* jobs, ticks now, Seen& seen, const F& drop) {
    if (!some_passed_ && now < next_) { return; }
    some_passed_ = false;
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      if (!is_open(jobs[i]) || now < deadline(jobs, i)) { continue; }
      note_miss(seen.tasks[i], deadline(jobs, i));
      const miss_action what = tell(jobs, i);
      if constexpr (detail::DropsJobs<Choices>) {
        if (aborts_job(what)) { drop(i); }
      }
    }
    expect_all(jobs, now);
  }
  /// Notes the end of a job.
  template <class Seen>
  constexpr void note_end(flow_progress* jobs, std::uint32_t i, ticks now, Seen& seen) {
    if (now <= deadline(jobs, i)) { return; }
    ++seen.tasks[i].late;
    if (jobs[i].missed) { return; }
    note_miss(seen.tasks[i], deadline(jobs, i));
    if (minds()) { static_cast<void>(tell(jobs, i)); }
  }

 private:
  [[nodiscard]] constexpr auto minds() const -> bool {
    if constexpr (MindsMisses<Choices>) { return choices_->minds_misses(); }
    return false;
  }
  [[nodiscard]] static constexpr auto is_open(const flow_progress& job) -> bool { return job.under_way && !job.missed; }
  /// Returns the deadline of the last job. Pre: there has been one.
  [[nodiscard]] constexpr auto deadline(const flow_progress* jobs, std::uint32_t i) const -> ticks {
    TAKT_EXPECTS(jobs[i].jobs > 0);
    const ticks relative = declared_deadline(table_->tasks[i]);
    return relative == no_event ? relative : jobs[i].nominal + relative;
  }
  constexpr void expect(ticks deadline, ticks now) noexcept {
    some_passed_ = some_passed_ || deadline <= now;
    next_ = now < deadline && deadline < next_ ? deadline : next_;
  }
  constexpr void expect_all(const flow_progress* jobs, ticks now) {
    next_ = no_event;
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      if (is_open(jobs[i])) { expect(deadline(jobs, i), now); }
    }
  }
  constexpr auto tell(flow_progress* jobs, std::uint32_t i) -> miss_action {
    jobs[i].missed = true;
    miss_action what = miss_action::late;
    if constexpr (detail::DropsJobs<Choices>) {
      what = choices_->missed(i, jobs[i].jobs - 1, deadline(jobs, i));
    } else if constexpr (detail::StopsAtMisses<Choices>) {
      if (choices_->missed(i, jobs[i].jobs - 1, deadline(jobs, i))) { what = miss_action::stop; }
    }
    stopped_ = stopped_ || stops_run(what);
    return what;
  }

  const visit_table<N, V>* table_;
  Choices* choices_;
  bool stopped_ = false;
  bool some_passed_ = false;  ///< a deadline of a job under way of which nobody has heard
  ticks next_ = no_event;
};

namespace detail {

/// Takes the visits of a job away from the servers and the guards that have them.
template <class Table, class Guards, class Locks, class Servers>
constexpr void drop_visits(const Table& table, std::uint32_t task, visit_mask done, Guards& guards, Locks& locks,
                           Servers& servers, ticks now, const slice_sink& sink) {
  const flow_record& t = table.tasks[task];
  for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
    const visit_record& x = table.visits[v];
    const bool ready = (done >> x.position & 1U) == 0 && (x.predecessors & ~done) == 0;
    if (ready && guards.until(v) == no_event) { servers.drop(x.station, v, now, sink); }
    guards.drop(v);
    locks.left(v);
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
