// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>

namespace takt::inline TAKT_ABI::host {

/// Lists jobs that a stop of the process, or a job above its bound, can have delayed. Bounds are void while there are
/// some. A job is disturbed that was there at a stop, or is released late for a stop. So is one released after a
/// disturbed job of its task, and one that shares a station with a disturbed job before that station has been empty.
/// All jobs share one station where tasks have sections, or keep their processors.
///
/// Cost of each call: 1; tasks x stations where a job becomes disturbed. Memory: tasks x stations.
class disturbed_jobs {
 public:
  disturbed_jobs() = default;
  template <class Table, class Stations>
  disturbed_jobs(const Table& table, const Stations& stations)
      : shares_all_{!table.sections.empty() || takt::detail::keeps_processors(stations)},
        places_{shares_all_ ? 1 : stations.size()},
        tasks_(table.size()),
        at_(table.size() * places_),
        jobs_(places_),
        is_disturbed_(places_),
        visits_(shares_all_ ? 0 : table.visits.size()) {
    for (std::size_t v = 0; v < visits_.size(); ++v) { visits_[v] = {table.visits[v].task, table.visits[v].station}; }
  }
  /// Makes a list for jobs that all share one station.
  explicit disturbed_jobs(std::size_t tasks)
      : shares_all_{true}, places_{1}, tasks_(tasks), at_(tasks), jobs_(1), is_disturbed_(1) {}

  /// The process was stopped from an instant until now.
  void late(ticks from, ticks now) {
    stopped_until_ = now;
    begin(from, now);
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].is_there) { disturb(i); }
    }
    end_if_none(now);
  }
  /// The job of a task has not ended when it was to.
  void above(std::uint32_t task, ticks due, ticks now) {
    begin(due, now);
    if (tasks_[task].is_there) { disturb(task); }
    end_if_none(now);
  }

  void released(std::uint32_t task, ticks nominal, ticks now) {
    state& own = tasks_[task];
    const bool follows = own.was_disturbed && own.ended == now && nominal < now;
    own = {.is_there = true};
    if (follows || nominal < stopped_until_) {
      begin(now, now);
      disturb(task);
    }
    if (shares_all_) { enter(task, 0); }
  }
  /// A visit asks its station; it may ask again before it has left.
  void arrives(std::uint32_t visit) {
    if (shares_all_ || visits_[visit].asks) { return; }
    visits_[visit].asks = true;
    enter(visits_[visit].task, visits_[visit].station);
  }
  /// A visit is over, whether it has asked its station or took no time.
  void leaves(std::uint32_t visit, ticks now) {
    if (shares_all_ || !visits_[visit].asks) { return; }
    visits_[visit].asks = false;
    leave(visits_[visit].task, visits_[visit].station, now);
  }
  void ended(std::uint32_t task, ticks now) {
    if (shares_all_) { leave(task, 0, now); }
    state& own = tasks_[task];
    if (own.is_disturbed) { --disturbed_; }
    own = {.was_disturbed = own.is_disturbed, .ended = now};
    end_if_none(now);
  }

  /// Returns from when to when bounds were void, in order; spans do not touch.
  [[nodiscard]] auto until(ticks end) const -> std::vector<time_span> { return spans_.until(end); }

 private:
  struct state {
    bool is_there = false;
    bool is_disturbed = false;
    bool was_disturbed = false;  ///< the job before
    ticks ended = -1;            ///< the job before
  };

  struct place_of_visit {
    std::uint32_t task = 0;
    std::uint32_t station = 0;
    bool asks = false;
  };

  [[nodiscard]] auto count(std::uint32_t task, std::size_t place) -> std::uint32_t& {
    return at_[task * places_ + place];
  }
  void begin(ticks from, ticks now) {
    if (!spans_.are_void()) { spans_.enters(0); }
    spans_.late(from, now);
  }
  void end_if_none(ticks now) {
    if (spans_.are_void() && disturbed_ == 0 && disturbed_places_ == 0) { spans_.leaves(0, now); }
  }
  void disturb(std::uint32_t task) {
    if (tasks_[task].is_disturbed) { return; }
    tasks_[task].is_disturbed = true;
    ++disturbed_;
    for (std::size_t p = 0; p < places_; ++p) {
      if (count(task, p) > 0) { disturb_place(p); }
    }
  }
  void disturb_place(std::size_t place) {
    if (is_disturbed_[place]) { return; }
    is_disturbed_[place] = true;
    ++disturbed_places_;
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      if (count(i, place) > 0) { disturb(i); }
    }
  }
  void enter(std::uint32_t task, std::size_t place) {
    ++count(task, place);
    ++jobs_[place];
    if (is_disturbed_[place]) { disturb(task); }
    if (tasks_[task].is_disturbed) { disturb_place(place); }
  }
  void leave(std::uint32_t task, std::size_t place, ticks now) {
    --count(task, place);
    if (--jobs_[place] > 0 || !is_disturbed_[place]) { return; }
    is_disturbed_[place] = false;
    --disturbed_places_;
    end_if_none(now);
  }

  bool shares_all_ = false;
  std::size_t places_ = 0;
  std::vector<state> tasks_;
  std::vector<std::uint32_t> at_;    ///< visits, by task and station
  std::vector<std::uint32_t> jobs_;  ///< visits, by station
  std::vector<bool> is_disturbed_;   ///< by station
  std::vector<place_of_visit> visits_;
  std::size_t disturbed_ = 0;  ///< jobs
  std::size_t disturbed_places_ = 0;
  ticks stopped_until_ = 0;
  void_bounds spans_{1};
};

}  // namespace takt::inline TAKT_ABI::host
